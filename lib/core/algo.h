/* SPDX-License-Identifier: Apache-2.0 */
/*
 * algo.h - what a placement provides: the plug-in interface of lib/algo and
 * lib/compat.
 *
 * A placement is one file lib/algo/algo_NAME.c that defines
 * `const struct cwi_algo_ops cwi_algo_NAME`, and one row in algo_rows.h
 * (compat rows: compat.h). The rest of the library, the tool and the tests
 * find it through the table.
 */
#ifndef CWI_ALGO_H
#define CWI_ALGO_H

#include "clockwise/clockwise.h"
#include "core/hash.h"

__extension__ typedef unsigned __int128 cwi_u128;

/* ---- what a placement is given ----------------------------------------- */

/*
 * The nodes of a map in their numbering: by label and name for rows with
 * CW_TRAIT_ORDER_FREE (so that a smaller number wins a tie), in list order
 * for the others. Nodes of weight 0 are among them.
 */
struct cwi_node {
    const uint8_t  *name;
    const uint8_t  *label;
    const uint8_t  *zone;
    const uint64_t *positions;      /* explicit ones, position_count        */
    uint64_t        weight;         /* millionths                           */
    uint32_t        name_len;
    uint32_t        label_len;
    uint32_t        zone_len;       /* 0: a zone of its own                 */
    uint32_t        position_count;
};

struct cwi_nodes {
    const struct cwi_node *v;
    uint32_t               n;
    uint32_t               active;  /* nodes of weight > 0                  */
    uint64_t               total;   /* sum of weights                       */
};

/* Options of a row: at most so many numbers and short texts. */
#define CWI_OPTION_MAX 8u
#define CWI_TEXT_MAX   31u

enum cwi_option_kind {
    CWI_OPT_UINT,       /* num[slot]: min..max                              */
    CWI_OPT_SIZE,       /* num[slot]: value - 1; 2..2^64 as decimal digits  */
    CWI_OPT_TEXT,       /* text[slot], text_len[slot]: min..max bytes       */
    CWI_OPT_ENUM,       /* num[slot]: index into the names of `choices`     */
    CWI_OPT_HASH,       /* placement->hash; choices limits it if not NULL   */
    CWI_OPT_KEY         /* placement->hash_key: 32 hex digits               */
};

struct cwi_option {
    const char          *name;      /* as in fleet files: "points"          */
    const char          *summary;
    enum cwi_option_kind kind;
    unsigned             slot;      /* index into num[] or text[]           */
    uint64_t             min, max;
    const char          *fallback;  /* default as text, NULL: may be absent */
    const char          *choices;   /* space-separated names, or NULL       */
};

/* A placement with its options: copied into each map, which holds the pins. */
struct cwi_placement {
    const struct cwi_algo_ops *algo;
    const struct cwi_hash_ops *hash;        /* of the key, never NULL       */
    struct cw_pins            *pins;        /* held; NULL: none             */
    struct cwi_hash_key        hash_key;
    uint64_t                   num[CWI_OPTION_MAX];
    uint8_t                    text_len[CWI_OPTION_MAX];
    char                       text[CWI_OPTION_MAX][CWI_TEXT_MAX + 1];
    uint32_t                   given;       /* bit j: option j of the row was
                                               set, not defaulted           */
};

struct cwi_walk;

/* Something of a program that hurts those who use it. */
struct cwi_quirk {
    /* Does it hurt this fleet? top: largest position. NULL: always. */
    int       (*applies)(const struct cwi_placement *p,
                         const struct cwi_nodes *nodes, uint64_t top);
    const char *what;
    const char *remedy;
};

/* ---- what a placement does --------------------------------------------- */

/*
 * A member that the page's module never calls: maps there are not checked,
 * each is built afresh, and keys are hashed one by one. CWI_PAGE leaves it
 * out, and with it all that only the member keeps alive.
 */
#ifdef CWI_PAGE
#define CWI_UNLESS_PAGE(fn) (1 ? NULL : (fn))
#else
#define CWI_UNLESS_PAGE(fn) (fn)
#endif

/* What a row says before it is built. */
struct cwi_plan {
    size_t   state;     /* bytes of state                                   */
    size_t   scratch;   /* bytes needed only while building                 */
    uint64_t top;       /* largest position; UINT64_MAX if it has no ring   */
    uint64_t points;    /* in all; 0 for a row without points               */
};

struct cwi_point;           /* points.h */

/* Does a stand before b? */
typedef int cwi_node_before(const struct cwi_node *a,
                            const struct cwi_node *b);

