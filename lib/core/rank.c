/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rank.c - the best few of many in a heap that lives in the answer itself.
 */
#include "core/rank.h"

/* Restore the heap below place i: the last in order is at its root. */
static void
sink(cwi_before_fn *before, const void *context, uint32_t *heap, uint32_t n,
     uint32_t i)
{
    uint32_t moving = heap[i];

    while (n > 1 && i <= (n - 2) / 2) {
        uint32_t child = 2 * i + 1;

        if (child + 1 < n && before(context, heap[child], heap[child + 1]))
            child++;
        if (!before(context, moving, heap[child]))
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = moving;
}

static void
heapify(cwi_before_fn *before, const void *context, uint32_t *heap, uint32_t n)
{
    uint32_t i;

    for (i = n / 2; i-- > 0;)
        sink(before, context, heap, n, i);
}

uint32_t
cwi_rank(cwi_before_fn *before, const void *context, uint32_t count,
         uint32_t after, uint32_t *out, uint32_t n)
{
    uint32_t i, len = 0;

    for (i = 0; i < count && n > 0; i++) {
        if (after != CW_NONE && (i == after || !before(context, after, i)))
            continue;
        if (len < n) {
            out[len++] = i;
            if (len == n)
                heapify(before, context, out, len);
        } else if (before(context, i, out[0])) {
            out[0] = i;
            sink(before, context, out, len, 0);
        }
    }
    if (len < n)
        heapify(before, context, out, len);
    for (i = len; i-- > 1;) {
        uint32_t last = out[0];

        out[0] = out[i];
        out[i] = last;
        sink(before, context, out, i, 0);
    }
    return len;
}

/* Few nodes are asked for as a rule; each further pass takes more of them, so
 * that a walk over all stays below count / 256 passes or so. */
#define FIRST_PASS 16u
#define PASS_MAX   512u

void
cwi_rank_walk(cwi_before_fn *before, const void *context, uint32_t count,
              const uint32_t *node, struct cwi_walk *w)
{
    uint32_t pass[PASS_MAX];
    uint32_t n = w->want < FIRST_PASS ? w->want : FIRST_PASS;
    uint32_t after = CW_NONE, done = 0, len, i;

    for (n = n ? n : 1; done < count; done += len) {
        len = cwi_rank(before, context, count, after, pass, n);
        if (len == 0)
            return;
        for (i = 0; i < len; i++)
            if (cwi_walk_visit(w, node[pass[i]]))
                return;
        after = pass[len - 1];
        n = n * 4 < PASS_MAX ? n * 4 : PASS_MAX;
    }
}

cw_status
cwi_state_size(const struct cwi_algo_ops *self, size_t *size, size_t a,
               uint64_t n, size_t each, cw_error *err)
{
    if (each != 0 && n > (SIZE_MAX / 2 - a) / each)
        return cwi_fail(err, CW_ELIMIT,
                        "\"%s\" with %u entries does not fit this machine's "
                        "memory", self->name, n);
    *size = a + (size_t)n * each;
    return CW_OK;
}
