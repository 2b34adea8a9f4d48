// SPDX-License-Identifier: Apache-2.0
// hashring.js NODES: ns for one look-up in npm's hashring of so many servers,
// with a cache of one (it has none of 0), as NAME TAB NS: the median of 7
// rounds. For bench/goals/run.
"use strict";
const HashRing = require("hashring");
const nodes = Number(process.argv[2]), servers = [], keys = [], rounds = [];
let sum = 0;

for (let i = 0; i < nodes; i++)
    servers.push(`10.${i >> 16}.${i >> 8 & 255}.${i & 255}:11212`);
const ring = new HashRing(servers, "md5", { "max cache size": 1 });
for (let i = 0; i < 20000; i++)
    keys.push((i * 2654435761 % 4294967296).toString(16).padStart(16, "0"));
for (let round = 0; round < 7; round++) {
    const begin = process.cpuUsage();
    for (const key of keys)
        sum += ring.get(key).length;
    const took = process.cpuUsage(begin);
    rounds.push((took.user + took.system) * 1000 / keys.length);
}
if (sum === 0)
    throw new Error("no look-up gave a server");
rounds.sort((a, b) => a - b);
console.log(`npm's hashring\t${rounds[3].toFixed(1)}`);
