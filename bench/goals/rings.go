// SPDX-License-Identifier: Apache-2.0

// rings NODES: ns for one look-up of a key of 16 bytes in three rings as Go
// programs have them, of so many servers: lines NAME TAB NS, medians of 7
// rounds of CPU time in turn. For bench/goals/run.
//
// Written anew from their published rules, with arrays reserved and each ring
// sorted once:
//
//	groupcache  golang/groupcache/consistenthash: CRC-32 of number and name;
//	            a sorted array of int, a map from there to the name
//	stathat     stathat/consistent: the same points in uint32; the first one
//	            above; under a read lock
//	buraksezer  buraksezer/consistent: 271 partitions (20,011 above 100
//	            servers, which would get none otherwise) dealt to the servers
//	            over a ring of their points with bounded load 1.25; a look-up
//	            is hash, remainder and map, under a read lock. It leaves the
//	            hash to its user, xxhash in its examples: here hash/maphash,
//	            the fastest of the standard library.
//
// 160 points a server in the first two, as in ours; the third's default, 20.
package main

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"hash/maphash"
	"os"
	"runtime"
	"sort"
	"strconv"
	"sync"
	"syscall"
)

const (
	rounds = 7
	points = 160
	count  = 1 << 18 // keys a round
)

type groupcache struct {
	points []int
	owner  map[int]string
}

func newGroupcache(servers []string) *groupcache {
	r := &groupcache{
		points: make([]int, 0, len(servers)*points),
		owner:  make(map[int]string, len(servers)*points),
	}
	for _, s := range servers {
		for i := 0; i < points; i++ {
			at := int(crc32.ChecksumIEEE([]byte(strconv.Itoa(i) + s)))
			r.points = append(r.points, at)
			r.owner[at] = s
		}
	}
	sort.Ints(r.points)
	return r
}

func (r *groupcache) find(key string) string {
	hash := int(crc32.ChecksumIEEE([]byte(key)))
	i := sort.Search(len(r.points), func(i int) bool {
		return r.points[i] >= hash
	})
	if i == len(r.points) {
		i = 0
	}
	return r.owner[r.points[i]]
}

type stathat struct {
	sync.RWMutex
	points []uint32
	owner  map[uint32]string
}

func newStathat(servers []string) *stathat {
	r := &stathat{
		points: make([]uint32, 0, len(servers)*points),
		owner:  make(map[uint32]string, len(servers)*points),
	}
	for _, s := range servers {
		for i := 0; i < points; i++ {
			at := crc32.ChecksumIEEE([]byte(strconv.Itoa(i) + s))
			if _, taken := r.owner[at]; !taken {
				r.points = append(r.points, at)
			}
			r.owner[at] = s
		}
	}
	sort.Slice(r.points, func(a, b int) bool {
		return r.points[a] < r.points[b]
	})
	return r
}

func (r *stathat) find(key string) string {
	r.RLock()
	defer r.RUnlock()
	hash := crc32.ChecksumIEEE([]byte(key))
	i := sort.Search(len(r.points), func(i int) bool {
		return r.points[i] > hash
	})
	if i == len(r.points) {
		i = 0
	}
	return r.owner[r.points[i]]
}

type buraksezer struct {
	sync.RWMutex
	seed       maphash.Seed
	partitions uint64
	owner      map[int]*string
}

func newBuraksezer(servers []string) *buraksezer {
	const replicas, load = 20, 1.25
	r := &buraksezer{seed: maphash.MakeSeed(), partitions: 271}
	if len(servers) > 100 {
		r.partitions = 20011
	}
	r.owner = make(map[int]*string, r.partitions)
	ring := make([]uint64, 0, len(servers)*replicas)
	at := make(map[uint64]*string, len(servers)*replicas)
	for k := range servers {
		for i := 0; i < replicas; i++ {
			h := r.hash(servers[k] + strconv.Itoa(i))
			ring = append(ring, h)
			at[h] = &servers[k]
		}
	}
	sort.Slice(ring, func(a, b int) bool { return ring[a] < ring[b] })

	// The mean, rounded up, with the bound: what a server takes at most.
	most := int(float64(r.partitions)/float64(len(servers))*load) + 1
	taken := make(map[*string]int, len(servers))
	var id [8]byte
	for p := uint64(0); p < r.partitions; p++ {
		binary.LittleEndian.PutUint64(id[:], p)
		h := r.hash(string(id[:]))
		i := sort.Search(len(ring), func(i int) bool {
			return ring[i] >= h
		}) % len(ring)
		for taken[at[ring[i]]] >= most {
			i = (i + 1) % len(ring)
		}
		taken[at[ring[i]]]++
		r.owner[int(p)] = at[ring[i]]
	}
	return r
}

func (r *buraksezer) hash(text string) uint64 {
	return maphash.String(r.seed, text)
}

func (r *buraksezer) find(key string) string {
	partition := int(r.hash(key) % r.partitions)
	r.RLock()
	defer r.RUnlock()
	return *r.owner[partition]
}

// cpuNs is the time of all threads: the collector's work belongs to a ring.
func cpuNs() float64 {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return float64(u.Utime.Nano() + u.Stime.Nano())
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: rings NODES")
		os.Exit(2)
	}
	n, err := strconv.Atoi(os.Args[1])
	if err != nil || n < 1 || n > 1<<24 {
		fmt.Fprintln(os.Stderr, "rings: NODES is a number from 1")
		os.Exit(2)
	}
	servers := make([]string, n)
	for i := range servers {
		servers[i] = fmt.Sprintf("10.%d.%d.%d:11212", i>>16, i>>8&255,
			i&255)
	}
	keys := make([]string, count)
	for i := range keys {
		keys[i] = fmt.Sprintf("%016x", uint64(i)*0x9e3779b97f4a7c15)
	}
	names := []string{
		"Go's groupcache/consistenthash, re-created",
		"Go's stathat/consistent, re-created",
		"Go's buraksezer/consistent, re-created",
	}
	finds := []func(string) string{
		newGroupcache(servers).find,
		newStathat(servers).find,
		newBuraksezer(servers).find,
	}
	took := make([][]float64, len(finds))
	sum := 0
	runtime.GC()
	for round := 0; round < rounds; round++ {
		for i, find := range finds {
			begin := cpuNs()
			for _, key := range keys {
				sum += len(find(key))
			}
			took[i] = append(took[i], (cpuNs()-begin)/count)
		}
	}
	if sum == 0 {
		panic("no look-up gave a server")
	}
	for i, name := range names {
		sort.Float64s(took[i])
		fmt.Printf("%s\t%.1f\n", name, took[i][rounds/2])
	}
}
