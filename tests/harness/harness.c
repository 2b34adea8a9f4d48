/* SPDX-License-Identifier: Apache-2.0 */
/*
 * harness.c - checks, random numbers, failing memory, keys and answers.
 */
#include "harness.h"

void
check_failed(const char *file, int line, const char *cond, const char *format,
             ...)
{
    char text[2048];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    print_error("%s:%d: %s\n    must hold: %s\n", file, line, text, cond);
    _fail(file, line);
    abort();            /* not reached: a failed test is left by longjmp */
}

/* ---- random numbers ---------------------------------------------------- */

uint64_t
test_seed(void)
{
    static uint64_t seed;
    static int known;

    if (!known) {
        const char *text = getenv("CW_TEST_SEED");

        seed = text != NULL ? strtoull(text, NULL, 0) : 20240229u;
        known = 1;
        print_message("CW_TEST_SEED=%" PRIu64 "\n", seed);
    }
    return seed;
}

uint64_t
rng_next(struct rng *rng)
{
    uint64_t x = rng->state += UINT64_C(0x9e3779b97f4a7c15);

    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

uint64_t
rng_below(struct rng *rng, uint64_t n)
{
    return rng_next(rng) % n;
}

/* ---- memory that fails ------------------------------------------------- */

static void *
failing_alloc(void *context, size_t size)
{
    struct failing *f = context;
    void *memory;

    if (++f->calls == f->fail_at)
        return NULL;
    memory = must_alloc(size);
    memset(memory, 0xaa, size);     /* nobody may count on zeroes */
    f->live++;
    return memory;
}

static void
failing_free(void *context, void *memory)
{
    struct failing *f = context;

    CHECK(memory != NULL, "the allocator was given NULL to free");
    f->live--;
    free(memory);
}

void
failing_init(struct failing *f, unsigned long fail_at)
{
    memset(f, 0, sizeof *f);
    f->allocator.alloc = failing_alloc;
    f->allocator.free = failing_free;
    f->allocator.context = f;
    f->fail_at = fail_at;
}

unsigned long
every_allocation_fails(const char *what,
                       cw_status (*attempt)(struct failing *f, void *context),
                       void *context)
{
    for (unsigned long n = 1; n < 10000; n++) {
        struct failing f;
        cw_status status;

        failing_init(&f, n);
        status = attempt(&f, context);
        CHECK(f.live == 0, "%s: %ld blocks left when allocation %lu failed",
              what, f.live, n);
        if (f.calls < n) {
            CHECK(status == CW_OK, "%s: %s although nothing failed", what,
                  cw_status_text(status));
            return n - 1;
        }
        CHECK(status == CW_ENOMEM, "%s: allocation %lu failed, status is %s",
              what, n, cw_status_text(status));
    }
    CHECK(0, "%s: never succeeds", what);
}

void *
must_alloc(size_t size)
{
    void *memory = malloc(size > 0 ? size : 1);

    CHECK(memory != NULL, "no %zu bytes for the test itself", size);
    return memory;
}

/* ---- keys and answers -------------------------------------------------- */

struct key
key_numbered(const char *prefix, uint64_t i)
{
    struct key key;

    memset(&key, 0, sizeof key);
    key.len = (size_t)snprintf(key.data, sizeof key.data, "%s%" PRIu64,
                               prefix, i);
    CHECK(key.len < sizeof key.data, "prefix %s is too long", prefix);
    return key;
}

struct key
key_random(struct rng *rng)
{
    struct key key;

    memset(&key, 0, sizeof key);
    key.len = (size_t)rng_below(rng, 33);
    for (size_t i = 0; i < key.len; i++)
        key.data[i] = (char)(unsigned char)rng_below(rng, 256);
    return key;
}

uint32_t
owner_of(const cw_map *map, const void *key, size_t len)
{
    uint32_t owner = CW_NONE;

    CHECK_OK(cw_map_owner(map, key, len, &owner));
    CHECK(owner < cw_map_count(map), "owner %" PRIu32 " of %" PRIu32 " nodes",
          owner, cw_map_count(map));
    return owner;
}

const char *
node_name(const cw_map *map, uint32_t i)
{
    cw_node node;

    CHECK(i < cw_map_count(map), "node %" PRIu32 " of %" PRIu32, i,
          cw_map_count(map));
    cw_map_node(map, i, &node);
    return node.name;
}

const char *
owner_name(const cw_map *map, const void *key, size_t len)
{
    return node_name(map, owner_of(map, key, len));
}

const char *
owner_name_at(const cw_map *map, uint64_t position)
{
    uint32_t owner = CW_NONE;

    CHECK_OK(cw_map_owner_position(map, position, &owner));
    return node_name(map, owner);
}

int
same_node(const cw_map *a, uint32_t i, const cw_map *b, uint32_t j)
{
    cw_node x, y;

    if (i == CW_NONE || j == CW_NONE)
        return i == j;
    cw_map_node(a, i, &x);
    cw_map_node(b, j, &y);
    return x.name_len == y.name_len &&
           memcmp(x.name, y.name, x.name_len) == 0;
}