enum cwi_tie {
    CWI_TIE_FIRST,      /* the node listed first wins equal points (first
                           by label and name in ORDER_FREE rows)            */
    CWI_TIE_LAST,
    CWI_TIE_TURN        /* of k nodes at a point, number position % k       */
};

/* What decides about a ring besides its nodes, one by one. */
struct cwi_rule {
    const void      *ring;      /* the row's own, for cwi_patch: fleets with
                                   another one share no point. NULL: a point
                                   depends on those around it               */
    enum cwi_tie     tie;
    cwi_node_before *before;    /* sorts nodes for ties; NULL: as they are  */
    int              by_place;  /* points depend on the node's number       */
    int              by_order;  /* how many they are, on the nodes before,
                                   in the order of a build                  */
};

/* Bytes of scratch for the texts that points are made of. */
#define CWI_TEXT_ROOM(label_len) (16u * (2u * (size_t)(label_len) + 64u))

/*
 * Rows whose points can be made node by node, given how many each one has:
 * for maps from older ones and for changes in place. A fleet's change is of
 * no use to them (it is built) unless most nodes keep their number of points.
 */
struct cwi_patch {
    /* The rule for a fleet; called for each map that is built. */
    void     (*rule)(const struct cwi_placement *p,
                     const struct cwi_nodes *nodes, struct cwi_rule *out);

    /* How many points each node has: out[nodes->n]. Of rows with
     * CW_TRAIT_MINIMAL it is the same in each fleet, so that they need not
     * be asked about all others. */
    void     (*counts)(const struct cwi_placement *p,
                       const struct cwi_rule *rule,
                       const struct cwi_nodes *nodes, uint64_t *out);

    /* The first n of its points, which are the same however many it has.
     * text: CWI_TEXT_ROOM(label_len) bytes. */
    void     (*points)(const struct cwi_placement *p,
                       const struct cwi_rule *rule,
                       const struct cwi_node *node, uint32_t number,
                       uint64_t n, uint8_t *text, struct cwi_point *out);
};

/* An older map of the same placement and rule, for cwi_points_derive(),
 * which may change all but the state. */
struct cwi_older {
    const void     *state;
    uint32_t       *before;     /* [new node]: its number in the older map if
                                   label, positions and the number of points
                                   are the same there, else CW_NONE         */
    uint32_t       *after;      /* [older node]: the reverse                */
};

struct cwi_algo_ops {
    const char *name;       /* as written in fleet files and commands       */
    const char *summary;    /* one line, for `clockwise list`               */
    const char *source;     /* paper or program                             */
    unsigned    traits;     /* of enum cw_trait                             */

    const struct cwi_option *options;   /* ends with a row without name;
                                           NULL for none                    */

    /*
     * Check nodes and options, and say how much memory the build needs. The
     * only place where a row may refuse: text goes to err (cwi_fail()).
     */
    cw_status (*plan)(const struct cwi_algo_ops *self,
                      const struct cwi_nodes *nodes,
                      const struct cwi_placement *p, struct cwi_plan *out,
                      cw_error *err);

    /*
     * Fill zeroed state, which starts on a 64-byte boundary and may hold no
     * pointers. No allocation, no failure. Not called when no node is active.
     */
    void      (*build)(const struct cwi_algo_ops *self, void *state,
                       void *scratch, const struct cwi_nodes *nodes,
                       const struct cwi_placement *p);

    /*
     * Its state is that of points.h, all of it written by its build: a map
     * may be derived from an older one, and a live map be patched in place.
     * NULL: always built afresh.
     */
    const struct cwi_patch *patch;

    /*
     * The hash of a key. NULL: p->hash over the key's bytes. A row with its
     * own rule (part of a digest, a hash tag, code points) has it here.
     */
    uint64_t  (*hash_key)(const struct cwi_placement *p, const void *key,
                          size_t len);

    /* The same for n keys, where that is faster than one by one; or NULL. */
    void      (*hash_keys)(const struct cwi_placement *p, const cw_key *keys,
                           size_t n, uint64_t *out);
    unsigned  hash_reads;   /* bit i: hash_key reads num[i] or text[i]      */

    const struct cwi_quirk *const *quirks;  /* ends with NULL; NULL: none   */

    /*
     * Owner of a position (0 .. top) for rows with CW_TRAIT_ARCS, of a hash
     * for the others. Reads only state; called by many threads at once, only
     * when a node is active. NULL for rows that have owner_key.
     */
    uint32_t  (*find)(const void *state, uint64_t at);

