/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conf_json.c - what JSON has and YAML has not, said as YAML has it: comments
 * and characters written as two. Bytes behind it stay where they are, so that
 * the places of messages are those of the file.
 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "conf/conf_text.h"
#include "conf/conf_tree.h"

enum { UNIT = 6 };              /* bytes of "\ud83d" */

/* Where the comment or quoted text that begins at s[i] ends. */
static size_t
skip(const char *s, size_t len, size_t i)
{
    char quote = s[i];

    if (quote == '"' || quote == '\'') {
        for (i++; i < len && s[i] != quote; i++)
            if (quote == '"' && s[i] == '\\')
                i++;
        return i < len ? i + 1 : len;
    }
    if (s[i + 1] == '/') {
        while (i < len && s[i] != '\n')
            i++;
        return i;
    }
    for (i += 2; i < len; i++)
        if (s[i] == '/' && s[i - 1] == '*')
            return i + 1;
    return len;
}

/* The number of "\uXXXX" at s; 0: it is none. */
static uint32_t
unit(const char *s, const char *end)
{
    char byte[2];

    if (end - s < UNIT || s[0] != '\\' || s[1] != 'u'
        || !str_unhex(s + 2, UNIT - 2, byte))
        return 0;
    return (uint32_t)(uint8_t)byte[0] << 8 | (uint8_t)byte[1];
}

/* "\ud83d\ude00" becomes "\U0001f600" in quoted text; what it has less
 * comes behind the text as blanks. */
static bool
join_pairs(char *s, char *end, struct diag *d, size_t offset)
{
    char *from = s, *to = s;

    while (from < end) {
        uint32_t high = unit(from, end), low = 0;
        size_t   n = *from == '\\' && end - from > 1 ? 2 : 1;
        char     text[16];

        if (high >= 0xd800 && high <= 0xdfff) {
            if (high < 0xdc00)
                low = unit(from + UNIT, end);
            if (low < 0xdc00 || low > 0xdfff) {
                diag_error(d, diag_place_of(d, offset + (size_t)(from - s),
                                            UNIT),
                           "\"%.6s\" is half a character", from);
                diag_hint(d, "expected: one of \\ud800 to \\udbff with one of "
                          "\\udc00 to \\udfff behind it");
                return false;
            }
            high = 0x10000 + ((high & 0x3ff) << 10 | (low & 0x3ff));
            n = (size_t)snprintf(text, sizeof text, "\\U%08x", high);
            memcpy(to, text, n);
            from += 2 * UNIT;
        } else {
            memmove(to, from, n);
            from += n;
        }
        to += n;
    }
    memset(to, ' ', (size_t)(end - to));
    return true;
}

bool
conf_json_plain(char *s, size_t len, struct diag *d)
{
    char   before = '{';        /* the last byte that is no blank */
    size_t i = 0, end;

    while (i < len && conf_any(s[i], " \t\r\n"))
        i++;
    if (i == len || !conf_any(s[i], "{[/"))
        return true;
    for (; i < len; i = end) {
        bool comment = s[i] == '/' && i + 1 < len
            && (s[i + 1] == '/' || s[i + 1] == '*')
            && (i == 0 || conf_any(s[i - 1], " \t\r\n{}[],\""));

        end = comment || s[i] == '"' || s[i] == '\'' ? skip(s, len, i)
                                                    : i + 1;
        if (comment) {
            for (; i < end; i++)
                if (s[i] != '\n' && s[i] != '\r')
                    s[i] = ' ';
            continue;
        }
        if (s[i] == '"' && conf_any(before, "{[,:")
            && !join_pairs(s + i, s + end, d, i))
            return false;
        if (!conf_any(s[i], " \t\r\n"))
            before = s[i];
    }
    return true;
}
