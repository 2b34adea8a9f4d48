/* SPDX-License-Identifier: Apache-2.0 */
/* test_packets.c - captures made here: segments split, lost, doubled, over-
 * lapping and out of order, at any sequence number; every kind of link; packets
 * and files that are cut off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cli/evidence/packets.h"

enum {
    ETHERNET = 1, VLAN = 1001, VLANS = 1002,
    SLL = 113, SLL2 = 276, LOOPBACK = 0, RAW = 101, IPV4 = 228, IPV6 = 229,
    WIFI = 105,
    SYN = 2, ACK = 16,
    ALL = 65535
};

/* Sequence numbers to begin at: far from 0, and where they go past it. */
static const uint32_t starts[] = { 1000, UINT32_MAX - 20, UINT32_MAX };

static const struct evidence_args args;
static struct evidence e;
static char seen[4096];             /* "k1 k2 " */
static uint8_t file[65536];
static size_t file_len;
static int link_kind;

/* ---- making captures ---------------------------------------------------- */

static void
put(const void *data, size_t len)
{
    assert_true(file_len + len <= sizeof file);
    memcpy(file + file_len, data, len);
    file_len += len;
}

static void
put16(unsigned x)
{
    const uint8_t b[2] = { (uint8_t)(x >> 8), (uint8_t)x };

    put(b, 2);
}

static void
put32(uint32_t x)
{
    put16(x >> 16);
    put16(x & 0xffff);
}

static void
zeros(size_t n)
{
    static const uint8_t none[64];

    put(none, n);
}

static void
begin_capture(int kind)
{
    file_len = 0;
    link_kind = kind;
    put32(0xa1b2c3d4);
    put16(2);
    put16(4);
    zeros(8);
    put32(ALL);
    put32(kind > 1000 ? ETHERNET : (uint32_t)kind);
}

static void
put_link(bool six)
{
    unsigned type = six ? 0x86dd : 0x0800;

    switch (link_kind) {
    case ETHERNET:
    case VLAN:
    case VLANS:
        zeros(12);
        if (link_kind == VLANS)
            put32(UINT32_C(0x88a80007));
        if (link_kind != ETHERNET)
            put32(UINT32_C(0x81000005));
        put16(type);
        break;
    case SLL:
        zeros(14);
        put16(type);
        break;
    case SLL2:
        put16(type);
        zeros(18);
        break;
    case LOOPBACK:
        put32(six ? 10 : 2);
        break;
    default:
        break;
    }
}

static void
put_ip(bool six, unsigned protocol, size_t len)
{
    if (six) {
        put32(UINT32_C(0x60000000));
        put16((unsigned)len);
        put16(protocol << 8 | 64);
        zeros(31);
        put("\1", 1);
    } else {
        put16(0x4500);
        put16((unsigned)(20 + len));
        zeros(4);
        put16(64 << 8 | protocol);
        zeros(2);
        put32(UINT32_C(0x0a000001));
        put32(UINT32_C(0x0a000002));
    }
}

/* One packet to the server, of which at most `snap` bytes are kept and
 * `padding` follow. */
static void
packet(bool six, uint32_t seq, unsigned flags, const char *data, size_t len,
       size_t snap, size_t padding)
{
    size_t head = file_len, full, kept;

    zeros(16);
    put_link(six);
    put_ip(six, 6, 20 + len);
    put16(40000);
    put16(11211);
    put32(seq);
    zeros(4);
    put16(5u << 12 | flags);
    zeros(6);
    put(data, len);
    zeros(padding);
    full = file_len - head - 16;
    kept = full < snap ? full : snap;
    file_len = head;                    /* the head, now that it is known */
    put32(1700000000);
    put32(0);
    put32((uint32_t)kept);
    put32((uint32_t)full);
    file_len += kept;
}

static void
segment(uint32_t seq, const char *data, size_t len)
{
    packet(false, seq, ACK, data, len, ALL, 0);
}

/* A connection that begins in front of `seq`. */
static void
connect_at(uint32_t seq)
{
    begin_capture(ETHERNET);
    packet(false, seq - 1, SYN, "", 0, ALL, 0);
}

/* ---- reading them ------------------------------------------------------- */

static void
take(void *context, const struct event *event)
{
    size_t used = strlen(seen);

    (void)context;
    snprintf(seen + used, sizeof seen - used, "%.*s ", (int)event->len,
             event->key);
}

