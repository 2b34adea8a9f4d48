/* SPDX-License-Identifier: Apache-2.0 */
/*
 * peers.hpp - what one would use instead, for goals.cpp: in one file each
 * with their build and their look-up, as their programs have it.
 */
#ifndef PEERS_HPP
#define PEERS_HPP

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

#ifdef HAVE_LIBMEMCACHED
#include <libhashkit-1.0/hashkit.h>
#endif

inline uint64_t
mix(uint64_t x)
{
    x ^= x >> 30;
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 27;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

using Pair = std::pair<uint64_t, uint32_t>;

/* Calls visit(position, node) for the points of a ring of mixed numbers. */
template <typename Visit>
void
mixed_points(int nodes, int points, Visit visit, int first = 0)
{
    for (int i = first; i < first + nodes; i++) {
        uint64_t x = mix(uint64_t(i) + 77);

        for (int k = 0; k < points; k++)
            visit(mix(x += UINT64_C(0x9e3779b97f4a7c15)), uint32_t(i));
    }
}

/* A sorted array and the standard library's search. */
struct SortedRing {
    std::vector<Pair> v;

    size_t
    at(uint64_t h) const
    {
        auto it = std::lower_bound(v.begin(), v.end(), h,
                                   [](const Pair &p, uint64_t x) {
                                       return p.first < x;
                                   });

        return it == v.end() ? 0 : size_t(it - v.begin());
    }

    uint32_t
    find(uint64_t h) const
    {
        return v[at(h)].second;
    }

    uint32_t
    three(uint64_t h, uint32_t *out) const
    {
        uint32_t n = 0;

        for (size_t i = at(h), left = v.size(); left > 0 && n < 3; left--) {
            uint32_t node = v[i].second, k = 0;

            while (k < n && out[k] != node)
                k++;
            if (k == n)
                out[n++] = node;
            i = i + 1 == v.size() ? 0 : i + 1;
        }
        return n;
    }
};

inline SortedRing
sorted_ring(int nodes, int points, int first = 0)
{
    SortedRing ring;

    ring.v.reserve(size_t(nodes) * size_t(points));
    mixed_points(nodes, points, [&](uint64_t at, uint32_t node) {
        ring.v.push_back({ at, node });
    }, first);
    std::sort(ring.v.begin(), ring.v.end());
    return ring;
}

/* Positions apart from owners, and a search without branches: the better
 * peer where most steps miss every cache. */
struct BranchFree {
    std::vector<uint64_t> at;
    std::vector<uint32_t> node;

    explicit BranchFree(SortedRing &&ring)
    {
        at.reserve(ring.v.size());
        node.reserve(ring.v.size());
        for (auto &p : ring.v) {
            at.push_back(p.first);
            node.push_back(p.second);
        }
    }

    uint32_t
    find(uint64_t h) const
    {
        const uint64_t *base = at.data();
        size_t n = at.size();

        while (n > 1) {
            size_t half = n / 2;

            base += base[half - 1] < h ? half : 0;
            n -= half;
        }
        size_t i = size_t(base - at.data()) + (*base < h);

        return node[i == at.size() ? 0 : i];
    }
};

/* A red-black tree. */
struct TreeRing {
    std::map<uint64_t, uint32_t> m;

    TreeRing(int nodes, int points)
    {
        mixed_points(nodes, points, [&](uint64_t at, uint32_t node) {
            m.emplace(at, node);
        });
    }

    uint32_t
    find(uint64_t h) const
    {
        auto it = m.lower_bound(h);

        return it == m.end() ? m.begin()->second : it->second;
    }
};

/*
 * An elastic binary tree as HAProxy's, for its "consistent" balancing: a
 * radix tree whose inner nodes are kept in the entries themselves and stand
 * for the highest bit in which their two branches differ. Re-created.
 */
struct ElasticTree {
    struct Entry {
        uint64_t key;
        uint32_t node;
        int      bit;           /* of the inner node in this entry          */
        uint32_t branch[2];     /* entry * 2, + 1 for its inner node        */
    };
    std::vector<Entry> v;
    uint32_t root = 0;

    ElasticTree(int nodes, int points)
    {
        v.reserve(size_t(nodes) * size_t(points));
        mixed_points(nodes, points, [&](uint64_t at, uint32_t node) {
            insert(at, node);
        });
    }

    void
    insert(uint64_t key, uint32_t node)
    {
        uint32_t me = uint32_t(v.size()), *link = &root;

        v.push_back({ key, node, -1, { 0, 0 } });
        if (me == 0)
            return;
        while (*link & 1) {
            Entry &inner = v[*link / 2];

            if ((key ^ inner.key) >> inner.bit > 1)
                break;
            link = &inner.branch[key >> inner.bit & 1];
        }
        uint64_t differ = key ^ v[*link / 2].key;

        if (differ == 0)
            return;             /* the same position: the first one stays   */
        v[me].bit = 63 - __builtin_clzll(differ);
        v[me].branch[key >> v[me].bit & 1] = me * 2;
        v[me].branch[~key >> v[me].bit & 1] = *link;
        *link = me * 2 + 1;
    }

    uint32_t
    find(uint64_t h) const
    {
        uint32_t at = root, after = UINT32_MAX;     /* the next one's branch */

        while (at & 1) {
            const Entry &inner = v[at / 2];

            if ((h ^ inner.key) >> inner.bit > 1) {
                if (h > inner.key)
                    at = after == UINT32_MAX ? root : after;
                return first(at);
            }
            if (h >> inner.bit & 1) {
                at = inner.branch[1];
            } else {
                after = inner.branch[1];
                at = inner.branch[0];
            }
        }
        if (v[at / 2].key < h)
            return first(after == UINT32_MAX ? root : after);
        return v[at / 2].node;
    }

    uint32_t
    first(uint32_t at) const
    {
        while (at & 1)
            at = v[at / 2].branch[0];
        return v[at / 2].node;
    }
};

/* As Envoy's and gRPC's ring_hash: XXH64 of "host_i", sorted; a look-up is
 * their binary search for the first entry at or after the hash. */
struct EnvoyRing {
    std::vector<Pair> v;

    EnvoyRing(const std::vector<std::string> &hosts, int points)
    {
        v.reserve(hosts.size() * size_t(points));
        for (size_t i = 0; i < hosts.size(); i++) {
            std::string text = hosts[i] + "_";
            size_t len = text.size();

            for (int k = 0; k < points; k++) {
                text.resize(len);
                text += std::to_string(k);
                v.push_back({ XXH64(text.data(), text.size(), 0),
                              uint32_t(i) });
            }
        }
        std::sort(v.begin(), v.end());
    }

    uint32_t
    find(const char *key, size_t len) const
    {
        uint64_t h = XXH64(key, len, 0);
        int64_t low = 0, high = int64_t(v.size());

        for (;;) {
            int64_t mid = (low + high) / 2;

            if (mid == int64_t(v.size()))
                return v[0].second;
            uint64_t at = v[size_t(mid)].first;
            uint64_t before = mid == 0 ? 0 : v[size_t(mid) - 1].first;

            if (h <= at && h > before)
                return v[size_t(mid)].second;
            if (at < h)
                low = mid + 1;
            else
                high = mid - 1;
            if (low > high)
                return v[0].second;
        }
    }
};

#ifdef HAVE_LIBMEMCACHED
/*
 * libmemcached's weighted ketama, which itself aborts above 100 servers: its
 * loops and its comparison sort, with the MD5 of its own library. Re-created;
 * goals.cpp compares the owners with the library's where both work.
 */
struct MemcachedRing {
    struct Item {
        uint32_t index;
        uint32_t value;
    };
    std::vector<Item> v;

    static int
    by_value(const void *a, const void *b)
    {
        uint32_t x = static_cast<const Item *>(a)->value;
        uint32_t y = static_cast<const Item *>(b)->value;

        return x < y ? -1 : x > y;
    }

    /* hosts: address and port, the weights equal. */
    explicit MemcachedRing(const std::vector<std::string> &hosts)
    {
        float count = float(hosts.size()), percent = 1.0f / count;
        uint32_t points = uint32_t(std::floor(float(
            percent * 160 / 4 * count + 0.0000000001))) * 4;

        v.reserve(hosts.size() * points);
        for (uint32_t host = 0; host < hosts.size(); host++) {
            for (uint32_t i = 0; i < points / 4; i++) {
                std::string text = hosts[host] + "-" + std::to_string(i);
                unsigned char digest[16];

                libhashkit_md5_signature(
                    reinterpret_cast<const unsigned char *>(text.data()),
                    text.size(), digest);
                for (int x = 0; x < 4; x++)
                    v.push_back({ host,
                                  uint32_t(digest[3 + x * 4]) << 24 |
                                  uint32_t(digest[2 + x * 4]) << 16 |
                                  uint32_t(digest[1 + x * 4]) << 8 |
                                  uint32_t(digest[x * 4]) });
            }
        }
        qsort(v.data(), v.size(), sizeof(Item), by_value);
    }

    uint32_t
    find(const char *key, size_t len) const
    {
        uint32_t hash = libhashkit_md5(key, len);
        const Item *begin = v.data(), *end = begin + v.size();
        const Item *left = begin, *right = end;

        while (left < right) {
            const Item *middle = left + (right - left) / 2;

            if (middle->value < hash)
                left = middle + 1;
            else
                right = middle;
        }
        return right == end ? begin->index : right->index;
    }
};
#endif

/* The paper's function. */
inline uint32_t
jump(uint64_t key, int32_t buckets)
{
    int64_t b = -1, j = 0;

    while (j < buckets) {
        b = j;
        key = key * UINT64_C(2862933555777941757) + 1;
        j = int64_t(double(b + 1) *
                    (double(INT64_C(1) << 31) / double((key >> 33) + 1)));
    }
    return uint32_t(b);
}

#endif
