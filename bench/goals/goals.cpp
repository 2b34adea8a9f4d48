/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goals.cpp - ours against what one would use instead, size by size.
 *
 *     goals [NODES...]      10 100 1000 10000 100000
 *
 * Writes lines: goal TAB size TAB ours TAB peer TAB ratio TAB goal TAB what;
 * "-" for a goal: a comparison that nothing was promised of. At last
 * "# rounds" TAB rounds done once more TAB rounds that count though disturbed.
 * ours and peer are ns or bytes, medians of 7 rounds of thread CPU time in
 * which the contenders take turns. Ours is called through the shared library;
 * peers are inlined, as they would be. bench/README.md says what each asks.
 */
#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "clockwise/clockwise.h"
#include "clockwise/clockwise_live.h"

#ifdef HAVE_LIBMEMCACHED
#include <libmemcached/memcached.h>
#endif

#include "peers.hpp"

namespace {

constexpr int ROUNDS = 7;
constexpr int ROUNDS_MOST = 2 * ROUNDS;     /* with those done once more */
constexpr size_t KEYS = 1 << 20;

volatile uint64_t sink;

double
cpu_ns()
{
    timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
}

/* ---- processors -------------------------------------------------------- */

/*
 * Of a virtual machine a processor may share its core with a neighbour, for
 * seconds or hours. What runs there then takes half as long again or more, a
 * search that waits for its own results less than a look-up that does much at
 * once. So before and after each round a probe of such work tells whether the
 * core is shared; a round that was disturbed is left out, for all contenders
 * alike, and done once more, at most as many times as there are rounds.
 * Threads stay where they are put, so that all contenders run on the same
 * processor.
 */
std::vector<int> processors;    /* that may be used, the quickest first     */
double probe_best = 1e300;      /* ns                                       */
int rounds_repeated, rounds_disturbed;

void
stay_on(size_t i)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(size_t(processors[i % processors.size()]), &set);
    sched_setaffinity(0, sizeof set, &set);
}

/* ns for work that many execution units share. */
double
probe_once()
{
    uint64_t x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, sum = 0;
    double begin = cpu_ns();

    for (int i = 0; i < 1 << 16; i++)
        for (uint64_t &v : x)
            v = v * UINT64_C(0x9e3779b97f4a7c15) ^ v >> 29;
    for (uint64_t v : x)
        sum += v;
    sink = sum;
    return cpu_ns() - begin;
}

double
probe()
{
    double took = std::min({ probe_once(), probe_once(), probe_once() });

    probe_best = std::min(probe_best, took);
    return took;
}

/* The quickest processor first, which is where this thread goes. */
void
choose_processor()
{
    std::vector<std::pair<double, int>> found;

    for (int cpu : std::vector<int>(processors)) {
        processors = { cpu };
        stay_on(0);
        found.push_back({ probe(), cpu });
    }
    std::sort(found.begin(), found.end());
    processors.clear();
    for (auto &f : found)
        processors.push_back(f.second);
    stay_on(0);
}

/* Is one of the first n processors disturbed? */
bool
disturbed(size_t n)
{
    bool bad = false;

    for (size_t i = 0; i < n; i++) {
        stay_on(i);
        bad = probe() > 1.15 * probe_best || bad;
    }
    stay_on(0);
    return bad;
}

/* So many processors that are not disturbed, waiting some seconds for them;
 * returns whether they were found. */
bool
choose_quiet(size_t n)
{
    timespec nap = { 0, 200000000 };

    for (int i = 0; i < 50; i++) {
        choose_processor();
        if (!disturbed(n))
            return true;
        nanosleep(&nap, nullptr);
    }
    return false;
}

/* `round`, which runs on n processors, so many times and those times more that
 * it was disturbed; keep: called after a round that counts. */
void
quiet_rounds(int rounds, size_t n, const std::function<void()> &round,
             const std::function<void()> &keep)
{
    for (int kept = 0, spare = rounds; kept < rounds;) {
        bool bad = disturbed(n);

        if (bad && spare > 0)
            bad = !choose_quiet(n);
        round();
        bad = disturbed(n) || bad;
        if (bad && spare > 0) {
            spare--;
            rounds_repeated++;
            continue;
        }
        rounds_disturbed += bad;
        kept++;
        keep();
    }
}

