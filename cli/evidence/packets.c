/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packets.c - from packets to the bytes that clients send: link, IP and TCP
 * headers off, each connection read by its sequence numbers. Lost packets,
 * those that come late, and what a capture cut off, are a gap: harmless inside
 * a value, else the connection starts anew at the next command. Connections
 * beyond the table push out the one longest unused.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE         /* fopencookie; u_int, in libpcap's headers */
#endif
#include "cli/evidence/packets.h"

#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/evidence/requests.h"

enum { FLOWS = 1024, WAYS = 8, ADDRESS = 16 };

struct flow {
    uint8_t          id[2 * ADDRESS + 4];   /* addresses and ports          */
    bool             used;
    bool             started;
    uint32_t         next;                  /* sequence number awaited      */
    uint64_t         stamp;
    struct requests *requests;
};

struct capture {
    struct evidence *e;
    int              link;
    struct flow     *flows;
    uint64_t         stamp;
    uint64_t         gaps;
};

static unsigned
get16(const uint8_t *p)
{
    return (unsigned)p[0] << 8 | p[1];
}

static uint32_t
get32(const uint8_t *p)
{
    return (uint32_t)get16(p) << 16 | get16(p + 2);
}

/* Ports of servers; others' bytes are answers, or something else. */
static bool
is_server(const struct evidence *e, unsigned port)
{
    unsigned i;

    for (i = 0; i < e->args->port_count; i++)
        if (e->args->ports[i] == port)
            return true;
    return e->args->port_count == 0 && (port == 11211 || port == 6379);
}

/* The connection; a new one takes the place of the one longest unused, of
 * the WAYS places where it may be. */
static struct flow *
flow_of(struct capture *c, const uint8_t *id)
{
    uint32_t hash = 2166136261u;
    struct flow *set, *oldest;
    unsigned i;

    for (i = 0; i < sizeof set->id; i++)
        hash = (hash ^ id[i]) * 16777619u;
    set = &c->flows[(hash ^ hash >> 15) % (FLOWS / WAYS) * WAYS];
    oldest = set;
    for (i = 0; i < WAYS; i++) {
        struct flow *f = &set[i];

        if (f->used && memcmp(f->id, id, sizeof f->id) == 0) {
            f->stamp = ++c->stamp;
            return f;
        }
        if (f->stamp < oldest->stamp)
            oldest = f;
    }
    if (oldest->requests == NULL)
        oldest->requests = mem_alloc(1, sizeof *oldest->requests);
    memcpy(oldest->id, id, sizeof oldest->id);
    oldest->used = true;
    oldest->started = false;
    oldest->stamp = ++c->stamp;
    requests_begin(oldest->requests, true);
    return oldest;
}

static void
missing(struct capture *c, struct flow *f, uint32_t n)
{
    if (n > 0 && !requests_gap(f->requests, n))
        c->gaps++;
}

/* The bytes at p; `full` of them were sent, `len` were captured. */
static void
payload(struct capture *c, struct flow *f, uint32_t seq, const uint8_t *p,
        size_t len, size_t full)
{
    uint32_t ahead = seq - f->next;

    if (!f->started) {
        f->started = true;
    } else if (ahead >= UINT32_C(0x80000000)) {     /* sent again */
        uint32_t again = f->next - seq;

        if (again >= full)
            return;
        full -= again;
        p += again < len ? again : len;
        len -= again < len ? again : len;
        seq += again;
    } else {
        missing(c, f, ahead);
    }
    f->next = seq + (uint32_t)full;
    requests_feed(f->requests, c->e, (const char *)p, len);
    missing(c, f, (uint32_t)(full - len));
}

static void
segment(struct capture *c, const uint8_t *id, const uint8_t *tcp, size_t len,
        size_t full)
{
    size_t header = (size_t)(tcp[12] >> 4) * 4;
    uint32_t seq = get32(tcp + 4);
    struct flow *f;

    if (header < 20 || header > full || !is_server(c->e, get16(tcp + 2)))
        return;
    f = flow_of(c, id);
    if (tcp[13] & 0x02) {               /* SYN */
        f->next = seq + 1;
        f->started = true;
        requests_begin(f->requests, false);
        return;
    }
    len -= header < len ? header : len;
    if (full > header)
        payload(c, f, seq, tcp + header, len, full - header);
}

static void
ip_packet(struct capture *c, const uint8_t *p, size_t len)
{
    uint8_t id[2 * ADDRESS + 4] = { 0 };
    size_t header, total;

    if (len >= 20 && p[0] >> 4 == 4) {
        header = (size_t)(p[0] & 15) * 4;
        total = get16(p + 2);
        if (p[9] != 6 || header < 20 || (get16(p + 6) & 0x3fff) != 0)
            return;                     /* not TCP, or a fragment */
        memcpy(id, p + 12, 4);
        memcpy(id + ADDRESS, p + 16, 4);
    } else if (len >= 40 && p[0] >> 4 == 6) {
        header = 40;
        total = 40 + (size_t)get16(p + 4);
        if (p[6] != 6)
            return;
        memcpy(id, p + 8, ADDRESS);
        memcpy(id + ADDRESS, p + 24, ADDRESS);
    } else {
        return;
    }
    if (total == 0 || (p[0] >> 4 == 6 && total == 40))
        total = len;                    /* cut up by the network card */
    if (total < len)
        len = total;                    /* padding of a short frame */
    if (len < header + 20)
        return;
    memcpy(id + 2 * ADDRESS, p + header, 4);
    segment(c, id, p + header, len - header, total - header);
}

