/* SPDX-License-Identifier: Apache-2.0 */
/* status_rows.h - one row a status code; appended only. */
#define CW_STATUS_ROWS(ROW)                                           \
    ROW(CW_OK,       "done")                                          \
    ROW(CW_ENOMEM,   "no memory")                                     \
    ROW(CW_EINVAL,   "an argument is out of its range")               \
    ROW(CW_EEXIST,   "a node of that name is already present")        \
    ROW(CW_ENOENT,   "there is nothing of that name")                 \
    ROW(CW_EEMPTY,   "no node has a weight above 0")                  \
    ROW(CW_ELIMIT,   "more points or nodes than the placement holds") \
    ROW(CW_ENOTSUP,  "this placement cannot answer that")             \
    ROW(CW_ECORRUPT, "the bytes break a rule of their format")         \
    ROW(CW_EBUSY,    "a reader has not yet passed a quiescent point")