void
find_processors()
{
    cpu_set_t set;

    sched_getaffinity(0, sizeof set, &set);
    for (int i = 0; i < CPU_SETSIZE; i++) {
        if (CPU_ISSET(size_t(i), &set))
            processors.push_back(i);
    }
    choose_processor();
}

/* ---- taking turns ------------------------------------------------------ */

double
median(std::vector<double> v)
{
    std::sort(v.begin(), v.end());
    return v[v.size() / 2];
}

/* Each runs once a round; the result is the median, for one of `units`. */
std::vector<double>
turns(const std::vector<std::function<void()>> &contenders, double units,
      int rounds = ROUNDS)
{
    std::vector<std::vector<double>> all(contenders.size());
    std::vector<double> medians, took(contenders.size());

    quiet_rounds(rounds, 1, [&] {
        for (size_t i = 0; i < contenders.size(); i++) {
            double begin = cpu_ns();

            contenders[i]();
            took[i] = (cpu_ns() - begin) / units;
        }
    }, [&] {
        for (size_t i = 0; i < contenders.size(); i++)
            all[i].push_back(took[i]);
    });
    for (auto &v : all)
        medians.push_back(median(v));
    return medians;
}

void
row(const char *goal, int size, double ours, double peer, double wanted,
    const char *what)
{
    printf("%s\t%d\t%.4g\t%.4g\t%.3g\t%g\t%s\n", goal, size, ours, peer,
           peer / ours, wanted, what);
    fflush(stdout);
}

/* A peer beside those of the goals. */
void
compare(const char *goal, int size, double ours, double peer,
        const char *what)
{
    printf("%s\t%d\t%.4g\t%.4g\t%.3g\t-\t%s\n", goal, size, ours, peer,
           peer / ours, what);
    fflush(stdout);
}

/* Goals by column: 10, 100, 1,000, 10,000, 100,000, 1,000,000 nodes; 0:
 * none. */
double
wanted(int size, double g10, double g100, double g1k, double g10k,
       double g100k = 0, double g1m = 0)
{
    return size == 10 ? g10 : size == 100 ? g100 : size == 1000 ? g1k
         : size == 10000 ? g10k : size == 100000 ? g100k
         : size == 1000000 ? g1m : 0;
}

/* ---- ours -------------------------------------------------------------- */

std::string
name_of(int i)
{
    return "10." + std::to_string(i >> 16) + "." +
           std::to_string(i >> 8 & 255) + "." + std::to_string(i & 255) +
           ":11212";
}

cw_fleet *
fleet_of(int nodes, int first = 0)
{
    cw_fleet *fleet = cw_fleet_new(nullptr);

    for (int i = 0; i < nodes; i++) {
        std::string name = name_of(first + i);

        if (cw_fleet_add(fleet, name.data(), name.size(), CW_WEIGHT_ONE,
                         nullptr) != CW_OK)
            abort();
    }
    return fleet;
}

cw_placement *
placement_of(const std::vector<std::pair<const char *, std::string>> &options)
{
    cw_placement *p = cw_placement_new(nullptr);
    cw_error err;

    for (auto &o : options) {
        if (cw_placement_set(p, o.first, o.second.c_str(), &err) != CW_OK) {
            fprintf(stderr, "goals: %s\n", err.text);
            exit(1);
        }
    }
    return p;
}

cw_map *
build(const cw_fleet *fleet, const cw_placement *p)
{
    cw_map *map = nullptr;
    cw_error err;

    if (cw_map_build(fleet, p, &map, &err) != CW_OK) {
        fprintf(stderr, "goals: %s\n", err.text);
        exit(1);
    }
    return map;
}

struct Input {
    std::vector<uint64_t> hash;
    std::vector<char>     bytes;        /* keys of 16 bytes                 */
    std::vector<cw_key>   key;

    Input() : hash(KEYS), bytes(KEYS * 16), key(KEYS)
    {
        uint64_t x = 1;

        for (size_t i = 0; i < KEYS; i++) {
            hash[i] = mix(x += UINT64_C(0x9e3779b97f4a7c15));
            for (int k = 0; k < 16; k++)
                bytes[i * 16 + size_t(k)] =
                    "0123456789abcdef"[hash[i] >> 4 * k & 15];
            key[i].data = &bytes[i * 16];
            key[i].len = 16;
        }
    }
};

/* ---- questions --------------------------------------------------------- */

