/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stress_map.c - case B29: eight threads look up while one adds and removes
 * node x a thousand times. A map is published by a pointer under a lock;
 * readers take a reference and look up without the lock. For the thread
 * sanitizer.
 */
#include <pthread.h>
#include <stdatomic.h>

#include "harness.h"

enum { READERS = 8, CHANGES = 1000, KEYS = 128 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cw_map *published;           /* under lock                           */
static atomic_int stop;
static atomic_ulong asked;

/* Owners by name with x and without, worked out before the threads start. */
static char with_x[KEYS][8], without_x[KEYS][8];

static cw_map *
take(void)
{
    cw_map *map;

    (void)pthread_mutex_lock(&lock);
    map = cw_map_ref(published);
    (void)pthread_mutex_unlock(&lock);
    return map;
}

static void
publish(cw_map *map)
{
    cw_map *old;

    (void)pthread_mutex_lock(&lock);
    old = published;
    published = map;
    (void)pthread_mutex_unlock(&lock);
    cw_map_unref(old);
}

/* 0 when every answer is that of one of the two rings. */
static long
wrong_answers(const cw_map *map)
{
    long wrong = 0;
    int has_x = cw_map_find(map, "x", 1) != CW_NONE;

    for (uint64_t k = 0; k < KEYS; k++) {
        struct key key = key_numbered("key", k);
        uint32_t owner = CW_NONE, list[3];
        cw_node node;

        if (cw_map_owner(map, key.data, key.len, &owner) != CW_OK) {
            wrong++;
            continue;
        }
        cw_map_node(map, owner, &node);
        wrong += strcmp(node.name, has_x ? with_x[k] : without_x[k]) != 0;
        wrong += cw_map_replicas(map, key.data, key.len, list, 3) != 3;
        wrong += list[0] != owner;
    }
    return wrong;
}

static void *
reader(void *result)
{
    long *wrong = result;

    while (!atomic_load(&stop)) {
        cw_map *map = take();

        *wrong += wrong_answers(map);
        cw_map_unref(map);
        (void)atomic_fetch_add(&asked, 1);
    }
    return NULL;
}

static void
remember(const cw_map *map, char names[KEYS][8])
{
    for (uint64_t k = 0; k < KEYS; k++) {
        struct key key = key_numbered("key", k);

        (void)snprintf(names[k], 8, "%s", owner_name(map, key.data, key.len));
    }
}

static void
case_B29(void **state)
{
    pthread_t threads[READERS];
    long wrong[READERS] = { 0 };
    cw_fleet *fleet = fleet_of("a,b,c,d=2,e@z");
    cw_fleet *more = fleet_of("a,b,c,d=2,e@z,x");
    cw_map *map = map_of(more, NULL);
    unsigned kept = 0;

    (void)state;
    remember(map, with_x);
    cw_map_unref(map);
    published = map_of(fleet, NULL);
    remember(published, without_x);
    for (int k = 0; k < KEYS; k++) {
        kept += strcmp(with_x[k], without_x[k]) == 0;
        CHECK(strcmp(with_x[k], without_x[k]) == 0 ||
              strcmp(with_x[k], "x") == 0, "key %d is not of x, and moves", k);
    }
    CHECK(kept > 0 && kept < KEYS, "%u of %d keys stay", kept, KEYS);
    for (int i = 0; i < READERS; i++)
        CHECK(pthread_create(&threads[i], NULL, reader, &wrong[i]) == 0,
              "no thread");
    for (int i = 0; i < CHANGES; i++) {
        fleet_add(fleet, "x", CW_WEIGHT_ONE);
        publish(map_of(fleet, NULL));
        CHECK_OK(cw_fleet_remove(fleet, "x", 1, NULL));
        publish(map_of(fleet, NULL));
    }
    while (atomic_load(&asked) < READERS)
        ;                           /* on a busy machine readers start late */
    atomic_store(&stop, 1);
    for (int i = 0; i < READERS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0, "join");
    for (int i = 0; i < READERS; i++)
        CHECK(wrong[i] == 0, "reader %d: %ld wrong answers", i, wrong[i]);
    publish(NULL);
    cw_fleet_free(fleet);
    cw_fleet_free(more);
}

int
main(void)
{
    const struct CMUnitTest tests[] = { TEST(case_B29) };

    return cmocka_run_group_tests_name("stress_map", tests, NULL, NULL);
}
