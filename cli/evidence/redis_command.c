/* SPDX-License-Identifier: Apache-2.0 */
/* redis_command.c - which commands of Redis name keys, and what they do. */
#include <string.h>

#include "cli/evidence/evidence.h"

static const struct {
    const char     *name;
    enum redis_kind kind;
    bool            many;
} rows[] = {
    { "GET", REDIS_READ, false },       { "MGET", REDIS_READ, true },
    { "HGET", REDIS_READ, false },      { "HGETALL", REDIS_READ, false },
    { "HMGET", REDIS_READ, false },     { "HKEYS", REDIS_READ, false },
    { "HVALS", REDIS_READ, false },     { "HLEN", REDIS_READ, false },
    { "HEXISTS", REDIS_READ, false },   { "HSCAN", REDIS_READ, false },
    { "LRANGE", REDIS_READ, false },    { "LINDEX", REDIS_READ, false },
    { "LLEN", REDIS_READ, false },      { "SMEMBERS", REDIS_READ, false },
    { "SISMEMBER", REDIS_READ, false }, { "SCARD", REDIS_READ, false },
    { "SSCAN", REDIS_READ, false },     { "ZRANGE", REDIS_READ, false },
    { "ZREVRANGE", REDIS_READ, false }, { "ZRANGEBYSCORE", REDIS_READ, false },
    { "ZSCORE", REDIS_READ, false },    { "ZRANK", REDIS_READ, false },
    { "ZCARD", REDIS_READ, false },     { "ZSCAN", REDIS_READ, false },
    { "EXISTS", REDIS_READ, true },     { "TOUCH", REDIS_READ, true },
    { "TTL", REDIS_READ, false },       { "PTTL", REDIS_READ, false },
    { "TYPE", REDIS_READ, false },      { "STRLEN", REDIS_READ, false },
    { "GETRANGE", REDIS_READ, false },  { "DUMP", REDIS_READ, false },
    { "SINTER", REDIS_READ, true }, { "SUNION", REDIS_READ, true },
    { "SDIFF", REDIS_READ, true }, { "WATCH", REDIS_READ, true },
    { "DEL", REDIS_DELETE, true },      { "UNLINK", REDIS_DELETE, true },
    { "GETDEL", REDIS_DELETE, false },
    { "PING", REDIS_NO_KEY, false },    { "AUTH", REDIS_NO_KEY, false },
    { "SELECT", REDIS_NO_KEY, false },  { "INFO", REDIS_NO_KEY, false },
    { "CLIENT", REDIS_NO_KEY, false },  { "CONFIG", REDIS_NO_KEY, false },
    { "MULTI", REDIS_NO_KEY, false },   { "EXEC", REDIS_NO_KEY, false },
    { "DISCARD", REDIS_NO_KEY, false }, { "COMMAND", REDIS_NO_KEY, false },
    { "SCAN", REDIS_NO_KEY, false },    { "MONITOR", REDIS_NO_KEY, false },
    { "CLUSTER", REDIS_NO_KEY, false }, { "HELLO", REDIS_NO_KEY, false },
    { "QUIT", REDIS_NO_KEY, false },    { "RESET", REDIS_NO_KEY, false },
    { "DBSIZE", REDIS_NO_KEY, false },  { "KEYS", REDIS_NO_KEY, false },
    { "RANDOMKEY", REDIS_NO_KEY, false }, { "TIME", REDIS_NO_KEY, false },
    { "PUBLISH", REDIS_NO_KEY, false }, { "SUBSCRIBE", REDIS_NO_KEY, false },
    { "PSUBSCRIBE", REDIS_NO_KEY, false }, { "ECHO", REDIS_NO_KEY, false },
    { "EVAL", REDIS_NO_KEY, false },    { "EVALSHA", REDIS_NO_KEY, false },
    { "SCRIPT", REDIS_NO_KEY, false },  { "FUNCTION", REDIS_NO_KEY, false },
    { "FLUSHALL", REDIS_NO_KEY, false }, { "FLUSHDB", REDIS_NO_KEY, false },
    { "WAIT", REDIS_NO_KEY, false },    { "REPLCONF", REDIS_NO_KEY, false },
    { "PSYNC", REDIS_NO_KEY, false },   { "SLOWLOG", REDIS_NO_KEY, false },
    { "LATENCY", REDIS_NO_KEY, false }, { "MEMORY", REDIS_NO_KEY, false },
    { "OBJECT", REDIS_NO_KEY, false },  { "ACL", REDIS_NO_KEY, false },
    { "UNSUBSCRIBE", REDIS_NO_KEY, false },
    { "PUNSUBSCRIBE", REDIS_NO_KEY, false },
    { "SSUBSCRIBE", REDIS_NO_KEY, false },
    { "SUNSUBSCRIBE", REDIS_NO_KEY, false },
    { "SPUBLISH", REDIS_NO_KEY, false }, { "PUBSUB", REDIS_NO_KEY, false },
    { "UNWATCH", REDIS_NO_KEY, false }, { "ASKING", REDIS_NO_KEY, false },
    { "READONLY", REDIS_NO_KEY, false }, { "READWRITE", REDIS_NO_KEY, false },
    { "SWAPDB", REDIS_NO_KEY, false }, { "SAVE", REDIS_NO_KEY, false },
    { "BGSAVE", REDIS_NO_KEY, false }, { "BGREWRITEAOF", REDIS_NO_KEY, false },
    { "LASTSAVE", REDIS_NO_KEY, false }, { "ROLE", REDIS_NO_KEY, false },
    { "REPLICAOF", REDIS_NO_KEY, false }, { "SLAVEOF", REDIS_NO_KEY, false },
    { "SYNC", REDIS_NO_KEY, false }, { "SHUTDOWN", REDIS_NO_KEY, false },
    { "DEBUG", REDIS_NO_KEY, false }, { "MODULE", REDIS_NO_KEY, false },
    { "FAILOVER", REDIS_NO_KEY, false }, { "WAITAOF", REDIS_NO_KEY, false },
    { "LOLWUT", REDIS_NO_KEY, false },
    /* Their keys stand behind other words, which must not pass for keys; what
     * a script asks for, MONITOR shows as well. */
    { "BITOP", REDIS_NO_KEY, false }, { "XREAD", REDIS_NO_KEY, false },
    { "XREADGROUP", REDIS_NO_KEY, false }, { "XGROUP", REDIS_NO_KEY, false },
    { "XINFO", REDIS_NO_KEY, false }, { "MIGRATE", REDIS_NO_KEY, false },
    { "EVAL_RO", REDIS_NO_KEY, false }, { "EVALSHA_RO", REDIS_NO_KEY, false },
    { "FCALL", REDIS_NO_KEY, false }, { "FCALL_RO", REDIS_NO_KEY, false },
    { "LMPOP", REDIS_NO_KEY, false }, { "BLMPOP", REDIS_NO_KEY, false },
    { "ZMPOP", REDIS_NO_KEY, false }, { "BZMPOP", REDIS_NO_KEY, false },
    { "SINTERCARD", REDIS_NO_KEY, false },
    { "ZINTERCARD", REDIS_NO_KEY, false }, { "ZUNION", REDIS_NO_KEY, false },
    { "ZINTER", REDIS_NO_KEY, false }, { "ZDIFF", REDIS_NO_KEY, false }
};

static bool
same(const char *name, const char *s, size_t len)
{
    size_t i;

    if (strlen(name) != len)
        return false;
    for (i = 0; i < len; i++)
        if ((s[i] >= 'a' && s[i] <= 'z' ? s[i] - 32 : s[i]) != name[i])
            return false;
    return true;
}

enum redis_kind
redis_command(const char *name, size_t len, bool *many)
{
    size_t i;

    for (i = 0; i < sizeof rows / sizeof *rows; i++)
        if (same(rows[i].name, name, len)) {
            *many = rows[i].many;
            return rows[i].kind;
        }
    *many = false;
    return REDIS_WRITE;
}