/* Look-ups of n positions one by one: independent, then each after the one
 * before. The sum keeps the compiler from leaving them out. */
template <typename Find>
void
each(const Input &in, size_t n, Find find)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += find(in.hash[i]);
    sink = sum;
}

template <typename Find>
void
chain(const Input &in, size_t n, Find find)
{
    uint64_t last = 0;

    for (size_t i = 0; i < n; i++)
        last = find(in.hash[i] ^ last);
    sink = last;
}

/* A table as large as the lines of a ring: one load is the least. */
struct Floor {
    std::vector<uint64_t> v;

    Floor(int nodes, int points)
        : v(size_t(nodes) * size_t(points) / (nodes > 65535 ? 4 : 7) * 8 + 8,
            1)
    {
    }

    uint64_t
    find(uint64_t h) const
    {
        return v[size_t((unsigned __int128)h * v.size() >> 64)];
    }
};

/* Ours, one at a time. */
struct Ours {
    const cw_map *map;

    uint32_t
    find(uint64_t h) const
    {
        return cw_map_pick_hash(map, h);
    }
};

/* n of them by batches of `size`; n is a multiple of it. */
void
many(const Input &in, size_t n, const cw_map *map, size_t size,
     std::vector<uint32_t> &out)
{
    for (size_t i = 0; i < n; i += size)
        cw_map_owner_hash_many(map, &in.hash[i], size, &out[i]);
}

/* G1, G2, G3, G17; peer: what is searched instead. */
template <typename Peer>
void
hash_lookups(const Input &in, int nodes, int points, size_t n,
             const cw_map *map, const Peer &peer, const char *against)
{
    Floor least(nodes, points);
    Ours ours = { map };
    std::vector<uint32_t> out(n);
    std::string what = against;

    auto m = turns({
        [&] { each(in, n, [&](uint64_t h) { return ours.find(h); }); },
        [&] { each(in, n, [&](uint64_t h) { return peer.find(h); }); },
        [&] { many(in, n, map, 64, out); },
        [&] { many(in, n, map, 256, out); },
        [&] { chain(in, n, [&](uint64_t h) { return ours.find(h); }); },
        [&] { chain(in, n, [&](uint64_t h) { return peer.find(h); }); },
        [&] { chain(in, n, [&](uint64_t h) { return least.find(h); }); },
    }, double(n));

    row("G1", nodes, m[0], m[1], wanted(nodes, 10, 18, 25, 20, 20, 25),
        ("ready hash, against " + what).c_str());
    row("G2", nodes, m[3], m[1], wanted(nodes, 15, 20, 35, 30, 35, 40),
        ("batch of 256 ready hashes, against " + what).c_str());
    compare("G2", nodes, m[2], m[1],
            ("batch of 64 ready hashes, against " + what).c_str());
    row("G3", nodes, m[4], m[5], wanted(nodes, 4, 5, 5, 3, 4, 6),
        ("each after the one before, against " + what).c_str());
    row("G17", nodes, m[4], m[6], 1 / (nodes == 10 ? 2.5 : nodes == 100 ? 2.3
        : nodes == 1000 ? 1.5 : nodes == 10000 ? 1.2
        : nodes == 100000 ? 1.15 : 1.3),
        "each after the one before, against one load of a table as large");
}

/* G14: three distinct nodes. */
void
three_owners(const Input &in, int nodes, size_t n, const cw_map *map,
             const SortedRing &sorted)
{
    auto m = turns({
        [&] {
            each(in, n, [&](uint64_t h) {
                uint32_t three[3];

                return cw_map_order_hash(map, h, three, 3) + three[2];
            });
        },
        [&] {
            each(in, n, [&](uint64_t h) {
                uint32_t three[3];

                return sorted.three(h, three) + three[2];
            });
        },
    }, double(n));

    row("G14", nodes, m[0], m[1], wanted(nodes, 2.5, 4, 4, 4),
        "three owners, against std::lower_bound and a walk");
}

