/* SPDX-License-Identifier: Apache-2.0 */
/*
 * shared_view.c - what happens while not all clients have reloaded:
 *
 *     shared_view FLEET LINE
 *
 * Four processes read the fleet file; then LINE, a node, is added to it. Three
 * read it again, the fourth does so later. Each time the share of 10,000 keys
 * that the fourth routes to another node than the first is printed, and the
 * fingerprints by which they could have noticed without comparing a key.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fleet_list.h"

enum { PROCESSES = 4, KEYS = 10000, NAME = 64 };

/* What a process says of its view. */
struct view {
    uint64_t fingerprint;
    char     owner[KEYS][NAME];
};

struct process {
    pid_t pid;
    FILE *ask, *answer;
};

static struct view views[PROCESSES];

static void
fill(const cw_map *map, struct view *view)
{
    char key[32];

    memset(view, 0, sizeof *view);
    view->fingerprint = cw_map_fingerprint(map);
    for (int i = 0; i < KEYS; i++) {
        int len = snprintf(key, sizeof key, "user:%d", i);
        cw_node node;
        uint32_t owner;

        if (cw_map_owner(map, key, (size_t)len, &owner) != CW_OK)
            continue;
        cw_map_node(map, owner, &node);
        snprintf(view->owner[i], NAME, "%s", node.name);
    }
}

/* 'r' reads the file again, 'v' sends the view, 'q' ends. */
static int
client(const char *path, FILE *ask, FILE *answer)
{
    cw_map *map = NULL;
    int c;

    while ((c = getc(ask)) != EOF && c != 'q') {
        if (c == 'r') {
            cw_fleet *fleet = fleet_read(path);

            cw_map_unref(map);
            map = NULL;
            if (fleet == NULL || cw_map_build(fleet, NULL, &map, NULL) != CW_OK)
                return 2;
            cw_fleet_free(fleet);
            putc('.', answer);
        } else {
            fill(map, &views[0]);
            fwrite(&views[0], sizeof views[0], 1, answer);
        }
        fflush(answer);
    }
    cw_map_unref(map);
    return 0;
}

static int
start(struct process *p, const char *path)
{
    int to[2], from[2];

    fflush(stdout);
    if (pipe(to) != 0 || pipe(from) != 0 || (p->pid = fork()) < 0)
        return 0;
    if (p->pid == 0) {
        close(to[1]);
        close(from[0]);
        _exit(client(path, fdopen(to[0], "r"), fdopen(from[1], "w")));
    }
    close(to[0]);
    close(from[1]);
    p->ask = fdopen(to[1], "w");
    p->answer = fdopen(from[0], "r");
    return p->ask != NULL && p->answer != NULL;
}

/* The process reads the file again; true when it has. */
static int
reload(struct process *p)
{
    putc('r', p->ask);
    fflush(p->ask);
    return getc(p->answer) == '.';
}

/* Ask all for their view, and compare the last with the first. */
static int
report(struct process *p, const char *when)
{
    int differ = 0;

    for (int i = 0; i < PROCESSES; i++) {
        putc('v', p[i].ask);
        fflush(p[i].ask);
        if (fread(&views[i], sizeof views[i], 1, p[i].answer) != 1)
            return 0;
    }
    for (int i = 0; i < KEYS; i++)
        differ += strcmp(views[0].owner[i], views[PROCESSES - 1].owner[i]) != 0;
    printf("%-22s %5.2f %% of keys routed differently, fingerprints %s\n",
           when, 100.0 * differ / KEYS,
           views[0].fingerprint == views[PROCESSES - 1].fingerprint ?
           "equal" : "differ");
    return 1;
}

static int
append(const char *path, const char *line)
{
    FILE *file = fopen(path, "a");

    return file != NULL && fprintf(file, "%s\n", line) > 0 &&
           fclose(file) == 0;
}

int
main(int argc, char **argv)
{
    struct process p[PROCESSES];
    int ok = argc == 3;

    if (!ok)
        fprintf(stderr, "usage: shared_view FLEET LINE\n");
    for (int i = 0; i < PROCESSES && ok; i++)
        ok = start(&p[i], argv[1]) && reload(&p[i]);
    ok = ok && report(p, "all read the file:") && append(argv[1], argv[2]);
    for (int i = 0; i < PROCESSES - 1 && ok; i++)
        ok = reload(&p[i]);
    ok = ok && report(p, "three have reloaded:");
    ok = ok && reload(&p[PROCESSES - 1]) && report(p, "the fourth as well:");
    for (int i = 0; i < PROCESSES && ok; i++) {
        int status = 0;

        putc('q', p[i].ask);
        fclose(p[i].ask);
        fclose(p[i].answer);
        ok = waitpid(p[i].pid, &status, 0) == p[i].pid && status == 0;
    }
    return ok ? 0 : 2;
}
