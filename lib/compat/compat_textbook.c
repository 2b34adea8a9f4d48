/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_textbook.c - the rings that tutorials publish: points are a 32-bit
 * FNV-1a of "node#i", or the first 8 bytes of its MD5. Their languages differ
 * in what they hash (bytes or code points), in a finaliser, and in which of
 * two equal points wins.
 */
#include <string.h>

#include "core/compat.h"
#include "core/points.h"

#define FNV_BASIS UINT32_C(2166136261)
#define FNV_PRIME UINT32_C(16777619)

/*
 * The next code point of UTF-8 at *s, which moves on. A byte that begins no
 * valid sequence stands for itself: such keys have no answer in the
 * languages that hash code points.
 */
static uint32_t
code_point(const uint8_t **s, const uint8_t *end)
{
    static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
    const uint8_t *p = *s;
    unsigned more = *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc0 ? 1 : 0;
    uint32_t c = *p;

    *s = p + 1;
    if (more == 0 || *p > 0xf4 || (size_t)(end - p) <= more)
        return c;
    c &= 0x3fu >> more;
    for (unsigned k = 1; k <= more; k++) {
        if ((p[k] & 0xc0) != 0x80)
            return *p;
        c = c << 6 | (p[k] & 0x3fu);
    }
    if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return *p;
    *s = p + 1 + more;
    return c;
}

static uint32_t
fnv1a_code_points(const void *data, size_t len)
{
    const uint8_t *s = data;
    const uint8_t *end = len ? s + len : s;
    uint32_t h = FNV_BASIS;

    while (s != end)
        h = (h ^ code_point(&s, end)) * FNV_PRIME;
    return h;
}

/* The JavaScript text finalises what the others leave as it is. */
static uint32_t
fnv1a_js(const void *data, size_t len)
{
    uint32_t h = fnv1a_code_points(data, len);

    h ^= h >> 16;
    h *= UINT32_C(0x7feb352d);
    return h ^ h >> 15;
}

/* First 8 bytes of MD5, big-endian. */
static uint64_t
md5_be(const void *data, size_t len)
{
    uint8_t digest[16];
    uint64_t h = 0;

    cwi_md5(data, len, digest);
    for (unsigned k = 0; k < 8; k++)
        h = h << 8 | digest[k];
    return h;
}

/* "node#i" in scratch; returns its length. */
static size_t
numbered(const struct cwi_label *l, uint8_t *scratch)
{
    memcpy(scratch, l->node, l->node_len);
    scratch[l->node_len] = '#';
    return l->node_len + 1 + cwi_decimal(l->i, scratch + l->node_len + 1);
}

/* The two functions of a ring whose points and keys are hashed alike. */
#define HASHED_BY(id, function)                                               \
    static void                                                               \
    id##_points(const struct cwi_placement *p, const struct cwi_label *l,     \
                uint8_t *scratch, uint64_t *out)                              \
    {                                                                         \
        (void)p;                                                              \
        *out = function(scratch, numbered(l, scratch));                       \
    }                                                                         \
                                                                              \
    static uint64_t                                                           \
    id##_key(const struct cwi_placement *p, const void *key, size_t len)      \
    {                                                                         \
        (void)p;                                                              \
        return function(key, len);                                            \
    }

HASHED_BY(bytes, cwi_fnv1a_32)
HASHED_BY(code_points, fnv1a_code_points)
HASHED_BY(js, fnv1a_js)
HASHED_BY(md5, md5_be)

/* One point a node, of the bare name. */
static void
bare_points(const struct cwi_placement *p, const struct cwi_label *l,
            uint8_t *scratch, uint64_t *out)
{
    (void)p;
    (void)scratch;
    *out = fnv1a_code_points(l->node, l->node_len);
}

static uint64_t
bare_labels(const struct cwi_placement *p, const struct cwi_nodes *nodes,
            uint32_t node)
{
    (void)p;
    return nodes->v[node].weight != 0;
}

static const struct cwi_option points_128[] = {
    { "points", "points a node", CWI_OPT_UINT, 0, 1, 1000000, "128", NULL },
    { NULL, NULL, CWI_OPT_UINT, 0, 0, 0, NULL, NULL }
};

static const struct cwi_option points_100[] = {
    { "points", "points a node", CWI_OPT_UINT, 0, 1, 1000000, "100", NULL },
    { NULL, NULL, CWI_OPT_UINT, 0, 0, 0, NULL, NULL }
};

/*
 * MINIMAL but not ORDER_FREE: of two equal points the one listed first (or
 * last) wins, and a node that is added again is listed last.
 */
#define TEXTBOOK(id, text, what, opts, key, point, number, highest, rule)     \
    static const struct cwi_compat_ring id##_ring = {                         \
        .points = point, .per_label = 1, .labels = number, .top = highest,    \
        .tie = rule                                                           \
    };                                                                        \
    const struct cwi_compat_ops cwi_compat_textbook_##id = {                  \
        .algo = {                                                             \
            .name = text, .summary = what,                                    \
            .source = "rings as published in tutorials",                      \
            .traits = CW_TRAIT_MINIMAL | CW_TRAIT_ARCS, .options = opts,      \
            .plan = cwi_compat_ring_plan, .hash_key = key,                    \
            CWI_COMPAT_RING_OPS                                               \
        },                                                                    \
        .ring = &id##_ring                                                    \
    }

TEXTBOOK(fnv1a, "textbook-fnv1a",
         "FNV-1a of the bytes of node#i (C, C++, C#, Java)", points_128,
         bytes_key, bytes_points, NULL, UINT32_MAX, CWI_TIE_FIRST);
TEXTBOOK(fnv1a_codepoints, "textbook-fnv1a-codepoints",
         "FNV-1a of the code points of node#i (Python)", points_128,
         code_points_key, code_points_points, NULL, UINT32_MAX, CWI_TIE_LAST);
TEXTBOOK(fnv1a_js, "textbook-fnv1a-js",
         "FNV-1a of code points with a finaliser (JavaScript)", points_128,
         js_key, js_points, NULL, UINT32_MAX, CWI_TIE_LAST);
TEXTBOOK(fnv1a_bare, "textbook-fnv1a-bare",
         "FNV-1a of the bare name, one point a node (Python)", NULL,
         code_points_key, bare_points, bare_labels, UINT32_MAX, CWI_TIE_LAST);
TEXTBOOK(md5, "textbook-md5",
         "first 8 bytes of MD5 of node#i, big-endian (Python)", points_100,
         md5_key, md5_points, NULL, UINT64_MAX, CWI_TIE_LAST);