/* The trees: no goal, they are far behind a sorted array. */
void
trees(const Input &in, int nodes, int points, size_t n, const cw_map *map)
{
    TreeRing tree(nodes, points);
    ElasticTree elastic(nodes, points);
    Ours ours = { map };

    for (size_t i = 0; i < 10000; i++) {
        if (tree.find(in.hash[i]) != elastic.find(in.hash[i])) {
            fprintf(stderr, "goals: the trees differ\n");
            exit(1);
        }
    }
    auto m = turns({
        [&] { each(in, n, [&](uint64_t h) { return ours.find(h); }); },
        [&] { each(in, n, [&](uint64_t h) { return tree.find(h); }); },
        [&] { each(in, n, [&](uint64_t h) { return elastic.find(h); }); },
    }, double(n));

    compare("G1", nodes, m[0], m[1], "ready hash, against std::map");
    compare("G1", nodes, m[0], m[2],
            "ready hash, against an elastic binary tree as in HAProxy");
}

void
lookups(const Input &in, int nodes, int points, size_t n)
{
    cw_fleet *fleet = fleet_of(nodes);
    cw_placement *p = placement_of({ { "points", std::to_string(points) } });
    cw_map *map = build(fleet, p);

    if (nodes >= 1000000) {
        BranchFree peer(sorted_ring(nodes, points));

        hash_lookups(in, nodes, points, n, map, peer,
                     "a search without branches");
    } else {
        SortedRing sorted = sorted_ring(nodes, points);

        hash_lookups(in, nodes, points, n, map, sorted, "std::lower_bound");
        if (nodes <= 10000)
            three_owners(in, nodes, n, map, sorted);
    }
    if (nodes <= 10000)
        trees(in, nodes, points, n / 4, map);
    if (nodes == 1000)
        row("G19", nodes, double(cw_map_bytes(map)) / nodes / points, 19, 1,
            "bytes a point of the whole map, at most 19");
    cw_map_unref(map);
    cw_placement_free(p);
    cw_fleet_free(fleet);
}

/* Ours, n keys one by one. */
void
each_key(const Input &in, size_t n, const cw_map *map)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += cw_map_pick(map, in.key[i].data, in.key[i].len);
    sink = sum;
}

void
key_lookups(const Input &in, int nodes, size_t n)
{
    cw_fleet *fleet = fleet_of(nodes);
    cw_map *map = build(fleet, nullptr);
    std::vector<std::string> hosts;
    std::vector<uint32_t> out(n);

    for (int i = 0; i < nodes; i++)
        hosts.push_back(name_of(i));
    EnvoyRing envoy(hosts, 160);
    auto m = turns({
        [&] { each_key(in, n, map); },
        [&] {
            uint64_t sum = 0;

            for (size_t i = 0; i < n; i++)
                sum += envoy.find(&in.bytes[i * 16], 16);
            sink = sum;
        },
        [&] {
            for (size_t i = 0; i < n; i += 64)
                cw_map_owner_many(map, &in.key[i], 64, &out[i]);
        },
    }, double(n));

    row("G5", nodes, m[0], m[1], wanted(nodes, 8, 12, 15, 13),
        "16-byte key, against a ring as in Envoy and gRPC");
    if (nodes == 10000)
        row("G5", nodes, m[2], m[1], 30,
            "batch of 64 16-byte keys, against a ring as in Envoy and gRPC");

    cw_map_unref(map);
    cw_fleet_free(fleet);
}

/*
 * G8. Every build is of a fleet that was not built before, and small ones
 * are built many times a round: else the branches of a sort are known from
 * the round before.
 */
void
builds(int nodes)
{
    size_t each = nodes < 1000 ? size_t(1000 / nodes) : 1;
    std::vector<cw_fleet *> fleets;
    std::vector<std::vector<std::string>> hosts;
    size_t ours = 0, envoy = 0, sorted = 0;

    for (size_t i = 0; i < each * ROUNDS_MOST; i++) {
        fleets.push_back(fleet_of(nodes, int(i) * nodes));
        hosts.emplace_back();
        for (int k = 0; k < nodes; k++)
            hosts[i].push_back(name_of(int(i) * nodes + k));
    }
    auto m = turns({
        [&] {
            for (size_t i = 0; i < each; i++)
                cw_map_unref(build(fleets[ours++], nullptr));
        },
        [&] {
            for (size_t i = 0; i < each; i++)
                sink = EnvoyRing(hosts[envoy++], 160).v.size();
        },
        [&] {
            for (size_t i = 0; i < each; i++)
                sink = sorted_ring(nodes, 160, int(sorted++) * nodes)
                           .v.size();
        },
    }, double(each) * nodes * 160);

    row("G8", nodes, m[0], m[1], wanted(nodes, 8, 10, 8, 8),
        "build, a point, against a ring as in Envoy");
    row("G8", nodes, m[0], m[2], wanted(nodes, 4, 6, 5, 4),
        "build, a point, against std::sort of mixed numbers");
    if (nodes <= 1000)
        row("G8", nodes, m[0], 13, 1, "build, at most 13 ns a point");
    for (cw_fleet *f : fleets)
        cw_fleet_free(f);
}

