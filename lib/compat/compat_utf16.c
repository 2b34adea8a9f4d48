/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compat_utf16.c - hashes of Java programs, which see a key as UTF-16 units;
 * the bytes of a key are taken for UTF-8.
 */
#include "compat/compat_hashes.h"

/* How many bytes follow a lead byte, 0 for what cannot lead. */
static unsigned
utf8_more(uint8_t lead)
{
    if (lead >= 0xc2 && lead <= 0xdf)
        return 1;
    if (lead >= 0xe0 && lead <= 0xef)
        return 2;
    return lead >= 0xf0 && lead <= 0xf4 ? 3 : 0;
}

uint32_t
cwi_utf8_next(const uint8_t *p, size_t len, size_t *at)
{
    static const uint32_t least[4] = { 0, 0x80, 0x800, 0x10000 };
    uint8_t lead = p[(*at)++];
    unsigned more = utf8_more(lead);
    uint32_t c = lead & (0x3fu >> more);

    if (lead < 0x80)
        return lead;
    if (more == 0 || len - *at < more)
        return 0xfffd;
    for (unsigned i = 0; i < more; i++) {
        if ((p[*at + i] & 0xc0) != 0x80)
            return 0xfffd;
        c = c << 6 | (p[*at + i] & 0x3fu);
    }
    if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
        return 0xfffd;
    *at += more;
    return c;
}

static uint64_t
utf16_unit(enum cwi_utf16_hash kind, uint64_t h, uint32_t unit)
{
    switch (kind) {
    case CWI_UTF16_NATIVE:
        return h * 31 + unit;
    case CWI_UTF16_FNV1_32:
        return (h * 16777619) ^ unit;
    case CWI_UTF16_FNV1A_32:
        return (h ^ unit) * 16777619;
    case CWI_UTF16_FNV1_64:
        return (h * UINT64_C(0x100000001b3)) ^ unit;
    case CWI_UTF16_FNV1A_64:
        return (h ^ unit) * UINT64_C(0x100000001b3);
    }
    return h;
}

uint32_t
cwi_utf16_hash(enum cwi_utf16_hash kind, const uint8_t *p, size_t len)
{
    uint64_t h = 0;
    size_t at = 0;

    if (kind == CWI_UTF16_FNV1_32 || kind == CWI_UTF16_FNV1A_32)
        h = UINT64_C(2166136261);
    else if (kind != CWI_UTF16_NATIVE)
        h = UINT64_C(0xcbf29ce484222325);
    while (at < len) {
        uint32_t c = cwi_utf8_next(p, len, &at);

        if (c > 0xffff) {
            h = utf16_unit(kind, h, 0xd800 + ((c - 0x10000) >> 10));
            c = 0xdc00 + ((c - 0x10000) & 0x3ff);
        }
        h = utf16_unit(kind, h, c);
    }
    return (uint32_t)h;
}
