/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_libmemcached.c - the distributions of libmemcached 1.1. Rules and
 * quirks: docs/formats/libmemcached.md.
 */
#include "compat/compat_quirks.h"
#include "compat/compat_libmemcached.h"

#include "compat/compat_hashkit.h"
#include "compat/compat_list.h"

/* ---- options ----------------------------------------------------------- */

enum { HASH, CHAR, SORT, PREFIX, WEIGHTS, POINT_HASH };     /* slots */
enum { WEIGHTS_AUTO, WEIGHTS_ON, WEIGHTS_OFF };

/* HASHES and hash_kinds[] have the same order; POINT_HASHES begins with one
 * word more. */
#define HASHES \
    "default md5 crc fnv1_64 fnv1a_64 fnv1_32 fnv1a_32 hsieh murmur murmur3 " \
    "jenkins"
#define POINT_HASHES "same " HASHES

static const enum cwi_hashkit hash_kinds[] = {
    CWI_HASHKIT_ONE_AT_A_TIME, CWI_HASHKIT_MD5, CWI_HASHKIT_CRC15,
    CWI_HASHKIT_FNV1_64, CWI_HASHKIT_FNV1A_64, CWI_HASHKIT_FNV1_32,
    CWI_HASHKIT_FNV1A_32, CWI_HASHKIT_HSIEH, CWI_HASHKIT_MURMUR,
    CWI_HASHKIT_MURMUR3, CWI_HASHKIT_JENKINS
};

#define OPTION_HASH(fallback) \
    { "hash", "MEMCACHED_BEHAVIOR_HASH: hash of the keys", CWI_OPT_ENUM, \
      HASH, 0, 0, fallback, HASHES }
#define OPTION_CHAR \
    { "char", "how bytes above 0x7f are read: signed on x86, unsigned on ARM", \
      CWI_OPT_ENUM, CHAR, 0, 0, "signed", "signed unsigned" }
#define OPTION_SORT \
    { "sort-hosts", "MEMCACHED_BEHAVIOR_SORT_HOSTS", CWI_OPT_ENUM, SORT, 0, \
      0, "no", "no yes" }
#define OPTION_PREFIX \
    { "prefix", "namespace, with HASH_WITH_PREFIX_KEY only", CWI_OPT_TEXT, \
      PREFIX, 0, CWI_TEXT_MAX, "", NULL }

const struct cwi_option cwi_libmemcached_options_md5[] = {
    OPTION_HASH("md5"), OPTION_CHAR, OPTION_SORT, OPTION_PREFIX,
    CWI_OPTIONS_END
};

const struct cwi_option cwi_libmemcached_options_default[] = {
    OPTION_HASH("default"), OPTION_CHAR, OPTION_SORT, OPTION_PREFIX,
    CWI_OPTIONS_END
};

const struct cwi_option cwi_libmemcached_options_ring[] = {
    OPTION_HASH("default"), OPTION_CHAR, OPTION_SORT, OPTION_PREFIX,
    { "weights", "auto: on as soon as a server weighs more than 1",
      CWI_OPT_ENUM, WEIGHTS, 0, 0, "auto", "auto on off" },
    { "point-hash", "hash of the points, when it was set after the servers",
      CWI_OPT_ENUM, POINT_HASH, 0, 0, "same", POINT_HASHES },
    CWI_OPTIONS_END
};

/* ---- keys -------------------------------------------------------------- */

#define KEY_MAX 250u    /* with its prefix; a longer one hashes to 0 */

uint64_t
cwi_libmemcached_hash(const struct cwi_placement *p, const void *key,
                      size_t len)
{
    enum cwi_hashkit kind = hash_kinds[p->num[HASH]];
    enum cwi_char s = (enum cwi_char)p->num[CHAR];
    uint8_t text[KEY_MAX];
    size_t prefix = p->text_len[PREFIX];

    if (prefix == 0)
        return cwi_hashkit(kind, key, len, s);
    if (prefix + len > KEY_MAX)
        return 0;
    cwi_put(cwi_put(text, p->text[PREFIX], prefix), key, len);
    return cwi_hashkit(kind, text, prefix + len, s);
}

