/* SPDX-License-Identifier: Apache-2.0 */
/* evidence.c - find out the format, read every line, count what was damaged. */
#include "cli/evidence/evidence.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/progress.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/evidence/evidence_rows.h"
#include "cli/evidence/packets.h"
#include "cli/evidence/stream.h"

#define DECLARE(id) extern const struct evidence_format evidence_##id;
#define ENTRY(id)   &evidence_##id,

EVIDENCE_ROWS(DECLARE)

static const struct evidence_format *const table[] = { EVIDENCE_ROWS(ENTRY) };

enum { ROWS = sizeof table / sizeof *table, LOOKED_AT = 64 };

const struct evidence_format *
evidence_at(unsigned i)
{
    return i < ROWS ? table[i] : NULL;
}

const struct evidence_format *
evidence_find(const char *name)
{
    unsigned i;

    for (i = 0; i < ROWS; i++)
        if (strcmp(table[i]->name, name) == 0)
            return table[i];
    return NULL;
}

/* ---- which format ------------------------------------------------------- */

/* The first row that claims half of the first lines that say anything. */
static const struct evidence_format *
recognise(const char *data, size_t len)
{
    unsigned claimed[ROWS] = { 0 }, lines = 0, i;
    const char *p = data, *end = data + len;

    while (p < end && lines < LOOKED_AT) {
        const char *stop = memchr(p, '\n', (size_t)(end - p));
        size_t n = (size_t)((stop ? stop : end) - p);

        if (stop == NULL && lines > 0)
            break;              /* a line that is not all here */
        if (n > 0 && p[n - 1] == '\r')
            n--;
        for (i = 0; i < ROWS && n > 0; i++)
            claimed[i] += table[i]->claims(p, n);
        lines += n > 0;
        p = stop ? stop + 1 : end;
    }
    for (i = 0; i < ROWS; i++)
        if (lines > 0 && claimed[i] * 2 >= lines)
            return table[i];
    return table[ROWS - 1];
}

/* ---- reading ------------------------------------------------------------ */

void
evidence_count(struct evidence *e, enum line_result r)
{
    struct evidence_tally *t = &e->tally;

    t->lines++;
    if (r == LINE_USED) {
        t->used++;
    } else if (r == LINE_OTHER) {
        t->other++;
    } else {
        if (t->damaged < DAMAGE_SHOWN)
            t->first_damaged[t->damaged] = t->lines;
        t->damaged++;
    }
}

void
evidence_begin(struct evidence *e)
{
    memset(&e->tally, 0, sizeof e->tally);
    memset(&e->sample, 0, sizeof e->sample);
    memset(&e->json, 0, sizeof e->json);
    e->section[0] = '\0';
    e->uptime = 0;
}

bool
evidence_read(struct evidence *e, const char *path)
{
    const struct evidence_format *f = e->args->format;
    struct progress progress;
    const char *line;
    struct stream s;
    size_t len;
    bool endless;

    evidence_begin(e);
    if (!stream_open(&s, path, e->args->nul ? '\0' : '\n')) {
        cli_cannot_read(path, errno);
        return false;
    }
    s.idle = e->idle;
    s.idle_context = e->context;
    if (f == NULL && stream_peek(&s, &line, &len)
        && packets_claims(line, len)) {
        endless = packets_read(e, &s, path);
        stream_close(&s);
        return endless;
    }
    e->repeats = f != NULL && f->repeats;
    progress_start(&progress, "lines");
    while (!e->stop && stream_line(&s, &line, &len, &endless)) {
        if (f == NULL) {
            /* the first buffer still holds what follows this line */
            f = recognise(line, (size_t)(s.data + s.end - line));
            e->repeats = f->repeats;
        }
        evidence_count(e, endless ? LINE_DAMAGED
                          : len == 0 && f != &evidence_keys ? LINE_OTHER
                                     : f->line(e, line, len));
        progress_tick(&progress, e->tally.lines);
    }
    progress_end(&progress);
    if (f != NULL && f->end != NULL)
        f->end(e);
    e->tally.format = f ? f->name : "empty";
    e->tally.bytes = s.bytes;
    e->tally.truncated |= s.truncated || s.damaged;
    if (s.error != 0)
        cli_cannot_read(path, s.error);
    stream_close(&s);
    return s.error == 0;
}

double
evidence_understood(const struct evidence_tally *t)
{
    uint64_t told = t->used + t->other + t->damaged;

    return told > 0 ? (double)(t->used + t->other) / (double)told : 0;
}

const char *
evidence_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

