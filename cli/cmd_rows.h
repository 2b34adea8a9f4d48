/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_rows.h - one row per command, in the order of the help. */
#ifndef CMD_ROWS_H
#define CMD_ROWS_H

#define CMD_ROWS(ROW) \
    ROW(route)        \
    ROW(share)        \
    ROW(diff)         \
    ROW(plan)         \
    ROW(draw)         \
    ROW(compare)      \
    ROW(bound)        \
    ROW(verify)       \
    ROW(advise)       \
    ROW(diagnose)     \
    ROW(top)          \
    ROW(import)       \
    ROW(export)       \
    ROW(check)        \
    ROW(identify)     \
    ROW(fingerprint)  \
    ROW(list)         \
    ROW(chord)        \
    ROW(claims)       \
    ROW(help)

#endif