#ifdef HAVE_LIBMEMCACHED
/* libmemcached itself, up to the 100 servers that it takes. */
struct Memcached {
    memcached_server_st *servers = nullptr;
    memcached_st *mc;

    explicit Memcached(int nodes)
    {
        memcached_return_t rc;

        for (int i = 0; i < nodes; i++) {
            std::string name = name_of(i);

            servers = memcached_server_list_append(
                servers, name.substr(0, name.find(':')).c_str(), 11212, &rc);
        }
        mc = push();
    }

    ~Memcached()
    {
        memcached_server_list_free(servers);
        memcached_free(mc);
    }

    memcached_st *
    push() const
    {
        memcached_st *c = memcached_create(nullptr);

        memcached_behavior_set(c, MEMCACHED_BEHAVIOR_KETAMA_WEIGHTED, 1);
        memcached_server_push(c, servers);
        return c;
    }

    uint32_t
    find(const char *key, size_t len) const
    {
        return memcached_generate_hash(mc, key, len);
    }

    void build() const { memcached_free(push()); }
};

/* The same for any number of servers, re-created. */
struct Recreated {
    std::vector<std::string> hosts;
    MemcachedRing ring;

    explicit Recreated(int nodes) : hosts(names(nodes)), ring(hosts) {}

    static std::vector<std::string>
    names(int nodes)
    {
        std::vector<std::string> v;

        for (int i = 0; i < nodes; i++)
            v.push_back(name_of(i));
        return v;
    }

    uint32_t
    find(const char *key, size_t len) const
    {
        return ring.find(key, len);
    }

    void build() const { sink = MemcachedRing(hosts).v.size(); }
};

/* Ends the program unless ours has the peer's owner of 20,000 keys. */
template <typename Peer>
void
same_owners(const Input &in, const cw_map *ketama, const Peer &peer)
{
    unsigned long differ = 0;

    for (size_t i = 0; i < 20000; i++) {
        cw_node ours;

        cw_map_node(ketama, cw_map_pick(ketama, in.key[i].data, 16), &ours);
        differ += name_of(int(peer.find(&in.bytes[i * 16], 16))) !=
                  std::string(ours.name, ours.name_len);
    }
    if (differ) {
        fprintf(stderr, "goals: %lu of 20000 owners are not libmemcached's\n",
                differ);
        exit(1);
    }
}

template <typename Peer>
void
against_libmemcached(const Input &in, int nodes, size_t n, const Peer &peer,
                     const char *name)
{
    cw_fleet *fleet = fleet_of(nodes);
    cw_placement *p = placement_of(
        { { "compat", "libmemcached-ketama-weighted" } });
    cw_map *ketama = build(fleet, p), *native = build(fleet, nullptr);
    std::vector<uint32_t> out(n);
    std::string against = std::string(", against ") + name;

    same_owners(in, ketama, peer);
    auto m = turns({
        [&] { each_key(in, n, native); },
        [&] { each_key(in, n, ketama); },
        [&] {
            for (size_t i = 0; i < n; i += 16)
                cw_map_owner_many(ketama, &in.key[i], 16, &out[i]);
        },
        [&] {
            uint64_t sum = 0;

            for (size_t i = 0; i < n; i++)
                sum += peer.find(&in.bytes[i * 16], 16);
            sink = sum;
        },
        [&] {
            for (size_t i = 0; i < n; i += 64)
                cw_map_owner_many(native, &in.key[i], 64, &out[i]);
        },
    }, double(n));

    row("G4", nodes, m[0], m[3], wanted(nodes, 20, 25, 25, 12),
        ("16-byte key" + against).c_str());
    if (nodes == 10000)
        row("G4", nodes, m[4], m[3], 25,
            ("batch of 64 16-byte keys" + against).c_str());
    row("G6", nodes, m[1], m[3], wanted(nodes, 2, 2, 1.8, 1.8),
        ("the same owners, one key at a time" + against).c_str());
    row("G7", nodes, m[2], m[3], wanted(nodes, 11, 12, 12, 12),
        ("the same owners, batch of 16 keys" + against).c_str());
    auto b = turns({
        [&] { cw_map_unref(build(fleet, p)); },
        [&] { peer.build(); },
    }, nodes * 160.0, nodes > 1000 ? 3 : ROUNDS);

    row("G9", nodes, b[0], b[1], wanted(nodes, 12, 15, 8, 6),
        ("build ketama, a point" + against).c_str());
    cw_map_unref(ketama);
    cw_map_unref(native);
    cw_placement_free(p);
    cw_fleet_free(fleet);
}

