/* SPDX-License-Identifier: Apache-2.0 */
/* test_quirks.c - what hurts is told where it hurts, and nowhere else. */
#include "harness.h"

static const struct {
    const char *placement, *nodes;
    const char *phrase;         /* in one of the texts; NULL: nothing said  */
} quirks[] = {
    { "algorithm=ring", "a,b=3,c", NULL },
    { "compat=ketama160", "a,b=3,c", NULL },
    { "compat=nginx-consistent", "a,b=3,c", NULL },
    { "compat=libketama", "a,b,c", NULL },
    { "compat=libketama", "a,b=3,c", "share of the total weight" },
    { "compat=libketama", "a,b=0,c", NULL },
    { "compat=libketama", "a=1,b=9000,c=999", "\"a\" has a weight" },
    { "compat=libketama", "a=1,b=1,c=90000", "\"a\" and others" },
    { "compat=libmemcached-ketama-weighted", "a,b,c", NULL },
    { "compat=libmemcached-ketama-weighted", "a,b=2,c", "share of the total" },
    { "compat=libmemcached-ketama;hash=md5", "a,b,c", NULL },
    { "compat=libmemcached-ketama;hash=md5", "a,b=2,c", "turned the weighted" },
    { "compat=libmemcached-ketama;hash=md5;weights=off", "a,b=2,c", NULL },
    { "compat=libmemcached-ketama", "a,b,c", "above 0x7f" },
    { "compat=libmemcached-ketama-weighted;hash=crc", "a,b", "15 bits" },
    { "compat=libmemcached-ketama-weighted;hash=crc", "a", NULL },
    { "compat=twemproxy-ketama;hash=crc32", "a,b", "15 bits" },
    { "compat=twemproxy-ketama;hash=crc32a", "a,b", NULL },
    { "compat=twemproxy-ketama;hash=crc16", "a,b", "not cut to 16 bits" },
    { "compat=twemproxy-ketama;hash=md5", "a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,"
      "r,s,t,u,v,w,x,y", "156 points" },
    { "compat=twemproxy-ketama;hash=md5", "a,b,c,d,e,f,g", NULL },
    { "compat=twemproxy-modula;hash=md5", "a,b", "hash % N" },
    { "compat=haproxy-consistent", "a,b", "server ids" },
    { "compat=haproxy-consistent", "a", NULL },
    { "compat=haproxy-consistent-3-0", "a,b", "upgrade" },
    { "compat=mcrouter-ch3", "a,b", "place in the list" },
    { "compat=jedis", "a,b", "without names" },
    { "compat=jedis;names=yes", "a,b", NULL },
    { "compat=xmemcached-phpmemcache;hash=crc", "a,b", "first server" },
    { "compat=cassandra", "a,b", "made-up" },
    { "compat=riak", "a,b", "dealt out" },
    { "compat=redis-cluster", "a,b", "dealt out" },
    { "compat=grpc-ring-hash", "a,b=2", "depends on all weights" },
    { "compat=npm-consistent-hash", "a,b", "number of nodes" },
};

struct heard {
    const char *phrase;
    unsigned    texts, hits;
    int         stop;
};

static int
listen_to(void *context, const char *what, const char *remedy)
{
    struct heard *h = context;

    CHECK(strlen(what) > 20 && strlen(remedy) > 10 &&
          what[strlen(what) - 1] != '.' && remedy[strlen(remedy) - 1] != '.',
          "'%s', '%s'", what, remedy);
    h->texts++;
    h->hits += h->phrase != NULL && strstr(what, h->phrase) != NULL;
    return h->stop;
}

static void
quirks_are_told_where_they_hurt(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(quirks); i++) {
        cw_map *map = map_of_spec(quirks[i].nodes, quirks[i].placement);
        struct heard h = { quirks[i].phrase, 0, 0, 0 };

        CHECK_OK(cw_map_quirks(map, listen_to, &h));
        CHECK(quirks[i].phrase != NULL ? h.hits == 1 : h.texts == 0,
              "%s of %s: %u texts, %u with '%s'", quirks[i].placement,
              quirks[i].nodes, h.texts, h.hits,
              quirks[i].phrase ? quirks[i].phrase : "");
        cw_map_unref(map);
    }
}

static void
the_caller_can_stop_it(void **state)
{
    cw_map *map = map_of_spec("a=1,b=9000,c=999", "compat=libketama");
    struct heard h = { NULL, 0, 0, 1 };

    (void)state;
    CHECK_OK(cw_map_quirks(map, listen_to, &h));
    CHECK(h.texts == 1, "%u texts", h.texts);
    cw_map_unref(map);
}

static void
an_empty_map_has_none(void **state)
{
    cw_map *map = map_of_spec("a=0", "compat=nginx-hash");
    struct heard h = { NULL, 0, 0, 0 };

    (void)state;
    CHECK_OK(cw_map_quirks(map, listen_to, &h));
    CHECK(h.texts == 0, "%u texts", h.texts);
    cw_map_unref(map);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(quirks_are_told_where_they_hurt),
        TEST(the_caller_can_stop_it),
        TEST(an_empty_map_has_none),
    };

    return cmocka_run_group_tests_name("quirks", tests, NULL, NULL);
}
