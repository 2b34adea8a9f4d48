/* SPDX-License-Identifier: Apache-2.0 */
/* status.c - status codes to text, from the list in status_rows.h. */
#include "clockwise/clockwise.h"
#include "core/status_rows.h"

#define VERSION_TEXT_(a, b, c) #a "." #b "." #c
#define VERSION_TEXT(a, b, c)  VERSION_TEXT_(a, b, c)

const char *
cw_status_text(cw_status status)
{
    switch (status) {
#define TEXT(code, text) case code: return text;
    CW_STATUS_ROWS(TEXT)
#undef TEXT
    }
    return "unknown status";
}

const char *
cw_version(void)
{
    return VERSION_TEXT(CW_VERSION_MAJOR, CW_VERSION_MINOR, CW_VERSION_PATCH);
}