void
against_libmemcached(const Input &in, int nodes, size_t n)
{
    Recreated recreated(nodes);

    if (nodes > 100) {
        against_libmemcached(in, nodes, n, recreated,
                             "libmemcached's ketama re-created");
        return;
    }
    Memcached real(nodes);

    for (size_t i = 0; i < 20000; i++) {
        if (real.find(&in.bytes[i * 16], 16) !=
            recreated.find(&in.bytes[i * 16], 16)) {
            fprintf(stderr, "goals: libmemcached is re-created wrongly\n");
            exit(1);
        }
    }
    against_libmemcached(in, nodes, n, real, "libmemcached's ketama");
}
#endif

/* A node of 160 points into a sorted array, by one merge into a copy. */
void
merge_node(SortedRing *ring, std::vector<Pair> *spare, uint64_t label)
{
    std::vector<Pair> fresh;

    for (int k = 0; k < 160; k++)
        fresh.push_back({ mix(label += UINT64_C(0x9e3779b97f4a7c15)), 1 });
    std::sort(fresh.begin(), fresh.end());
    spare->resize(ring->v.size() + fresh.size());
    std::merge(ring->v.begin(), ring->v.end(), fresh.begin(), fresh.end(),
               spare->begin());
    ring->v.swap(*spare);
}

/* Adds a node; ns until readers can see it, and for the second copy. */
struct Change {
    double visible, second;
};

Change
one_change(cw_live *live, int i)
{
    std::string name = "new-" + std::to_string(i);
    double begin = cpu_ns();
    Change took;

    if (cw_live_add(live, name.data(), name.size(), CW_WEIGHT_ONE,
                    nullptr) != CW_OK)
        abort();
    took.visible = cpu_ns() - begin;
    if (cw_live_settle(live) != CW_OK)
        abort();
    took.second = cpu_ns() - begin - took.visible;
    if (cw_live_remove(live, name.data(), name.size(), nullptr) != CW_OK ||
        cw_live_settle(live) != CW_OK)
        abort();
    return took;
}

double
changes(int nodes)
{
    cw_fleet *fleet = fleet_of(nodes);
    cw_live *live = nullptr;
    SortedRing ring = sorted_ring(nodes, 160);
    std::vector<Pair> spare;
    std::vector<double> ours, second, peer;
    char what[160];
    int rounds = nodes > 20000 ? 15 : 101;

    if (cw_live_new(fleet, nullptr, 2, &live, nullptr) != CW_OK)
        abort();
    choose_quiet(1);
    for (int i = 0; i < rounds; i++) {
        SortedRing fresh = nodes > 20000 && i > 0 ? SortedRing() : ring;
        Change change = one_change(live, i);
        double begin;

        ours.push_back(change.visible);
        second.push_back(change.second);
        if (fresh.v.empty())
            continue;
        begin = cpu_ns();
        merge_node(&fresh, &spare, mix(uint64_t(i) + 12345));
        peer.push_back(cpu_ns() - begin);
    }
    snprintf(what, sizeof what, "add a node%s until readers see it (second "
             "copy: %.3g more; the worst: %.3g), against a merge",
             nodes > 20000 ? " to 10 million points," : ",",
             median(second), *std::max_element(ours.begin(), ours.end()));
    row("G10", nodes, median(ours), median(peer),
        nodes > 20000 ? 300 : wanted(nodes, 1.5, 2.5, 12, 50), what);
    if (nodes == 1000)
        row("G19", nodes, double(cw_live_bytes(live)) / nodes / 160, 38, 1,
            "bytes a point of a live map, both copies, at most 38");
    cw_live_free(live);
    cw_fleet_free(fleet);
    return median(ours);
}

/* ---- threads ----------------------------------------------------------- */

