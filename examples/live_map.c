/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_map.c - look-ups go on while the fleet changes:
 *
 *     live_map
 *
 * Two threads look keys up, without a lock, while the main thread adds cache-d
 * and removes cache-a. When both changes are made, each thread counts once
 * more which node has how many of 10,000 keys, and the counts are printed.
 */
#include <clockwise/clockwise_live.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { READERS = 2, KEYS = 10000, NODES = 4 };

static atomic_bool changed;

struct reader {
    cw_live_reader live;        /* one a thread, joined before it starts     */
    pthread_t      thread;
    unsigned       of_node[NODES];
};

static void
count(struct reader *r)
{
    char key[32];
    uint32_t node;
    unsigned i;

    for (i = 0; i < NODES; i++)
        r->of_node[i] = 0;
    for (i = 0; i < KEYS; i++) {
        int len = snprintf(key, sizeof key, "user:%u", i);

        if (cw_live_owner(&r->live, key, (size_t)len, &node) == CW_OK)
            r->of_node[node]++;
    }
}

static void *
read_keys(void *arg)
{
    struct reader *r = arg;
    bool last;

    do {
        last = atomic_load(&changed);
        cw_live_quiescent(&r->live);    /* from here on the newest map */
        count(r);
    } while (!last);
    return NULL;
}

static void
must(cw_status status, const cw_error *err)
{
    if (status == CW_OK)
        return;
    fprintf(stderr, "live_map: %s\n", err->text);
    exit(1);
}

/* A change waits until each reader has passed a quiescent point since the one
 * before; the library itself waits for nobody. */
static void
change(cw_live *live)
{
    cw_status status;
    cw_error err;

    while ((status = cw_live_add(live, "cache-d", 7, CW_WEIGHT_ONE, &err))
           == CW_EBUSY)
        sched_yield();
    must(status, &err);
    while ((status = cw_live_remove(live, "cache-a", 7, &err)) == CW_EBUSY)
        sched_yield();
    must(status, &err);
}

static void
print(struct reader *r)
{
    cw_node node;
    uint32_t i;

    for (i = 0; i < cw_live_count(&r->live); i++) {
        cw_live_node(&r->live, i, &node);
        printf("%s\t%u\n", node.name, r->of_node[i]);
    }
    cw_live_leave(&r->live);
}

static cw_live *
three_nodes(void)
{
    static const char *const names[] = { "cache-a", "cache-b", "cache-c" };
    cw_fleet *fleet = cw_fleet_new(NULL);
    cw_live *live = NULL;
    cw_error err;
    unsigned i;

    if (fleet == NULL)
        exit(1);
    for (i = 0; i < 3; i++)
        must(cw_fleet_add(fleet, names[i], 7, CW_WEIGHT_ONE, &err), &err);
    must(cw_live_new(fleet, NULL, READERS, &live, &err), &err);
    cw_fleet_free(fleet);               /* it was copied */
    return live;
}

int
main(void)
{
    cw_live *live = three_nodes();
    struct reader readers[READERS];
    unsigned i;

    for (i = 0; i < READERS; i++)
        if (cw_live_join(live, &readers[i].live) != CW_OK
            || pthread_create(&readers[i].thread, NULL, read_keys,
                              &readers[i]) != 0)
            return 1;
    change(live);
    atomic_store(&changed, true);
    for (i = 0; i < READERS; i++)
        pthread_join(readers[i].thread, NULL);
    for (i = 0; i < READERS; i++)
        print(&readers[i]);
    cw_live_free(live);
    return 0;
}
