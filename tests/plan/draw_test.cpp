// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "plan/listed_workers.h"
#include "plan/machines.h"
#include "plan/plan.h"

namespace packetwarp {
namespace {

using namespace test;

TEST(draw, of_isolated_receivers_a_kni_worker_and_a_gpu_on_two_nodes) {
  auto machine = machine_with(6, 2);
  for (auto n : {1, 3}) machine.others[static_cast<std::size_t>(n)].socket = 1;  // lcores 2 and 4
  machine.ports[1].socket = 1;
  machine.gpus = {{.index = 0, .name = "NVIDIA H200", .pci_address = "0000:1b:00.0", .socket = 1}};
  auto config = with_workers({master_on(0), forwarding_on(1, {on_port(0, {0, 1}, {0}), on_port(1, {}, {0})}),
                              forwarding_on(2, {isolated(on_port(1, {0}, {1}), 4, 1U << 20), on_port(0, {}, {1})}),
                              kni_on(3, {on_port(0, {2}, {}), on_port(1, {}, {2})})});
  config.executor = executor_kind::persistent;
  config.gpu.indexes = {0};
  std::vector<std::string> const names{"lan", "wan"};
  EXPECT_EQ(draw(make_plan(config, machine), names),
            R"(node 0
  CPU 0    lcore 0   master            control plane, requests, statistics
  CPU 1    lcore 1   forwarding        lan rxq 0 -> receive -> [64 bursts] -> router (persistent) on GPU 0 -> transmit -> lan txq 0 | wan txq 0
                                       lan rxq 1 -> receive -> [64 bursts] -> router (persistent) on GPU 0 -> transmit -> lan txq 0 | wan txq 0
  CPU 3    lcore 3   kni               lan rxq 2 -> kernel
                                       kernel -> dropped: no TX queue of lan
                                       wan by its forwarding workers -> kernel
                                       kernel -> wan txq 2
  port 0 lan (net_null0, net_null): 3 rxq x 1024, 2 txq x 1024 descriptors

node 1
  CPU 2    lcore 2   forwarding        [ring 2: 1048576 packets] -> receive -> [64 bursts] -> router (persistent) on GPU 0 -> transmit -> lan txq 1 | wan txq 1
  CPU 4    lcore 4   isolated-receive  wan rxq 0 -> isolate -> [ring 2: 1048576 packets]
  port 1 wan (net_null1, net_null): 1 rxq x 1024, 3 txq x 1024 descriptors
  GPU 0 (NVIDIA H200, 0000:1b:00.0)
)");
}

TEST(draw, of_a_pair_and_a_gpu_that_is_not_there) {
  data_plane_config config;
  config.workers = arrangement::pair;
  config.executor = executor_kind::kernel;
  EXPECT_EQ(draw(make_plan(config, machine_with(3, 1)), {}),
            R"(node 0
  CPU 0    lcore 0   master            control plane, requests, statistics
  CPU 1    lcore 1   forwarding        port 0 rxq 0 -> receive -> [512 bursts] -> GPU 0
  CPU 2    lcore 2   forwarding        [512 bursts] -> forward (kernel) on GPU 0 -> transmit -> port 0 txq 0
  port 0 net_null0 (net_null): 1 rxq x 1024, 1 txq x 1024 descriptors

node unknown
  GPU 0 (this machine does not have it)
)");
}

}  // namespace
}  // namespace packetwarp