/* Many keys by MD5, which is the hash of most such fleets, go in lanes. */
void
cwi_libmemcached_hash_keys(const struct cwi_placement *p, const cw_key *keys,
                           size_t n, uint64_t *out)
{
    if (hash_kinds[p->num[HASH]] == CWI_HASHKIT_MD5 &&
        p->text_len[PREFIX] == 0) {
        cwi_compat_md5_keys(p, keys, n, out);
        return;
    }
    for (size_t i = 0; i < n; i++)
        out[i] = cwi_libmemcached_hash(p, keys[i].data, keys[i].len);
}

static uint64_t
key_top(const struct cwi_placement *p)
{
    return cwi_hashkit_top(hash_kinds[p->num[HASH]]);
}

/* ---- rings ------------------------------------------------------------- */

static void
hash_point(const struct cwi_placement *p, const uint8_t *label, uint8_t *end,
           uint64_t i, uint64_t *out)
{
    uint64_t hash = p->num[POINT_HASH] ? p->num[POINT_HASH] - 1
                                       : p->num[HASH];

    end = cwi_put_number(cwi_put_text(end, "-"), i);
    *out = cwi_hashkit(hash_kinds[hash], label, (size_t)(end - label),
                       (enum cwi_char)p->num[CHAR]);
}

static size_t
weighted_head(const struct cwi_placement *p, const struct cwi_label *l,
              uint8_t *out)
{
    uint8_t *end = cwi_put_short(out, l->node, l->node_len);

    (void)p;
    return (size_t)(cwi_put_text(end, "-") - out);
}

static void
plain_points(const struct cwi_placement *p, const struct cwi_label *l,
             uint8_t *scratch, uint64_t *out)
{
    hash_point(p, scratch, cwi_put_short(scratch, l->node, l->node_len),
               l->i, out);
}

/* "/host:port", whether or not the label begins with the slash. */
static uint8_t *
put_spy(uint8_t *at, const struct cwi_label *l)
{
    if (l->node[0] != '/')
        at = cwi_put_text(at, "/");
    return cwi_put_full(at, l->node, l->node_len);
}

static size_t
spy_weighted_head(const struct cwi_placement *p, const struct cwi_label *l,
                  uint8_t *out)
{
    (void)p;
    return (size_t)(cwi_put_text(put_spy(out, l), "-") - out);
}

static void
spy_plain_points(const struct cwi_placement *p, const struct cwi_label *l,
                 uint8_t *scratch, uint64_t *out)
{
    hash_point(p, scratch, put_spy(scratch, l), l->i, out);
}

/* By host, then by port. */
static int
sort_hosts(const struct cwi_node *a, const struct cwi_node *b)
{
    struct cwi_hostport x = cwi_split_port(a->label, a->label_len);
    struct cwi_hostport y = cwi_split_port(b->label, b->label_len);
    uint64_t x_port = 0, y_port = 0;
    size_t n = x.host.len < y.host.len ? x.host.len : y.host.len;
    int c = memcmp(x.host.p, y.host.p, n);

    if (c != 0 || x.host.len != y.host.len)
        return c != 0 ? c < 0 : x.host.len < y.host.len;
    for (size_t i = 0; i < x.port.len; i++)
        x_port = x_port * 10 + (x.port.p[i] - '0');
    for (size_t i = 0; i < y.port.len; i++)
        y_port = y_port * 10 + (y.port.p[i] - '0');
    return (x.port.len ? x_port : 11211) < (y.port.len ? y_port : 11211);
}

#define WEIGHTED_RING(head, order)                          \
    { .md5_head = head, .per_label = 4,                     \
      .labels = cwi_ketama_labels, .top = UINT32_MAX,       \
      .before = order, .top_of = key_top }
#define PLAIN_RING(points_function, order)                  \
    { .points = points_function, .per_label = 1,            \
      .labels = cwi_labels_100, .top = UINT32_MAX,          \
      .before = order, .top_of = key_top }

/* [0] as listed, [1] with SORT_HOSTS. */
static const struct cwi_compat_ring weighted[2] = {
    WEIGHTED_RING(weighted_head, NULL),
    WEIGHTED_RING(weighted_head, sort_hosts)
};
static const struct cwi_compat_ring plain[2] = {
    PLAIN_RING(plain_points, NULL), PLAIN_RING(plain_points, sort_hosts)
};
static const struct cwi_compat_ring spy_weighted[2] = {
    WEIGHTED_RING(spy_weighted_head, NULL),
    WEIGHTED_RING(spy_weighted_head, sort_hosts)
};
static const struct cwi_compat_ring spy_plain[2] = {
    PLAIN_RING(spy_plain_points, NULL),
    PLAIN_RING(spy_plain_points, sort_hosts)
};

