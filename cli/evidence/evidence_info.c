/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence_info.c - counters of Redis: INFO, whole or by section; commandstats
 * count requests, and how long they took. A section that comes again begins
 * the next sample.
 */
#include <string.h>

#include "base/str.h"
#include "cli/evidence/evidence.h"

static const char *const sections[] = {
    "# Server", "# Clients", "# Memory", "# Persistence", "# Stats",
    "# Replication", "# CPU", "# Modules", "# Commandstats", "# Errorstats",
    "# Cluster", "# Keyspace", NULL
};

static bool
is_section(const char *s, size_t len)
{
    size_t i;

    for (i = 0; sections[i] != NULL; i++)
        if (strlen(sections[i]) == len && memcmp(s, sections[i], len) == 0)
            return true;
    return false;
}

/* "name:value", no blank in the name. */
static bool
claims(const char *s, size_t len)
{
    const char *colon = memchr(s, ':', len);
    size_t i;

    if (is_section(s, len))
        return true;
    for (i = 0; colon != NULL && i < (size_t)(colon - s); i++)
        if (!((s[i] >= 'a' && s[i] <= 'z') || s[i] == '_' || s[i] == '|'
              || s[i] == '-' || (s[i] >= '0' && s[i] <= '9')))
            return false;
    return colon != NULL && memchr(s, '_', (size_t)(colon - s)) != NULL;
}

/* The number behind name= in "calls=10,usec=55,...". */
static bool
part(const char *s, size_t len, const char *name, uint64_t *out)
{
    size_t n = strlen(name), i;

    for (i = 0; i + n < len; i++)
        if ((i == 0 || s[i - 1] == ',') && memcmp(s + i, name, n) == 0)
            return evidence_number(s + i + n, len - i - n, out);
    return false;
}

/* "get" of "cmdstat_get", or "config|get": the word in front counts. */
static enum line_result
command(struct evidence *e, const char *name, size_t name_len, const char *s,
        size_t len)
{
    const char *bar = memchr(name, '|', name_len);
    uint64_t calls, busy;
    bool many;

    if (!part(s, len, "calls=", &calls))
        return LINE_DAMAGED;
    if (part(s, len, "usec=", &busy))
        evidence_counter(e, COUNT_BUSY_US, busy);
    if (bar != NULL)
        name_len = (size_t)(bar - name);
    if (redis_command(name, name_len, &many) == REDIS_NO_KEY)
        return LINE_OTHER;
    evidence_counter(e, COUNT_REQUESTS, calls);
    return LINE_USED;
}

static enum line_result
line(struct evidence *e, const char *s, size_t len)
{
    static const struct {
        const char  *name;
        enum counter counter;
    } rows[] = {
        { "uptime_in_seconds", COUNT_UPTIME },
        { "total_commands_processed", COUNT_COMMANDS },
        { "total_net_input_bytes", COUNT_BYTES },
        { "total_net_output_bytes", COUNT_BYTES },
        { "keyspace_hits", COUNT_HITS },
        { "keyspace_misses", COUNT_MISSES },
        { "evicted_keys", COUNT_EVICTIONS },
        { "maxmemory", COUNT_CAPACITY }
    };
    const char *colon = memchr(s, ':', len), *value;
    size_t n, i;
    uint64_t x;

    if (is_section(s, len)) {
        if (strlen(e->section) == len && memcmp(e->section, s, len) == 0)
            evidence_sample(e);
        if (e->sample.has == 0 && len < sizeof e->section) {
            memcpy(e->section, s, len);
            e->section[len] = '\0';
        }
        return LINE_OTHER;
    }
    if (evidence_begins(s, len, "# ")) {
        evidence_node(e, s + 2, len - 2);
        return LINE_OTHER;
    }
    if (colon == NULL)
        return LINE_DAMAGED;
    n = (size_t)(colon - s);
    value = colon + 1;
    if (n > 8 && memcmp(s, "cmdstat_", 8) == 0)
        return command(e, s + 8, n - 8, value, len - n - 1);
    if (n > 2 && s[0] == 'd' && s[1] == 'b' && part(value, len - n - 1,
                                                   "keys=", &x)) {
        evidence_counter(e, COUNT_ITEMS, x);
        return LINE_USED;
    }
    for (i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strlen(rows[i].name) != n || memcmp(rows[i].name, s, n) != 0)
            continue;
        if (!str_uint(value, len - n - 1, UINT64_MAX, &x))
            return LINE_DAMAGED;
        evidence_counter(e, rows[i].counter, x);
        return LINE_USED;
    }
    return LINE_OTHER;
}

const struct evidence_format evidence_info = {
    "info", "Redis: INFO, or INFO commandstats, of one node or several",
    false, claims, line, evidence_sample
};
