/* SPDX-License-Identifier: Apache-2.0 */
/* algo_rows.h - one row per algorithm, in the order a reader meets them. */
#define CWI_ALGO_ROWS(ROW) \
    ROW(ring)              \
    ROW(slots)             \
    ROW(rendezvous)        \
    ROW(skeleton)          \
    ROW(multiprobe)        \
    ROW(maglev)            \
    ROW(jump)              \
    ROW(jumpback)          \
    ROW(stable_jump)       \
    ROW(modulo)            \
    ROW(directory)