    /*
     * The preference list: hand the nodes to cwi_walk_visit() in order, the
     * owner first, until it returns nonzero or every node that owns anything
     * was visited. Repeats are allowed and cost little; active nodes that
     * were not visited follow in order of their numbers.
     */
    void      (*walk)(const void *state, uint64_t at, struct cwi_walk *w);

    /* In place of find and walk: rows that need the key's bytes. */
    uint32_t  (*owner_key)(const void *state, const void *key, size_t len);
    void      (*walk_key)(const void *state, const void *key, size_t len,
                          struct cwi_walk *w);

    /*
     * CW_TRAIT_ARCS: a stretch of one owner that begins at position `from`
     * and ends at *last <= top; the next may have the same owner. *cursor is
     * 0 for the first call, which has from = 0; each later call has the same
     * cursor and from = *last + 1.
     */
    void      (*arc)(const void *state, uint64_t *cursor, uint64_t from,
                     uint64_t *last, uint32_t *owner);

    /*
     * Rows without arcs whose shares are known all the same: add to num[i]
     * the positions (of top + 1) that node i owns. NULL: what weights say.
     */
    void      (*share)(const void *state, cwi_u128 *num);

    /* Add to per_node[i] the points of node i. NULL when there are none. */
    void      (*count)(const void *state, uint64_t *per_node);

    /* NULL when sound, else the broken rule. NULL: nothing to check. */
    const char *(*check)(const void *state, const struct cwi_nodes *nodes);
};

/* Rows by number, and by name. */
unsigned cwi_algo_count(void);
const struct cwi_algo_ops *cwi_algo_at(unsigned i);
const struct cwi_algo_ops *cwi_algo_find(const char *name, size_t len);

/* ---- help for rows ----------------------------------------------------- */

/*
 * Fill err (may be NULL) and return status. format knows
 *     %s  const char *             a string as it is
 *     %n  const void *, size_t     a name, quoted, unprintable bytes escaped,
 *                                  cut after 80 bytes with "..."
 *     %u  uint64_t                 decimal
 *     %w  uint64_t                 a weight in millionths, as a decimal
 */
cw_status cwi_fail(cw_error *err, cw_status status, const char *format, ...);

/* The refusal of rows without CW_TRAIT_WEIGHTED: CW_OK when all weights
 * above 0 are equal. */
cw_status cwi_equal_weights(const struct cwi_algo_ops *self,
                            const struct cwi_nodes *nodes, cw_error *err);

/*
 * order becomes the numbers of all nodes, sorted by `before` (equal ones, or
 * all when it is NULL, in list order). spare has room for as many.
 */
void cwi_order_nodes(uint32_t *order, uint32_t *spare,
                     const struct cwi_nodes *nodes, cwi_node_before *before);

/* Points or buckets of a node: max(1, (weight * per_one + 500000) / 1000000),
 * 0 for weight 0. per_one below 2^31. */
static inline uint64_t
cwi_weight_points(uint64_t weight, uint64_t per_one)
{
    uint64_t n;

    if (weight == 0)
        return 0;
    n = (uint64_t)(((cwi_u128)weight * per_one + 500000u) / 1000000u);
    return n ? n : 1;
}

/* High 64 bits of a product: maps a 64-bit hash to 0 .. n - 1. */
static inline uint64_t
cwi_mulhi64(uint64_t a, uint64_t b)
{
    return (uint64_t)(((cwi_u128)a * b) >> 64);
}

/*
 * What a walk collects: distinct nodes, at first one a zone if asked. A bit a
 * node on the caller's stack while they fit, else a scan of what was taken.
 */
#define CWI_SEEN_BITS 65536u

struct cwi_walk {
    const struct cw_map *map;
    uint32_t            *out;
    uint32_t             len;       /* taken so far                         */
    uint32_t             want;      /* stop at                              */
    int                  by_zone;   /* take no second node of a zone        */
    uint64_t             seen[CWI_SEEN_BITS / 64];
};

/* The next node of a preference list. Nonzero: enough, end the walk. */
int cwi_walk_visit(struct cwi_walk *w, uint32_t node);

/* Most points a map may have. */
#define CWI_POINTS_MAX (UINT64_C(1) << 31)

/* Number of the n rising values below `at`, found without a branch on them,
 * which nobody foresees. O(log n). */
static inline uint32_t
cwi_count_below(const uint64_t *v, uint32_t n, uint64_t at)
{
    const uint64_t *base = v;

    if (n == 0)
        return 0;
    while (n > 1) {
        uint32_t half = n / 2;

        base += half & (0u - (uint32_t)(base[half - 1] < at));
        n -= half;
    }
    return (uint32_t)(base - v) + (*base < at);
}

#endif