static int
weights_count(const struct cwi_placement *p, const struct cwi_nodes *nodes)
{
    if (p->num[WEIGHTS] != WEIGHTS_AUTO)
        return p->num[WEIGHTS] == WEIGHTS_ON;
    for (uint32_t i = 0; i < nodes->n; i++) {
        if (nodes->v[i].weight > CW_WEIGHT_ONE)
            return 1;
    }
    return 0;
}

const struct cwi_compat_ring *
cwi_libmemcached_weighted(const struct cwi_placement *p,
                          const struct cwi_nodes *nodes)
{
    (void)nodes;
    return &weighted[p->num[SORT]];
}

const struct cwi_compat_ring *
cwi_libmemcached_plain(const struct cwi_placement *p,
                       const struct cwi_nodes *nodes)
{
    return weights_count(p, nodes) ? &weighted[p->num[SORT]]
                                   : &plain[p->num[SORT]];
}

static const struct cwi_compat_ring *
choose_spy_weighted(const struct cwi_placement *p,
                    const struct cwi_nodes *nodes)
{
    (void)nodes;
    return &spy_weighted[p->num[SORT]];
}

static const struct cwi_compat_ring *
choose_spy(const struct cwi_placement *p, const struct cwi_nodes *nodes)
{
    return weights_count(p, nodes) ? &spy_weighted[p->num[SORT]]
                                   : &spy_plain[p->num[SORT]];
}

/* Weights are 32-bit numbers there. */
cw_status
cwi_libmemcached_ring_plan(const struct cwi_algo_ops *self,
                           const struct cwi_nodes *nodes,
                           const struct cwi_placement *p,
                           struct cwi_plan *out, cw_error *err)
{
    cw_status st = cwi_whole_weights(self, nodes, UINT32_MAX, err);

    return st == CW_OK ? cwi_compat_ring_plan(self, nodes, p, out, err) : st;
}

/* ---- modula ------------------------------------------------------------ */

cw_status
cwi_libmemcached_modula_plan(const struct cwi_algo_ops *self,
                             const struct cwi_nodes *nodes,
                             const struct cwi_placement *p,
                             struct cwi_plan *out, cw_error *err)
{
    (void)self;
    (void)err;
    return cwi_list_plan(nodes, key_top(p), out);
}

void
cwi_libmemcached_modula_build(const struct cwi_algo_ops *self, void *state,
                              void *scratch, const struct cwi_nodes *nodes,
                              const struct cwi_placement *p)
{
    (void)self;
    cwi_list_build(state, scratch, key_top(p), nodes, CWI_LIST_EQUAL,
                   p->num[SORT] ? sort_hosts : NULL);
}

/* ---- quirks ------------------------------------------------------------ */

static int
turned_on(const struct cwi_placement *p, const struct cwi_nodes *nodes,
          uint64_t top)
{
    /* The weighted rows have no such option. */
    int automatic = p->algo->options == cwi_libmemcached_options_ring;

    (void)top;
    return automatic && p->num[WEIGHTS] == WEIGHTS_AUTO &&
           weights_count(p, nodes);
}

static const struct cwi_quirk quirk_turned_on = {
    turned_on,
    "a weight above 1 turned the weighted ring on, a change of scheme: every "
    "server has other points than with weights of 1",
    "treat a first weight above 1 as a move to another placement"
};

static int
shared(const struct cwi_placement *p, const struct cwi_nodes *nodes,
       uint64_t top)
{
    int by_weight = p->algo->options != cwi_libmemcached_options_ring ||
                   weights_count(p, nodes);

    return by_weight && cwi_quirk_share.applies(p, nodes, top);
}

static const struct cwi_quirk quirk_shared = {
    shared,
    "points are a share of the total weight: a change of one node moves keys "
    "between the others",
    "equal weights, or \"ring\" and other placements with the trait minimal; "
    "clockwise plan --placement shows what the move costs"
};

static int
rounded(const struct cwi_placement *p, const struct cwi_nodes *nodes,
        uint64_t top)
{
    int by_weight = p->algo->options != cwi_libmemcached_options_ring ||
                   weights_count(p, nodes);

    return by_weight && cwi_quirk_float.applies(p, nodes, top);
}

