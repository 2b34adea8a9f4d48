/* SPDX-License-Identifier: Apache-2.0 */
/* compat_rows.h - one row per placement of a deployed program. */
#define CWI_COMPAT_ROWS(ROW)        \
    ROW(ketama160)                  \
    ROW(textbook_fnv1a)             \
    ROW(textbook_fnv1a_codepoints)  \
    ROW(textbook_fnv1a_js)          \
    ROW(textbook_fnv1a_bare)        \
    ROW(textbook_md5)