static bool
read_capture(void)
{
    FILE *f = fmemopen(file, file_len, "rb");

    assert_non_null(f);
    memset(&e, 0, sizeof e);
    evidence_begin(&e);
    e.args = &args;
    e.event = take;
    seen[0] = '\0';
    return packets_file(&e, f, "test");
}

static void
expect(const char *keys, unsigned gaps)
{
    assert_true(read_capture());
    assert_string_equal(seen, keys);
    assert_int_equal(e.tally.gaps, gaps);
    assert_false(e.tally.truncated);
}

/* ---- segments ----------------------------------------------------------- */

static const char talk[] =
    "get k1 k2\r\nset k3 0 0 11\r\nget no\r\nnot\r\nmg k4 v\r\ndelete k5\r\n";
static const char talk_keys[] = "k1 k2 k3 k4 k5 ";

enum { TALK = sizeof talk - 1 };

static void
split_anywhere(void **state)
{
    size_t s, i;

    (void)state;
    for (s = 0; s < sizeof starts / sizeof *starts; s++) {
        for (i = 0; i <= TALK; i++) {
            connect_at(starts[s]);
            segment(starts[s], talk, i);
            segment(starts[s] + (uint32_t)i, talk + i, TALK - i);
            expect(talk_keys, 0);
        }
        connect_at(starts[s]);
        for (i = 0; i < TALK; i++)
            segment(starts[s] + (uint32_t)i, talk + i, 1);
        expect(talk_keys, 0);
    }
}

static void
sent_again(void **state)
{
    size_t s, i, j;

    (void)state;
    for (s = 0; s < sizeof starts / sizeof *starts; s++)
        for (i = 1; i <= TALK; i++) {
            connect_at(starts[s]);
            segment(starts[s], talk, i);
            segment(starts[s], talk, i);
            segment(starts[s] + (uint32_t)i, talk + i, TALK - i);
            segment(starts[s], talk, TALK);
            segment(starts[s], talk, i);
            expect(talk_keys, 0);
            for (j = 0; j < i; j += 7) {        /* with some that was not */
                connect_at(starts[s]);
                segment(starts[s], talk, i);
                segment(starts[s] + (uint32_t)j, talk + j, TALK - j);
                expect(talk_keys, 0);
            }
        }
}

/* Segment k of ten, each a command; `late` ones come behind their successor.
 */
static void
ten(uint32_t at, unsigned without, bool late)
{
    unsigned i;

    connect_at(at);
    for (i = 0; i < 10; i++) {
        char text[] = "get key0\r\n";

        text[7] = (char)('0' + i);
        if (i != without)
            segment(at + 10 * i, text, 10);
        if (late && i == without + 1) {
            text[7] = (char)('0' + without);
            segment(at + 10 * without, text, 10);
        }
    }
}

/* What is lost is a gap; nothing else is. A packet that comes late is lost as
 * well, and neither read twice nor in the wrong place. */
static void
lost(void **state)
{
    size_t s;
    unsigned i, j;

    (void)state;
    for (s = 0; s < sizeof starts / sizeof *starts; s++)
        for (i = 0; i < 9; i++) {
            char keys[64] = "";

            for (j = 0; j < 10; j++)
                if (j != i)
                    snprintf(keys + strlen(keys), 8, "key%u ", j);
            ten(starts[s], i, false);
            expect(keys, 1);
            ten(starts[s], i, true);
            expect(keys, 1);
        }
}

/* Halves of commands on both sides of what is lost, at every place. */
static void
lost_inside(void **state)
{
    static const char text[] = "get aaaa\r\nget bbbb\r\nget cccc\r\n";
    size_t from, to;

    (void)state;
    for (from = 1; from < 20; from++)
        for (to = from + 1; to <= 20; to++) {
            connect_at(500);
            segment(500, text, from);
            segment((uint32_t)(500 + to), text + to, 30 - to);
            assert_true(read_capture());
            assert_int_equal(e.tally.gaps, 1);
            /* whole keys only, and that behind the gap */
            assert_true(strcmp(seen, from < 10 ? "cccc " : "aaaa cccc ") == 0
                        || (to <= 10 && from < 10
                            && strcmp(seen, "bbbb cccc ") == 0));
        }
}

static void
lost_in_a_value(void **state)
{
    static const char head[] = "set k 0 0 100\r\n01234";
    static const char tail[] = "56789\r\nget next\r\n";

    (void)state;
    connect_at(7);
    segment(7, head, sizeof head - 1);
    segment((uint32_t)(7 + sizeof head - 1 + 90), tail, sizeof tail - 1);
    expect("k next ", 0);
}

