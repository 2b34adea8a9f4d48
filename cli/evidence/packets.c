/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packets.c - from packets to the bytes that clients send: link, IP and TCP
 * headers off, each connection put in order by its sequence numbers. Lost
 * packets are a gap, after which the connection starts anew at the next
 * command; connections beyond the table push out the one longest unused.
 */
#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE     /* u_int and its like, in the headers of libpcap */
#endif
#include "cli/evidence/packets.h"

#include <pcap/pcap.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "cli/cli.h"
#include "cli/evidence/requests.h"

enum { FLOWS = 1024, ADDRESS = 16 };

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

    for (i = 0; i < e->port_count; i++)
        if (e->ports[i] == port)
            return true;
    return e->port_count == 0 && (port == 11211 || port == 6379);
}

static struct flow *
flow_of(struct capture *c, const uint8_t *id)
{
    struct flow *oldest = &c->flows[0];
    unsigned i;

    for (i = 0; i < FLOWS; i++) {
        struct flow *f = &c->flows[i];

        if (f->used && memcmp(f->id, id, sizeof f->id) == 0) {
            f->stamp = ++c->stamp;
            return f;
        }
        if (!f->used || (oldest->used && f->stamp < oldest->stamp))
            oldest = f;
        if (!f->used)
            break;
    }
    if (oldest->requests == NULL)
        oldest->requests = mem_alloc(1, sizeof *oldest->requests);
    memcpy(oldest->id, id, sizeof oldest->id);
    oldest->used = true;
    oldest->started = false;
    oldest->stamp = ++c->stamp;
    requests_gap(oldest->requests);
    return oldest;
}

static void
segment(struct capture *c, const uint8_t *id, const uint8_t *tcp, size_t len)
{
    size_t header = (size_t)(tcp[12] >> 4) * 4;
    uint32_t seq = get32(tcp + 4), ahead;
    struct flow *f;

    if (header < 20 || header > len || !is_server(c->e, get16(tcp + 2)))
        return;
    f = flow_of(c, id);
    if (tcp[13] & 0x02) {               /* SYN */
        f->next = seq + 1;
        f->started = true;
        requests_gap(f->requests);
        return;
    }
    tcp += header;
    len -= header;
    if (len == 0)
        return;
    ahead = seq - f->next;
    if (!f->started) {
        f->started = true;
    } else if (ahead >= UINT32_C(0x80000000)) {     /* sent again */
        uint32_t again = f->next - seq;

        if (again >= len)
            return;
        tcp += again;
        len -= again;
        seq += again;
    } else if (ahead > 0) {
        c->gaps++;
        requests_gap(f->requests);
    }
    f->next = seq + (uint32_t)len;
    requests_feed(f->requests, c->e, (const char *)tcp, len);
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
    if (total < len && total > 0)
        len = total;                    /* padding of a short frame */
    if (len < header + 20)
        return;
    memcpy(id + 2 * ADDRESS, p + header, 4);
    segment(c, id, p + header, len - header);
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
    c.flows = mem_alloc(FLOWS, sizeof *c.flows);
    memset(c.flows, 0, FLOWS * sizeof *c.flows);
    while (!e->stop && (seconds == 0 || time(NULL) < end)
           && (got = pcap_next_ex(pcap, &header, &data)) >= 0) {
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
packets_read(struct evidence *e, const char *path)
{
    char why[PCAP_ERRBUF_SIZE];
    pcap_t *pcap = pcap_open_offline(path, why);
    bool ok;

    e->tally.format = "pcap";
    if (pcap == NULL) {
        cli_say("%s: %s", path, why);
        return false;
    }
    ok = run(e, pcap, path, 0);
    pcap_close(pcap);
    return ok;
}

bool
packets_live(struct evidence *e, const char *interface, unsigned seconds)
{
    char why[PCAP_ERRBUF_SIZE];
    pcap_t *pcap = pcap_open_live(interface, 65535, 0, 200, why);
    bool ok;

    memset(&e->tally, 0, sizeof e->tally);
    e->tally.format = "live";
    if (pcap == NULL) {
        cli_say("%s: %s", interface, why);
        return false;
    }
    ok = run(e, pcap, interface, seconds);
    pcap_close(pcap);
    return ok;
}
