/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.c - texts of errors, without the C library's formatting: that reads
 * the locale and would pull stdio into every user of the library.
 */
#include <stdarg.h>
#include <string.h>

#include "core/algo.h"

enum { NAME_SHOWN = 80 };   /* bytes of a name that a message shows */

struct text {
    char  *at;
    size_t left;            /* room before the final NUL */
};

static void
put(struct text *t, const char *s, size_t len)
{
    size_t n = len < t->left ? len : t->left;

    memcpy(t->at, s, n);
    t->at += n;
    t->left -= n;
}

static void
put_number(struct text *t, uint64_t v)
{
    char digits[20];
    size_t n = sizeof digits;

    do {
        digits[--n] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    put(t, digits + n, sizeof digits - n);
}

static void
put_weight(struct text *t, uint64_t millionths)
{
    char digits[7] = ".000000";
    uint64_t rest = millionths % 1000000;
    size_t n = 7;

    put_number(t, millionths / 1000000);
    if (rest == 0)
        return;
    for (size_t i = 6; i > 0; i--, rest /= 10)
        digits[i] = (char)('0' + rest % 10);
    while (digits[n - 1] == '0')
        n--;
    put(t, digits, n);
}

/* Printable ASCII and UTF-8's upper bytes as they are; the rest as \xHH. */
static void
put_name(struct text *t, const uint8_t *name, size_t len)
{
    static const char hex[] = "0123456789abcdef";
    size_t shown = len < NAME_SHOWN ? len : NAME_SHOWN;

    while (shown < len && shown > 0 && (name[shown] & 0xc0) == 0x80)
        shown--;                    /* cut between characters */
    put(t, "\"", 1);
    for (size_t i = 0; i < shown; i++) {
        uint8_t c = name[i];

        if (c < 0x20 || c == 0x7f || c == '"' || c == '\\') {
            char esc[4] = { '\\', 'x', hex[c >> 4], hex[c & 15] };

            put(t, esc, sizeof esc);
        } else {
            put(t, (const char *)&name[i], 1);
        }
    }
    put(t, "\"", 1);
    if (shown < len)
        put(t, "...", 3);
}

static void
put_arg(struct text *t, char code, va_list *ap)
{
    const char *s;
    const void *name;

    switch (code) {
    case 's':
        s = va_arg(*ap, const char *);
        put(t, s, strlen(s));
        break;
    case 'n':
        name = va_arg(*ap, const void *);
        put_name(t, name, va_arg(*ap, size_t));
        break;
    case 'u':
        put_number(t, va_arg(*ap, uint64_t));
        break;
    case 'w':
        put_weight(t, va_arg(*ap, uint64_t));
        break;
    default:
        put(t, "?", 1);
        break;
    }
}

cw_status
cwi_fail(cw_error *err, cw_status status, const char *format, ...)
{
    struct text t;
    va_list ap;

    if (!err)
        return status;
    err->status = status;
    t.at = err->text;
    t.left = sizeof err->text - 1;
    va_start(ap, format);
    while (*format) {
        size_t plain = strcspn(format, "%");

        put(&t, format, plain);
        format += plain;
        if (*format) {
            put_arg(&t, format[1], &ap);
            format += format[1] ? 2 : 1;
        }
    }
    va_end(ap);
    /* A text that was cut may end inside a character: take it off. */
    if (t.left == 0) {
        while (t.at > err->text && (t.at[-1] & 0xc0) == 0x80)
            t.at--;
        if (t.at > err->text && (t.at[-1] & 0x80))
            t.at--;
    }
    *t.at = '\0';
    return status;
}
