/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasm_print.c - vsnprintf() for what messages need: %s %c %d %u %x %X with
 * '0', width, precision, and the lengths l, ll and z. wasi-libc's brings its
 * streams and the floating-point formats along.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct out {
    char  *at;
    size_t len, room;
};

static void
put(struct out *o, const char *s, size_t n)
{
    for (; n > 0; n--, s++, o->len++)
        if (o->len < o->room)
            o->at[o->len] = *s;
}

static void
put_many(struct out *o, char c, int n)
{
    while (n-- > 0)
        put(o, &c, 1);
}

/* Digits of x at the end of a buffer; their number. */
static size_t
digits(uint64_t x, unsigned base, const char *set, char *end)
{
    size_t n = 0;

    do {
        *--end = set[x % base];
        n++;
        x /= base;
    } while (x != 0);
    return n;
}

/* '*', or a number, which may be missing: 0. */
static int
number(const char **f, va_list *args)
{
    int n = 0;

    if (**f == '*') {
        ++*f;
        return va_arg(*args, int);
    }
    for (; **f >= '0' && **f <= '9'; ++*f)
        n = n * 10 + (**f - '0');
    return n;
}

static uint64_t
integer(char kind, int longs, va_list *args)
{
    if (kind == 'd')
        return (uint64_t)(longs > 1 ? va_arg(*args, long long)
                                    : va_arg(*args, int));
    return longs > 1 ? va_arg(*args, unsigned long long)
                     : va_arg(*args, unsigned);
}

static const char *
convert(struct out *o, const char *f, va_list *args)
{
    char pad = ' ', buffer[24], *end = buffer + sizeof buffer;
    int width, precision = -1, longs = 0;
    const char *s = buffer;
    size_t n = 1;

    if (*f == '0')
        pad = *f++;
    width = number(&f, args);
    if (*f == '.') {
        f++;
        precision = number(&f, args);
    }
    for (; *f == 'l' || *f == 'z'; f++)     /* size_t and long: 32 bits */
        longs += *f == 'l';
    if (*f == 's') {
        s = va_arg(*args, const char *);
        for (n = 0; n != (size_t)precision && s[n] != '\0'; n++)
            continue;
    } else if (*f == 'c') {
        buffer[0] = (char)va_arg(*args, int);
    } else if (*f == 'd' || *f == 'u' || (*f | 32) == 'x') {
        uint64_t x = integer(*f, longs, args);
        int negative = *f == 'd' && (int64_t)x < 0;

        n = digits(negative ? 0 - x : x, (*f | 32) == 'x' ? 16 : 10,
                   *f == 'X' ? "0123456789ABCDEF" : "0123456789abcdef", end);
        if (negative)
            end[-(int)++n] = '-';
        s = end - n;
    } else {
        buffer[0] = *f;                     /* "%%" */
    }
    put_many(o, pad, width - (int)n);
    put(o, s, n);
    return f + 1;
}

int
vsnprintf(char *restrict at, size_t room, const char *restrict format,
          va_list given)
{
    struct out o = { at, 0, room > 0 ? room - 1 : 0 };
    va_list args;

    va_copy(args, given);
    while (*format != '\0') {
        if (*format == '%')
            format = convert(&o, format + 1, &args);
        else
            put(&o, format++, 1);
    }
    va_end(args);
    if (room > 0)
        at[o.len < o.room ? o.len : o.room] = '\0';
    return (int)o.len;
}