static const struct cwi_quirk quirk_rounded = {
    rounded,
    "32-bit floats give each node 156 points, not 160: a client that rounds "
    "in another way disagrees on 2 to 3 % of the keys",
    "one more or one less node, or the same client everywhere"
};

static int
too_many(const struct cwi_placement *p, const struct cwi_nodes *nodes,
         uint64_t top)
{
    (void)p;
    (void)top;
    return nodes->active > 100;
}

static const struct cwi_quirk quirk_100 = {
    too_many,
    "libmemcached refuses more than 100 servers",
    "a proxy in front, or several pools"
};

static int
reads_char(const struct cwi_placement *p, const struct cwi_nodes *nodes,
           uint64_t top)
{
    (void)nodes;
    (void)top;
    return cwi_hashkit_reads_char(hash_kinds[p->num[HASH]]);
}

static const struct cwi_quirk quirk_char = {
    reads_char,
    "bytes above 0x7f have another hash on processors where char is "
    "unsigned, such as ARM",
    "ASCII keys, or `char` as on the machines of the fleet"
};

const struct cwi_quirk *const cwi_libmemcached_quirks[] = {
    &quirk_turned_on, &quirk_shared, &quirk_rounded, &cwi_quirk_narrow,
    &quirk_100, &quirk_char, NULL
};

/* ---- rows -------------------------------------------------------------- */

#define SOURCE "libmemcached 1.1.4, hosts.cc"

#define RING_ROW(id, text, about, option_list, chooser)                 \
    const struct cwi_compat_ops cwi_compat_##id = {                     \
        .algo = {                                                       \
            .name       = text,                                         \
            .summary    = about,                                        \
            .source     = SOURCE,                                       \
            .quirks     = cwi_libmemcached_quirks,                      \
            .traits     = CWI_WHOLE_WEIGHTS | CW_TRAIT_ARCS,            \
            .options    = option_list,                                  \
            .plan       = cwi_libmemcached_ring_plan,                   \
            .hash_key   = cwi_libmemcached_hash,                        \
            .hash_keys  = CWI_UNLESS_PAGE(cwi_libmemcached_hash_keys),        \
            .hash_reads = CWI_LIBMEMCACHED_HASH_READS,                  \
            CWI_COMPAT_RING_OPS                                         \
        },                                                              \
        .choose = chooser                                               \
    }

RING_ROW(libmemcached_ketama_weighted, "libmemcached-ketama-weighted",
         "KETAMA_WEIGHTED: MD5 points in proportion to the total weight",
         cwi_libmemcached_options_md5, cwi_libmemcached_weighted);

RING_ROW(libmemcached_ketama, "libmemcached-ketama",
         "KETAMA: 100 points of the key hash, weighted once a weight is > 1",
         cwi_libmemcached_options_ring, cwi_libmemcached_plain);

RING_ROW(libmemcached_consistent, "libmemcached-consistent",
         "DISTRIBUTION_CONSISTENT: the same ring as KETAMA",
         cwi_libmemcached_options_ring, cwi_libmemcached_plain);

RING_ROW(libmemcached_ketama_spy_weighted, "libmemcached-ketama-spy-weighted",
         "as KETAMA_WEIGHTED with labels like those of spymemcached",
         cwi_libmemcached_options_md5, choose_spy_weighted);

RING_ROW(libmemcached_ketama_spy, "libmemcached-ketama-spy",
         "as KETAMA with labels like those of spymemcached",
         cwi_libmemcached_options_ring, choose_spy);

const struct cwi_compat_ops cwi_compat_libmemcached_modula = {
    .algo = {
        .name       = "libmemcached-modula",
        .quirks     = cwi_quirks_modulo_hash,
        .summary    = "MODULA: hash % number of servers, weights ignored",
        .source     = SOURCE,
        .traits     = 0,
        .options    = cwi_libmemcached_options_default,
        .plan       = cwi_libmemcached_modula_plan,
        .build      = cwi_libmemcached_modula_build,
        .hash_key   = cwi_libmemcached_hash,
        .hash_reads = CWI_LIBMEMCACHED_HASH_READS,
        CWI_COMPAT_LIST_OPS
    }
};