double
wall()
{
    timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return double(t.tv_sec) + double(t.tv_nsec) / 1e9;
}

/* Look-ups a second of all `readers` while `writer` runs here. */
double
rate(int readers, const std::function<uint64_t(std::atomic<bool> *)> &reader,
     const std::function<void(std::atomic<bool> *)> &writer, double seconds)
{
    std::atomic<bool> stop{ false };
    std::vector<std::thread> threads;
    std::vector<uint64_t> counts(size_t(readers), 0);
    double begin = wall();

    for (int i = 0; i < readers; i++)
        threads.emplace_back([&, i] {
            stay_on(size_t(i));
            counts[size_t(i)] = reader(&stop);
        });
    stay_on(size_t(readers));
    std::thread timer([&] {
        timespec nap = { time_t(seconds),
                         long((seconds - double(time_t(seconds))) * 1e9) };

        nanosleep(&nap, nullptr);
        stop = true;
    });
    writer(&stop);
    timer.join();
    for (auto &t : threads)
        t.join();
    double took = wall() - begin;
    uint64_t sum = 0;

    stay_on(0);

    for (uint64_t c : counts)
        sum += c;
    return double(sum) / took;
}

void
threads(int nodes)
{
    cw_fleet *fleet = fleet_of(nodes);
    cw_live *live = nullptr;
    cw_map *map = build(fleet, nullptr);
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    std::vector<double> visible, seen;
    uint64_t busy = 0;

    if (cw_live_new(fleet, nullptr, 8, &live, nullptr) != CW_OK)
        abort();
    auto lock_free = [&](std::atomic<bool> *stop) {
        cw_live_reader r;
        uint64_t x = mix(uint64_t(wall() * 1e9)), count = 0, sum = 0;

        if (cw_live_join(live, &r) != CW_OK)
            abort();
        while (!stop->load(std::memory_order_relaxed)) {
            for (int i = 0; i < 64; i++) {
                x += UINT64_C(0x9e3779b97f4a7c15);
                sum += cw_live_pick_hash(&r, mix(x));
            }
            count += 64;
            cw_live_quiescent(&r);
        }
        cw_live_leave(&r);
        sink = sum;
        return count;
    };
    auto locked = [&](std::atomic<bool> *stop) {
        uint64_t x = mix(uint64_t(wall() * 1e9)), count = 0, sum = 0;

        while (!stop->load(std::memory_order_relaxed)) {
            for (int i = 0; i < 64; i++) {
                x += UINT64_C(0x9e3779b97f4a7c15);
                pthread_rwlock_rdlock(&lock);
                sum += cw_map_pick_hash(map, mix(x));
                pthread_rwlock_unlock(&lock);
            }
            count += 64;
        }
        sink = sum;
        return count;
    };
    auto nobody = [](std::atomic<bool> *) {};
    auto writer = [&](std::atomic<bool> *stop) {
        double begin = wall();

        for (int i = 0; !stop->load(); i++) {
            timespec nap = { 0, 100000 };
            std::string name = "new";
            double from;
            cw_status st;

            while (!stop->load() && (wall() - begin) * 1000 < i)
                nanosleep(&nap, nullptr);
            from = wall();
            do {
                st = i % 2 == 0
                    ? cw_live_add(live, name.data(), name.size(),
                                  CW_WEIGHT_ONE, nullptr)
                    : cw_live_remove(live, name.data(), name.size(),
                                     nullptr);
                busy += st == CW_EBUSY;
            } while (st == CW_EBUSY && !stop->load());
            if (st == CW_OK)
                seen.push_back((wall() - from) * 1e9);
            while (cw_live_settle(live) == CW_EBUSY && !stop->load())
                ;
        }
    };

    std::vector<double> two, two_locked, one, one_written;

    double took[4];

    quiet_rounds(ROUNDS, 2, [&] {
        took[0] = rate(2, lock_free, nobody, 0.15);
        took[1] = rate(2, locked, nobody, 0.15);
        took[2] = rate(1, lock_free, nobody, 0.15);
        seen.clear();
        took[3] = rate(1, lock_free, writer, 0.15);
    }, [&] {
        two.push_back(took[0]);
        two_locked.push_back(took[1]);
        one.push_back(took[2]);
        one_written.push_back(took[3]);
        visible.insert(visible.end(), seen.begin(), seen.end());
    });

    row("G12", nodes, 1e9 / median(two), 1e9 / median(two_locked),
        wanted(nodes, 8, 20, 15, 10),
        "two readers, against a read-write lock for each look-up");
    row("G13", nodes, 1e9 / median(one_written), 1e9 / median(one), 0.7,
        "a reader while 1,000 changes a second run, against one alone");
    if (!visible.empty())
        row("G13", nodes, median(visible), 50000, 1,
            "a change is visible after at most 50,000 ns, median");
    cw_live_free(live);
    cw_map_unref(map);
    cw_fleet_free(fleet);
}

