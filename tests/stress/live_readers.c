/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live_readers.c - eight readers look keys up while a writer adds and
 * removes a node, as fast as it can and a thousand times a second: every
 * answer is the owner in one of the two maps there are. Run under the
 * thread sanitizer, too.
 *
 * CW_STRESS_SECONDS says how long the second part takes (10).
 */
#include "harness.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "clockwise/clockwise_live.h"

enum { READERS = 8, NODES = 200, KEYS = 4096, CHANGES = 1000 };

static const char newcomer[] = "newcomer";

struct stress {
    cw_live       *live;
    atomic_int     stop;
    uint64_t       hash[KEYS];
    char           owner[2][KEYS][16];  /* without and with the newcomer    */
};

struct reader {
    struct stress *s;
    pthread_t      thread;
    unsigned long  answers, wrong, batches, joins;
};

static int
is_owner(const struct stress *s, unsigned k, const cw_node *node)
{
    for (int i = 0; i < 2; i++) {
        if (strlen(s->owner[i][k]) == node->name_len &&
            memcmp(s->owner[i][k], node->name, node->name_len) == 0)
            return 1;
    }
    return 0;
}

static void
read_some(struct reader *r, cw_live_reader *lr, unsigned first)
{
    uint64_t hashes[64];
    uint32_t out[64];
    cw_node node;

    for (unsigned i = 0; i < 64; i++)
        hashes[i] = r->s->hash[(first + i) % KEYS];
    if (first % 128 == 0) {
        if (cw_live_owner_hash_many(lr, hashes, 64, out) != CW_OK)
            r->wrong++;
        r->batches++;
    } else {
        for (unsigned i = 0; i < 64; i++) {
            if (cw_live_owner_hash(lr, hashes[i], &out[i]) != CW_OK)
                r->wrong++;
        }
    }
    for (unsigned i = 0; i < 64; i++) {
        cw_live_node(lr, out[i], &node);
        r->wrong += !is_owner(r->s, (first + i) % KEYS, &node);
        r->answers++;
    }
}

static void *
reading(void *argument)
{
    struct reader *r = argument;
    cw_live_reader lr;
    unsigned at = 0;

    while (!atomic_load(&r->s->stop)) {
        if (cw_live_join(r->s->live, &lr) != CW_OK) {
            r->wrong++;
            break;
        }
        r->joins++;
        for (unsigned i = 0; i < 200; i++, at += 64) {
            read_some(r, &lr, at);
            cw_live_quiescent(&lr);
            sched_yield();      /* there are more readers than processors */
        }
        cw_live_leave(&lr);
    }
    return NULL;
}

static void
change(struct stress *s, int add, unsigned long *busy)
{
    cw_status st;

    for (;;) {
        st = add ? cw_live_add(s->live, newcomer, strlen(newcomer),
                               CW_WEIGHT_ONE, NULL)
                 : cw_live_remove(s->live, newcomer, strlen(newcomer), NULL);
        if (st != CW_EBUSY)
            break;
        ++*busy;
        sched_yield();
    }
    CHECK_OK(st);
}

/* As a change; readers go back to the other copy. */
static void
settle(struct stress *s, unsigned long *busy)
{
    cw_status st;

    while ((st = cw_live_settle(s->live)) == CW_EBUSY) {
        ++*busy;
        sched_yield();
    }
    CHECK_OK(st);
}

static double
seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void
expect(struct stress *s, const cw_fleet *fleet, int with)
{
    cw_map *map = map_of(fleet, NULL);
    uint32_t node;

    for (unsigned k = 0; k < KEYS; k++) {
        CHECK_OK(cw_map_owner_hash(map, s->hash[k], &node));
        snprintf(s->owner[with][k], sizeof s->owner[with][k], "%s",
                 node_name(map, node));
    }
    cw_map_unref(map);
}

static void
stress_start(struct stress *s, struct reader *readers)
{
    struct rng rng = { test_seed() };
    cw_fleet *fleet = fleet_of("");
    char name[16];

    memset(s, 0, sizeof *s);
    for (unsigned k = 0; k < KEYS; k++)
        s->hash[k] = rng_next(&rng);
    for (unsigned i = 0; i < NODES; i++) {
        snprintf(name, sizeof name, "node-%u", i);
        fleet_add(fleet, name, CW_WEIGHT_ONE);
    }
    CHECK_OK(cw_live_new(fleet, NULL, READERS, &s->live, NULL));
    expect(s, fleet, 0);
    fleet_add(fleet, newcomer, CW_WEIGHT_ONE);
    expect(s, fleet, 1);
    cw_fleet_free(fleet);
    for (unsigned i = 0; i < READERS; i++) {
        memset(&readers[i], 0, sizeof readers[i]);
        readers[i].s = s;
        CHECK(pthread_create(&readers[i].thread, NULL, reading,
                             &readers[i]) == 0, "no thread");
    }
}

static void
stress_end(struct stress *s, struct reader *readers, unsigned long changes,
           unsigned long busy)
{
    unsigned long answers = 0, wrong = 0, joins = 0;
    uint64_t patched, built;

    atomic_store(&s->stop, 1);
    for (unsigned i = 0; i < READERS; i++) {
        pthread_join(readers[i].thread, NULL);
        answers += readers[i].answers;
        wrong += readers[i].wrong;
        joins += readers[i].joins;
    }
    cw_live_counts(s->live, &patched, &built);
    print_message("  %lu changes (%lu patched, %lu built, %lu waits), "
                  "%lu answers in %lu turns of %d readers, %lu wrong\n",
                  changes, (unsigned long)patched, (unsigned long)built, busy,
                  answers, joins, READERS, wrong);
    CHECK(answers > 0 && wrong == 0, "%lu of %lu answers are wrong", wrong,
          answers);
    CHECK(patched > 0, "nothing was patched");
    cw_live_free(s->live);
}

static struct stress stress;

static void
as_fast_as_it_can(void **state)
{
    struct reader readers[READERS];
    unsigned long busy = 0;

    (void)state;
    stress_start(&stress, readers);
    for (unsigned i = 0; i < CHANGES; i++) {
        change(&stress, 1, &busy);
        if (i % 2)
            settle(&stress, &busy);
        change(&stress, 0, &busy);
        if (i / 2 % 2)
            settle(&stress, &busy);
    }
    stress_end(&stress, readers, 2 * CHANGES, busy);
}

static void
a_thousand_times_a_second(void **state)
{
    const char *given = getenv("CW_STRESS_SECONDS");
    double length = given ? strtod(given, NULL) : 10, begin, now;
    struct reader readers[READERS];
    unsigned long changes = 0, busy = 0;

    (void)state;
    stress_start(&stress, readers);
    begin = seconds();
    while ((now = seconds() - begin) < length) {
        const struct timespec nap = { 0, 200000 };

        if ((double)changes < now * 1000) {
            change(&stress, changes++ % 2 == 0, &busy);
            settle(&stress, &busy);
        } else {
            nanosleep(&nap, NULL);
        }
    }
    stress_end(&stress, readers, changes, busy);
}

int
main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(as_fast_as_it_can),
        TEST(a_thousand_times_a_second),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
