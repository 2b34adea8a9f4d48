/* SPDX-License-Identifier: Apache-2.0 */
/* evidence_rows.h - one row a format; those that claim a line most strictly
 * come first, and key lists, which take any line, last. */
#ifndef EVIDENCE_ROWS_H
#define EVIDENCE_ROWS_H

#define EVIDENCE_ROWS(ROW) \
    ROW(watch)             \
    ROW(metadump)          \
    ROW(mgdump)            \
    ROW(monitor)           \
    ROW(stats)             \
    ROW(info)              \
    ROW(twemproxy)         \
    ROW(trace)             \
    ROW(access)            \
    ROW(keys)

#endif