/* ---- bucket functions -------------------------------------------------- */

void
against(const Input &in, const char *goal, const char *algorithm, int nodes,
        double want, const char *what)
{
    cw_fleet *fleet = fleet_of(nodes);
    cw_placement *p = placement_of({ { "algorithm", algorithm } });
    cw_map *map = build(fleet, p);
    Ours ours = { map };
    size_t n = KEYS;

    auto m = turns({
        [&] { each(in, n, [&](uint64_t h) { return ours.find(h); }); },
        [&] { each(in, n, [&](uint64_t h) { return jump(h, nodes); }); },
    }, double(n));

    row(goal, nodes, m[0], m[1], want, what);
    cw_map_unref(map);
    cw_placement_free(p);
    cw_fleet_free(fleet);
}

/* One weight, a hash of node and key for each node, the highest wins. */
void
rendezvous(const Input &in, int nodes)
{
    cw_fleet *fleet = fleet_of(nodes);
    cw_placement *p = placement_of({ { "algorithm", "rendezvous" } });
    cw_map *map = build(fleet, p);
    std::vector<uint64_t> id;
    Ours ours = { map };
    size_t n = std::min(KEYS / 4, size_t(4000000 / nodes));

    for (int i = 0; i < nodes; i++)
        id.push_back(mix(uint64_t(i) + 77));
    auto m = turns({
        [&] { each(in, n, [&](uint64_t h) { return ours.find(h); }); },
        [&] {
            each(in, n, [&](uint64_t h) {
                uint64_t most = 0;
                uint32_t best = 0;

                for (size_t k = 0; k < id.size(); k++) {
                    uint64_t x = mix(h ^ id[k]);

                    best = x > most ? uint32_t(k) : best;
                    most = x > most ? x : most;
                }
                return best;
            });
        },
    }, double(n));

    row("G16", nodes, m[0], m[1], wanted(nodes, 0, 3, 5, 5),
        "rendezvous, against a loop over 64-bit hashes");
    cw_map_unref(map);
    cw_placement_free(p);
    cw_fleet_free(fleet);
}

bool
known(const char *algorithm)
{
    cw_placement *p = cw_placement_new(nullptr);
    bool there = cw_placement_set(p, "algorithm", algorithm, nullptr) ==
                 CW_OK;

    cw_placement_free(p);
    return there;
}

}       /* namespace */

int
main(int argc, char **argv)
{
    std::vector<int> sizes = { 10, 100, 1000, 10000, 100000 };
    Input in;
    double small_change = 0;

    find_processors();
    if (argc > 1) {
        sizes.clear();
        for (int i = 1; i < argc; i++)
            sizes.push_back(atoi(argv[i]));
    }
    for (int nodes : sizes) {
        size_t n = KEYS;

        lookups(in, nodes, nodes >= 100000 ? 100 : 160, n);
        if (nodes <= 10000) {
            key_lookups(in, nodes, n);
            builds(nodes);
        }
#ifdef HAVE_LIBMEMCACHED
        if (nodes <= 10000)
            against_libmemcached(in, nodes, KEYS / 2);
#endif
        if (nodes <= 10000) {
            double ns = changes(nodes);

            small_change = nodes == 100 ? ns : small_change;
            threads(nodes);
        } else if (nodes == 100000 && small_change > 0) {
            double ns = changes(62500);

            row("G11", nodes, ns, small_change, 1.0 / 6,
                "add a node to 10 million points, against to 16,000");
        }
        if (nodes <= 10000)
            rendezvous(in, nodes);
        if (known("jumpback"))
            against(in, "G15", "jumpback", nodes,
                    wanted(nodes, 2, 4, 10, 4, 8, 15),
                    "jumpback, against jump");
    }
    printf("# rounds\t%d\t%d\n", rounds_repeated, rounds_disturbed);
    return 0;
}
