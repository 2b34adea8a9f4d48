/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t
str_utf8(const char *s, size_t len, uint32_t *code)
{
    static const uint32_t smallest[5] = { 0, 0, 0x80, 0x800, 0x10000 };
    const unsigned char *u = (const unsigned char *)s;
    size_t n, i;
    uint32_t c;

    if (len == 0)
        return 0;
    c = u[0];
    n = c < 0x80 ? 1 : c < 0xc0 ? 0 : c < 0xe0 ? 2 : c < 0xf0 ? 3
        : c < 0xf8 ? 4 : 0;
    if (n == 0 || n > len)
        return 0;
    if (n > 1)
        c &= 0x7fu >> n;
    for (i = 1; i < n; i++) {
        if ((u[i] & 0xc0) != 0x80)
            return 0;
        c = c << 6 | (u[i] & 0x3fu);
    }
    if (c < smallest[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return 0;
    *code = c;
    return n;
}

size_t
str_text_end(const char *s, size_t len)
{
    size_t i = 0;

    while (i < len) {
        uint32_t c = 0;
        size_t n = str_utf8(s + i, len - i, &c);

        if (n == 0 || c < 0x20 || (c >= 0x7f && c < 0xa0))
            break;
        i += n;
    }
    return i;
}

void
str_escape(struct buf *b, const char *s, size_t len, size_t most)
{
    size_t i = 0;

    while (i < len) {
        uint32_t c = 0;
        size_t n = str_utf8(s + i, len - i, &c);

        if (i >= most) {
            buf_str(b, "...");
            return;
        }
        if (n == 0 || c < 0x20 || (c >= 0x7f && c < 0xa0)) {
            buf_print(b, "\\x%02x", (unsigned)(unsigned char)s[i]);
            i++;
            continue;
        }
        if (c == '"' || c == '\\')
            buf_char(b, '\\');
        buf_add(b, s + i, n);
        i += n;
    }
}

void
str_shell(struct buf *b, const char *s, size_t len)
{
    size_t i;

    for (i = 0; i < len; i++)
        if (!((s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z')
              || (s[i] >= '0' && s[i] <= '9')
              || (s[i] != '\0' && strchr("_./:@%+,=-", s[i]) != NULL)))
            break;
    if (i == len && len > 0) {
        buf_add(b, s, len);
        return;
    }
    buf_char(b, '\'');
    for (i = 0; i < len; i++) {
        if (s[i] == '\'')
            buf_str(b, "'\\''");
        else
            buf_char(b, s[i]);
    }
    buf_char(b, '\'');
}

unsigned
str_distance(const char *a, size_t a_len, const char *b, size_t b_len,
             unsigned limit)
{
    unsigned row[3][65];
    size_t i, j;

    if (a_len > 64 || b_len > 64)
        return limit + 1;
    for (j = 0; j <= b_len; j++)
        row[0][j] = (unsigned)j;
    for (i = 1; i <= a_len; i++) {
        unsigned *now = row[i % 3];
        const unsigned *up = row[(i + 2) % 3];
        const unsigned *up2 = row[(i + 1) % 3];

        now[0] = (unsigned)i;
        for (j = 1; j <= b_len; j++) {
            unsigned d = up[j - 1] + (a[i - 1] != b[j - 1]);

            if (up[j] + 1 < d)
                d = up[j] + 1;
            if (now[j - 1] + 1 < d)
                d = now[j - 1] + 1;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2]
                && a[i - 2] == b[j - 1] && up2[j - 2] + 1 < d)
                d = up2[j - 2] + 1;
            now[j] = d;
        }
    }
    return row[a_len % 3][b_len] > limit ? limit + 1 : row[a_len % 3][b_len];
}

void
str_nearest_init(struct str_nearest *n, const char *word, size_t len)
{
    n->word = word;
    n->len = len;
    n->best = NULL;
    /* a third of the word may be wrong: more would be a guess */
    n->distance = (unsigned)(len < 3 ? 1 : len / 3 > 3 ? 3 : len / 3) + 1;
}

void
str_nearest_try(struct str_nearest *n, const char *name)
{
    unsigned d = str_distance(n->word, n->len, name, strlen(name),
                              n->distance);

    if (d < n->distance) {
        n->distance = d;
        n->best = name;
    }
}

bool
str_uint(const char *s, size_t len, uint64_t max, uint64_t *out)
{
    uint64_t x = 0;
    size_t i;

    if (len == 0)
        return false;
    for (i = 0; i < len; i++) {
        unsigned digit = (unsigned)(unsigned char)s[i] - '0';

        if (digit > 9 || x > (max - digit) / 10 || digit > max)
            return false;
        x = x * 10 + digit;
    }
    *out = x;
    return true;
}

char *
str_u128(uint64_t hi, uint64_t lo, char out[40])
{
    uint32_t limb[4] = { (uint32_t)(hi >> 32), (uint32_t)hi,
                         (uint32_t)(lo >> 32), (uint32_t)lo };
    char digits[40];
    size_t n = 0, i;

    do {
        uint64_t rest = 0;

        for (i = 0; i < 4; i++) {
            rest = rest << 32 | limb[i];
            limb[i] = (uint32_t)(rest / 10);
            rest %= 10;
        }
        digits[n++] = (char)('0' + rest);
    } while (limb[0] | limb[1] | limb[2] | limb[3]);
    for (i = 0; i < n; i++)
        out[i] = digits[n - 1 - i];
    out[n] = '\0';
    return out;
}

char *
str_double(double x, char out[32])
{
    int precision;

    for (precision = 15; precision < 18; precision++) {
        snprintf(out, 32, "%.*g", precision, x);
        if (strtod(out, NULL) >= x && strtod(out, NULL) <= x)
            break;
    }
    return out;
}

static int
hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool
str_unhex(const char *s, size_t len, char *out)
{
    size_t i;

    if (len % 2 != 0)
        return false;
    for (i = 0; i < len; i += 2) {
        int high = hex_digit(s[i]);
        int low = hex_digit(s[i + 1]);

        if (high < 0 || low < 0)
            return false;
        out[i / 2] = (char)(high << 4 | low);
    }
    return true;
}

bool
str_assignment(const char *s, size_t *name_len)
{
    const char *eq = strchr(s, '=');

    if (eq == NULL || eq == s)
        return false;
    *name_len = (size_t)(eq - s);
    return true;
}
