/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

static void
comma(struct json *j)
{
    if (j->comma)
        out_char(j->out, ',');
    j->comma = true;
}

void
json_open(struct json *j, char bracket)
{
    comma(j);
    out_char(j->out, bracket);
    j->comma = false;
}

void
json_close(struct json *j, char bracket)
{
    out_char(j->out, bracket);
    j->comma = true;
}

void
json_key(struct json *j, const char *key)
{
    comma(j);
    out_char(j->out, '"');
    out_str(j->out, key);
    out_add(j->out, "\":", 2);
    j->comma = false;
}

/* Bytes at s that need no escape. */
static size_t
plain(const char *s, size_t len)
{
    size_t i = 0;

    while (i < len) {
        uint32_t code = 0;
        size_t n;

        if ((unsigned char)s[i] < 0x80) {
            if ((unsigned char)s[i] < 0x20 || s[i] == '"' || s[i] == '\\')
                break;
            i++;
            continue;
        }
        n = str_utf8(s + i, len - i, &code);
        if (n == 0)
            break;
        i += n;
    }
    return i;
}

void
json_text(struct json *j, const char *s, size_t len)
{
    comma(j);
    out_char(j->out, '"');
    while (len > 0) {
        size_t n = plain(s, len);
        char escape[8];

        out_add(j->out, s, n);
        s += n;
        len -= n;
        if (len == 0)
            break;
        if (*s == '"' || *s == '\\')
            snprintf(escape, sizeof escape, "\\%c", *s);
        else if (*s == '\n')
            memcpy(escape, "\\n", 3);
        else if (*s == '\t')
            memcpy(escape, "\\t", 3);
        else if ((unsigned char)*s < 0x80)
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*s);
        else
            memcpy(escape, "\\ufffd", 7);
        out_str(j->out, escape);
        s++;
        len--;
    }
    out_char(j->out, '"');
}

void
json_uint(struct json *j, uint64_t x)
{
    comma(j);
    out_print(j->out, "%" PRIu64, x);
}

void
json_double(struct json *j, double x)
{
    char text[32];

    comma(j);
    out_str(j->out, isfinite(x) ? str_double(x, text) : "null");
}

void
json_bool(struct json *j, bool x)
{
    comma(j);
    out_str(j->out, x ? "true" : "false");
}

void
json_null(struct json *j)
{
    comma(j);
    out_str(j->out, "null");
}

void
json_pair(struct json *j, const char *key, const char *s, size_t len)
{
    json_key(j, key);
    json_text(j, s, len);
}

void
json_pair_uint(struct json *j, const char *key, uint64_t x)
{
    json_key(j, key);
    json_uint(j, x);
}

void
json_pair_double(struct json *j, const char *key, double x)
{
    json_key(j, key);
    json_double(j, x);
}

void
json_pair_bool(struct json *j, const char *key, bool x)
{
    json_key(j, key);
    json_bool(j, x);
}

void
json_bytes(struct json *j, const char *key, const char *s, size_t len)
{
    size_t i = 0;
    uint32_t code = 0;

    while (i < len) {
        size_t n = str_utf8(s + i, len - i, &code);

        if (n == 0)
            break;
        i += n;
    }
    if (i == len) {
        json_pair(j, key, s, len);
        return;
    }
    comma(j);
    out_print(j->out, "\"%s_hex\":\"", key);
    for (i = 0; i < len; i++)
        out_print(j->out, "%02x", (unsigned)(unsigned char)s[i]);
    out_char(j->out, '"');
}

void
json_end(struct json *j, char separator)
{
    out_char(j->out, separator);
    j->comma = false;
}
