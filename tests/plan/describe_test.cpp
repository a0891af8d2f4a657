// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "function/router/router.h"
#include "plan/machines.h"
#include "plan/plan.h"

namespace packetwarp {
namespace {

using test::machine_with;

TEST(describe, of_one_lcore_and_one_port) {
  EXPECT_EQ(describe(make_plan({}, machine_with(1, 1))),
            R"(executor cpu, placement host, workers run-to-completion, bursts of 32 (closed after 20.0 us)

lcore   CPUs  node  worker                jobs, in the order they are polled
    0      0     0  master + forwarding   receive 0 (port 0 rxq 0), execute 0 (cpu), transmit 0 (port 0 txq 0)

port  name                driver          node  rxq x desc  txq x desc
   0  net_null0           net_null           0    1 x 1024    1 x 1024

pipeline  from            to              bursts in flight
       0  port 0 rxq 0    port 0 txq 0    4

packet pool: 4095 packets x 2048 bytes of data = 9.25 MiB (queues, rings, bursts and 512 a worker's cache)
)");
}

TEST(describe, of_a_router_says_what_its_control_plane_may_hold) {
  data_plane_config config;
  config.function = &facts_of<router>;
  EXPECT_THAT(describe(make_plan(config, machine_with(2, 2))),
              testing::ContainsRegex("control plane: [0-9]+ packets at most: 4096 punted, .* to send or to put back, "
                                     ".* that wait for a MAC address, .* in hand\nfragments: 8192 of 1024 datagrams at "
                                     "most, copied into 8.00 MiB"));
}

TEST(describe, of_pairs_with_a_worker_too_many) {
  data_plane_config config;
  config.burst = 1024;
  config.executor = executor_kind::none;
  config.workers = arrangement::pair;
  config.burst_timeout = std::chrono::milliseconds{1};
  config.rx_descriptors = 512;
  EXPECT_EQ(describe(make_plan(config, machine_with(6, 2))),
            R"(executor none, placement host, workers pair, bursts of 1024 (closed after 1.00 ms)

lcore   CPUs  node  worker                jobs, in the order they are polled
    0      0     0  master                watches, prints
    1      1     0  forwarding            receive 0 (port 0 rxq 0)
    2      2     0  forwarding            execute 0 (none), transmit 0 (port 1 txq 0)
    3      3     0  forwarding            receive 1 (port 1 rxq 0)
    4      4     0  forwarding            execute 1 (none), transmit 1 (port 0 txq 0)
    5      5     0  forwarding            idle

port  name                driver          node  rxq x desc  txq x desc
   0  net_null0           net_null           0     1 x 512    1 x 1024
   1  net_null1           net_null           0     1 x 512    1 x 1024

pipeline  from            to              bursts in flight
       0  port 0 rxq 0    port 1 txq 0    16
       1  port 1 rxq 0    port 0 txq 0    16

packet pools (2, one a pipeline): 32767 packets x 2048 bytes of data = 74.0 MiB each (queues, rings, bursts and 512 a worker's cache)
note: 1 of 5 workers have nothing to do: give more pipelines (-p)
)");
}

TEST(describe, of_isolated_receive) {
  data_plane_config config;
  config.workers = arrangement::isolated_rx;
  EXPECT_EQ(describe(make_plan(config, machine_with(4, 1))),
            R"(executor cpu, placement host, workers isolated-rx, bursts of 32 (closed after 20.0 us)

lcore   CPUs  node  worker                jobs, in the order they are polled
    0      0     0  master                watches, prints
    1      1     0  isolated-receive      isolate 0 (port 0 rxq 0)
    2      2     0  forwarding            receive 0 (isolated ring), execute 0 (cpu), transmit 0 (port 0 txq 0)
    3      3     0  forwarding            idle

port  name                driver          node  rxq x desc  txq x desc
   0  net_null0           net_null           0    1 x 1024    1 x 1024

pipeline  from            to              bursts in flight
       0  port 0 rxq 0    port 0 txq 0    4

packet pool: 32767 packets x 2048 bytes of data = 74.0 MiB (queues, rings, bursts and 512 a worker's cache)
note: 1 of 3 workers have nothing to do: give more pipelines (-p)
)");
}

}  // namespace
}  // namespace packetwarp