void
evidence_report(const struct evidence_tally *t, const char *path)
{
    struct buf b = { 0 };
    bool packets;
    unsigned i;

    if (t->damaged > 0) {
        buf_str(&b, "; first damaged ones:");
        for (i = 0; i < DAMAGE_SHOWN && i < t->damaged; i++)
            buf_print(&b, " %" PRIu64, t->first_damaged[i]);
    }
    if (t->truncated)
        buf_str(&b, "; the file breaks off");
    if (t->gaps > 0)
        buf_print(&b, "; %" PRIu64 " gaps between packets", t->gaps);
    if (t->clock_back > 0)
        buf_print(&b, "; the clock goes back %" PRIu64 " times, first at %"
                  PRIu64, t->clock_back, t->first_back);
    packets = strcmp(t->format, "pcap") == 0 || strcmp(t->format, "live") == 0;
    cli_say("%s: %s, %" PRIu64 " %s, %.2f %% understood%s",
            evidence_name(path), t->format, t->lines,
            packets ? "commands" : "lines", 100 * evidence_understood(t),
            b.data ? b.data : "");
    buf_free(&b);
}

/* ---- counters ----------------------------------------------------------- */

void
evidence_counter(struct evidence *e, enum counter c, uint64_t value)
{
    e->sample.has |= 1u << c;
    e->sample.count[c] += value;
}

void
evidence_sample(struct evidence *e)
{
    struct sample *s = &e->sample;

    if (s->has != 0 && e->sample_of != NULL)
        e->sample_of(e->context, s);
    s->has = 0;
    memset(s->count, 0, sizeof s->count);
}

void
evidence_node(struct evidence *e, const char *name, size_t len)
{
    struct sample *s = &e->sample;

    evidence_sample(e);
    while (len > 0 && name[len - 1] == ' ')
        len--;
    s->node_len = len < sizeof s->node ? len : sizeof s->node;
    memcpy(s->node, name, s->node_len);
}

/* ---- help for formats --------------------------------------------------- */

bool
evidence_begins(const char *s, size_t len, const char *with)
{
    size_t n = strlen(with);

    return len >= n && memcmp(s, with, n) == 0;
}

size_t
evidence_base64(struct evidence *e, const char *s, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = 0;
    size_t n = 0, i;
    unsigned have = 0;

    while (len > 0 && s[len - 1] == '=')
        len--;
    if (len > sizeof e->key)
        return SIZE_MAX;
    for (i = 0; i < len; i++) {
        const char *d = s[i] ? strchr(digits, s[i]) : NULL;

        if (d == NULL)
            return SIZE_MAX;
        bits = bits << 6 | (uint32_t)(d - digits);
        have += 6;
        if (have >= 8) {
            have -= 8;
            e->key[n++] = (char)(bits >> have & 0xff);
        }
    }
    return n;
}

const char *
evidence_field(const char *line, size_t len, const char *name,
               size_t *value_len)
{
    size_t n = strlen(name);
    const char *p = line, *end = line + len, *stop;

    for (; (size_t)(end - p) > n; p++) {
        if ((p == line || p[-1] == ' ') && memcmp(p, name, n) == 0
            && p[n] == '=') {
            p += n + 1;
            stop = memchr(p, ' ', (size_t)(end - p));
            *value_len = (size_t)((stop ? stop : end) - p);
            return p;
        }
        p = memchr(p, ' ', (size_t)(end - p));
        if (p == NULL)
            return NULL;
    }
    return NULL;
}

size_t
evidence_unescape(struct evidence *e, const char *s, size_t len)
{
    size_t in, out = 0;

    if (len > sizeof e->key)
        return SIZE_MAX;
    if (memchr(s, '%', len) == NULL) {
        memcpy(e->key, s, len);
        return len;
    }
    for (in = 0; in < len; in++, out++) {
        if (s[in] == '%' && len - in > 2
            && str_unhex(s + in + 1, 2, &e->key[out]))
            in += 2;
        else
            e->key[out] = s[in];
    }
    return out;
}

bool
evidence_number(const char *s, size_t len, uint64_t *out)
{
    size_t digits = 0;

    while (digits < len && s[digits] >= '0' && s[digits] <= '9')
        digits++;
    return str_uint(s, digits, UINT64_MAX, out);
}

void
evidence_time(struct evidence *e, double seconds)
{
    struct evidence_tally *t = &e->tally;

    if (t->first_time == 0 || seconds < t->first_time)
        t->first_time = seconds;
    if (t->latest > 0 && seconds < t->latest - 1 && t->clock_back++ == 0)
        t->first_back = t->lines + 1;
    t->latest = seconds;
    if (seconds > t->last_time)
        t->last_time = seconds;
}