/* ---- links -------------------------------------------------------------- */

static void
links(void **state)
{
    static const struct {
        int  kind;
        bool four, six;
    } rows[] = {
        { ETHERNET, true, true }, { VLAN, true, true }, { VLANS, true, true },
        { SLL, true, true }, { SLL2, true, true }, { LOOPBACK, true, true },
        { RAW, true, true }, { IPV4, true, false }, { IPV6, false, true }
    };
    size_t i;
    int six;

    (void)state;
    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        for (six = 0; six < 2; six++) {
            if (six ? !rows[i].six : !rows[i].four)
                continue;
            begin_capture(rows[i].kind);
            packet(six, 9, ACK, "get before\r\n", 12, ALL, 0);
            packet(six, 99, SYN, "", 0, ALL, 0);
            packet(six, 100, ACK, talk, 30, ALL, 0);
            packet(six, 130, ACK, talk + 30, TALK - 30, ALL, 0);
            assert_true(read_capture());
            assert_string_equal(seen, "before k1 k2 k3 k4 k5 ");
        }
    begin_capture(WIFI);
    assert_false(read_capture());
}

/* Bytes behind the packet, of a frame that has to be longer. */
static void
padding(void **state)
{
    (void)state;
    connect_at(100);
    packet(false, 100, ACK, "mn\r\n", 4, ALL, 2);
    packet(false, 104, ACK, "", 0, ALL, 6);
    packet(false, 104, ACK, "get a\r\n", 7, ALL, 9);
    expect("a ", 0);
}

static void
not_requests(void **state)
{
    size_t at;

    (void)state;
    connect_at(100);
    at = file_len;
    segment(100, "get udp\r\n", 9);
    file[at + 16 + 14 + 9] = 17;        /* its protocol */
    at = file_len;
    segment(100, "get part\r\n", 10);
    file[at + 16 + 14 + 6] = 0x20;      /* more fragments follow */
    at = file_len;
    segment(100, "get port\r\n", 10);
    file[at + 16 + 14 + 20 + 3] = 1;    /* another server's */
    at = file_len;
    segment(100, "get head\r\n", 10);
    file[at + 16 + 14 + 20 + 12] = 0x10;        /* no TCP header is so short */
    segment(100, "get a\r\n", 7);
    expect("a ", 0);
}

/* ---- what is cut off ---------------------------------------------------- */

/* Of each packet some bytes only: no key is told that is not there whole, and
 * a packet that is there whole is read. */
static void
snapped(void **state)
{
    static const char first[] = "get aaaa\r\nget bbbb\r\n";
    enum { HEADERS = 14 + 20 + 20 };
    size_t snap;

    (void)state;
    for (snap = 0; snap <= HEADERS + 20; snap++) {
        size_t kept = snap > HEADERS ? snap - HEADERS : 0;

        connect_at(100);
        packet(false, 100, ACK, first, 20, snap, 0);
        segment(120, "get cccc\r\n", 10);
        assert_true(read_capture());
        assert_string_equal(seen, kept < 10 ? "cccc "
                                  : kept < 20 ? "aaaa cccc "
                                              : "aaaa bbbb cccc ");
        assert_int_equal(e.tally.gaps, kept < 20);
    }
}

static void
file_cut(void **state)
{
    static const char keys[] = "key0 key1 key2 key3 key4 key5 key6 key7 key8 "
                               "key9 ";
    size_t whole, n;

    (void)state;
    ten(100, 10, false);
    whole = file_len;
    for (n = 24; n <= whole; n++) {
        /* into a packet; that of SYN has no text */
        size_t rest = n < 24 + 70 ? n - 24 : (n - 24 - 70) % 80;

        file_len = n;
        assert_true(read_capture());
        assert_memory_equal(seen, keys, strlen(seen));
        assert_int_equal(e.tally.truncated, rest != 0);
    }
    assert_string_equal(seen, keys);
    file_len = 10;
    assert_false(read_capture());
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_anywhere),
        cmocka_unit_test(sent_again),
        cmocka_unit_test(lost),
        cmocka_unit_test(lost_inside),
        cmocka_unit_test(lost_in_a_value),
        cmocka_unit_test(links),
        cmocka_unit_test(padding),
        cmocka_unit_test(not_requests),
        cmocka_unit_test(snapped),
        cmocka_unit_test(file_cut)
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
