/* SPDX-License-Identifier: Apache-2.0 */
/* conf_rows.h - one row per format of fleet files; the first one that claims
 * the content reads it, so the one that takes anything is last. */
#ifndef CONF_ROWS_H
#define CONF_ROWS_H

#define CONF_ROWS(ROW) \
    ROW(fleet)         \
    ROW(lines)

#endif
