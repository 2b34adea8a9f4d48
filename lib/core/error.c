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

/*
 * Bytes of the character at s: 1 to 4, or 0 when it is no UTF-8 or a control
 * character, the C1 ones (U+0080..U+009F) included: a terminal obeys those.
 */
static size_t
character(const uint8_t *s, size_t left)
{
    static const uint32_t least[] = { 0, 0x20, 0xa0, 0x800, 0x10000 };
    size_t n = *s < 0x80 ? 1 : *s < 0xc2 ? 0 : *s < 0xe0 ? 2 : *s < 0xf0 ? 3
             : *s < 0xf5 ? 4 : 0;
    uint32_t c = *s;

    if (n == 0 || n > left)
        return 0;
    if (n > 1)
        c &= 0x7fu >> n;
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (s[i] & 0x3fu);
    }
    if (c < least[n] || c == 0x7f || c > 0x10ffff ||
        (c >= 0xd800 && c < 0xe000))
        return 0;
    return n;
}

/* Characters as they are; quotes, backslashes and what is none as \xHH. */
static void
put_name(struct text *t, const uint8_t *name, size_t len)
{
    static const char hex[] = "0123456789abcdef";
    size_t shown = len < NAME_SHOWN ? len : NAME_SHOWN;

    while (shown < len && shown > 0 && (name[shown] & 0xc0) == 0x80)
        shown--;                    /* cut between characters */
    put(t, "\"", 1);
    for (size_t i = 0; i < shown;) {
        size_t n = character(name + i, shown - i);

        if (n == 0 || name[i] == '"' || name[i] == '\\') {
            char esc[4] = { '\\', 'x', hex[name[i] >> 4],
                            hex[name[i] & 15] };

            put(t, esc, sizeof esc);
            i++;
        } else {
            put(t, (const char *)&name[i], n);
            i += n;
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