static void
frame(struct capture *c, const uint8_t *p, size_t len)
{
    size_t skip;

    switch (c->link) {
    case DLT_EN10MB:
        skip = 14;
        while (len >= skip + 4 && (get16(p + skip - 2) == 0x8100
                                   || get16(p + skip - 2) == 0x88a8))
            skip += 4;
        break;
    case DLT_LINUX_SLL:  skip = 16; break;
    case DLT_LINUX_SLL2: skip = 20; break;
    case DLT_NULL:       skip = 4;  break;
    default:             skip = 0;  break;
    }
    if (len > skip)
        ip_packet(c, p + skip, len - skip);
}

static bool
known_link(int link)
{
    return link == DLT_EN10MB || link == DLT_LINUX_SLL
           || link == DLT_LINUX_SLL2 || link == DLT_NULL || link == DLT_RAW
           || link == DLT_IPV4 || link == DLT_IPV6;
}

/* Packets until the end, or for `seconds` if not 0. */
static bool
run(struct evidence *e, pcap_t *pcap, const char *name, unsigned seconds)
{
    struct capture c = { .e = e, .link = pcap_datalink(pcap) };
    struct pcap_pkthdr *header;
    const uint8_t *data;
    time_t end = time(NULL) + (time_t)seconds;
    int got = 0;
    size_t i;

    if (!known_link(c.link)) {
        cli_say("%s: link type %s is not known; expected Ethernet, Linux "
                "cooked, raw IP or loopback", name,
                pcap_datalink_val_to_name(c.link));
        return false;
    }
    e->repeats = true;
    c.flows = mem_alloc(FLOWS, sizeof *c.flows);
    memset(c.flows, 0, FLOWS * sizeof *c.flows);
    while (!e->stop && (seconds == 0 || time(NULL) < end)
           && (got = pcap_next_ex(pcap, &header, &data)) >= 0) {
        if (e->idle != NULL && !e->idle(e->context))
            break;
        if (got == 0)
            continue;                   /* live, and nothing came */
        e->tally.bytes += header->caplen;
        evidence_time(e, (double)header->ts.tv_sec
                         + (double)header->ts.tv_usec / 1e6);
        frame(&c, data, header->caplen);
    }
    e->tally.gaps = c.gaps;
    e->tally.truncated = got == PCAP_ERROR;
    for (i = 0; i < FLOWS; i++)
        mem_free(c.flows[i].requests);
    mem_free(c.flows);
    return true;
}

bool
packets_claims(const char *data, size_t len)
{
    static const unsigned char magics[][4] = {
        { 0xa1, 0xb2, 0xc3, 0xd4 }, { 0xd4, 0xc3, 0xb2, 0xa1 },
        { 0xa1, 0xb2, 0x3c, 0x4d }, { 0x4d, 0x3c, 0xb2, 0xa1 },
        { 0x0a, 0x0d, 0x0d, 0x0a }
    };
    size_t i;

    for (i = 0; len >= 4 && i < sizeof magics / sizeof *magics; i++)
        if (memcmp(data, magics[i], 4) == 0)
            return true;
    return false;
}

bool
packets_file(struct evidence *e, FILE *file, const char *name)
{
    char why[PCAP_ERRBUF_SIZE];
    pcap_t *pcap = pcap_fopen_offline(file, why);
    bool ok;

    e->tally.format = "pcap";
    if (pcap == NULL) {
        cli_say("%s: %s", name, why);
        fclose(file);
        return false;
    }
    ok = run(e, pcap, name, 0);
    pcap_close(pcap);
    return ok;
}

static ssize_t
cookie_read(void *stream, char *to, size_t room)
{
    return (ssize_t)stream_bytes(stream, to, room);
}

bool
packets_read(struct evidence *e, struct stream *s, const char *name)
{
    FILE *file = fopencookie(s, "r", (cookie_io_functions_t){
        .read = cookie_read });

    if (file == NULL)
        mem_fail();
    return packets_file(e, file, name);
}

bool
packets_live(struct evidence *e, const char *interface, unsigned seconds)
{
    char why[PCAP_ERRBUF_SIZE];
    pcap_t *pcap = pcap_open_live(interface, 65535, 0, 200, why);
    bool ok;

    evidence_begin(e);
    e->tally.format = "live";
    if (pcap == NULL) {
        cli_say("cannot capture at %s: %s; nothing is taken from it",
                interface, why);
        return false;
    }
    ok = run(e, pcap, interface, seconds);
    pcap_close(pcap);
    return ok;
}
