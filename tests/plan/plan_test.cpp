// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/error.h"
#include "function/chain.h"
#include "function/forward/forward.h"
#include "function/nat44/nat44.h"
#include "function/router/router.h"
#include "plan/machines.h"

namespace packetwarp {
namespace {

using test::machine_with;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using enum arrangement;

port_id operator""_port(unsigned long long n) { return port_id{static_cast<std::uint16_t>(n)}; }

// "0.1>1.1": from port 0's RX queue 1 to port 1's TX queue 1.
std::vector<std::string> paths_of(plan const& p) {
  std::vector<std::string> paths;
  for (auto const& one : p.pipelines) {
    paths.push_back(fmt::format("{}.{}>{}.{}", one.rx_port.value(), one.rx_queue.value(), one.egresses[0].port.value(),
                                one.egresses[0].queue.value()));
  }
  return paths;
}

// "1: receive 0, execute 0": an lcore and its jobs.
std::vector<std::string> work_of(plan const& p) {
  std::vector<std::string> work;
  for (auto const& worker : p.workers) {
    auto line = fmt::format("{} {}:", worker.lcore.id.value(), worker.role);
    for (auto const& job : worker.jobs) line += fmt::format(" {}{}", to_string(job.kind).front(), job.pipeline);
    work.push_back(line);
  }
  return work;
}

// "2+1": RX and TX queues.
std::vector<std::string> queues_of(plan const& p) {
  std::vector<std::string> queues;
  for (auto const& port : p.ports) queues.push_back(fmt::format("{}+{}", port.config.rx_queues, port.config.tx_queues));
  return queues;
}

std::string refusal_of(data_plane_config const& config, machine_facts const& machine) {
  try {
    (void)make_plan(config, machine);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "planned";
}

struct paths_case {
  std::string what;
  unsigned ports;
  std::uint16_t pipelines;
  std::vector<std::pair<port_id, port_id>> port_map;
  std::vector<std::string> paths;
  std::vector<std::string> queues;
};

class paths : public testing::TestWithParam<paths_case> {};

TEST_P(paths, go_from_each_port_to_its_peer) {
  auto const& given = GetParam();
  auto const p = make_plan({.pipelines = given.pipelines, .port_map = given.port_map}, machine_with(2, given.ports));
  EXPECT_EQ(paths_of(p), given.paths);
  EXPECT_EQ(queues_of(p), given.queues);
}

INSTANTIATE_TEST_SUITE_P(
    of, paths,
    testing::Values(
        paths_case{"one_port", 1, 0, {}, {"0.0>0.0"}, {"1+1"}},
        paths_case{"two_ports", 2, 0, {}, {"0.0>1.0", "1.0>0.0"}, {"1+1", "1+1"}},
        paths_case{"three_ports", 3, 0, {}, {"0.0>1.0", "1.0>0.0", "2.0>2.0"}, {"1+1", "1+1", "1+1"}},
        paths_case{"four_ports", 4, 0, {}, {"0.0>1.0", "1.0>0.0", "2.0>3.0", "3.0>2.0"}, {"1+1", "1+1", "1+1", "1+1"}},
        paths_case{"one_port_with_three_pipelines", 1, 3, {}, {"0.0>0.0", "0.1>0.1", "0.2>0.2"}, {"3+3"}},
        paths_case{"two_ports_with_one_pipeline", 2, 1, {}, {"0.0>1.0"}, {"1+1", "1+1"}},
        paths_case{"two_ports_with_five_pipelines",
                   2,
                   5,
                   {},
                   {"0.0>1.0", "1.0>0.0", "0.1>1.1", "1.1>0.1", "0.2>1.2"},
                   {"3+2", "2+3"}},
        paths_case{"crossed_pairs",
                   4,
                   0,
                   {{0_port, 2_port}, {3_port, 1_port}},
                   {"0.0>2.0", "1.0>3.0", "2.0>0.0", "3.0>1.0"},
                   {"1+1", "1+1", "1+1", "1+1"}},
        paths_case{"hairpins", 2, 0, {{0_port, 0_port}, {1_port, 1_port}}, {"0.0>0.0", "1.0>1.0"}, {"1+1", "1+1"}}),
    [](auto const& given) { return given.param.what; });

machine_facts machine_of(std::string const& driver, unsigned lcores, unsigned ports) {
  auto made = machine_with(lcores, ports);
  for (auto& port : made.ports) port.driver = driver;
  return made;
}

// net_tap refuses any other configuration.
TEST(queue_pairs, of_a_tap_are_filled_up_by_tx_queues) {
  auto const p = make_plan({.pipelines = 5}, machine_of("net_tap", 2, 1));
  EXPECT_THAT(queues_of(p), ElementsAre("5+5"));
  data_plane_config const routed{.pipelines = 4, .function = &facts_of<router>};
  EXPECT_THAT(queues_of(make_plan(routed, machine_of("net_tap", 2, 2))), ElementsAre("2+2", "2+2"));
  EXPECT_THAT(queues_of(make_plan(routed, machine_with(2, 2))), ElementsAre("2+1", "2+1"));
  EXPECT_THAT(queues_of(make_plan(routed, machine_of("net_virtio", 2, 2))), ElementsAre("2+1", "2+1"));
}

// An RX queue that only fills up a pair gets packets that no worker receives.
TEST(queue_pairs, are_not_filled_up_by_rx_queues) {
  data_plane_config const routed{.function = &facts_of<router>};
  EXPECT_EQ(refusal_of(routed, machine_of("net_tap", 3, 2)),
            "port 0 (net_null0): 2 TX queues and 1 RX queue in use; its driver net_tap takes as many of both: use 4 "
            "pipelines, or fewer lcores");
  auto fed = routed;
  fed.pipelines = 4;
  EXPECT_THAT(queues_of(make_plan(fed, machine_of("net_tap", 3, 2))), ElementsAre("2+2", "2+2"));
  auto const on_virtio = make_plan(routed, machine_of("net_virtio", 3, 2));
  EXPECT_THAT(queues_of(on_virtio), ElementsAre("1+2", "1+2"));
  EXPECT_THAT(on_virtio.notices,
              testing::Contains(HasSubstr("port 1 (net_null1): 2 TX queues and 1 RX queue in use; packets that its "
                                          "device puts into RX queues after those are lost: "
                                          "use 4 pipelines")));
  EXPECT_THAT(make_plan(routed, machine_with(3, 2)).notices, testing::Not(testing::Contains(HasSubstr("in use"))));
}

// Two ports of net_af_packet with this many queue pairs each (qpairs), and lcores of a node.
machine_facts packet_sockets(unsigned lcores, std::uint16_t pairs) {
  auto made = machine_of("net_af_packet", lcores, 2);
  for (auto& port : made.ports) port.max_rx_queues = port.max_tx_queues = pairs;
  return made;
}

TEST(plan, takes_no_more_workers_that_send_than_the_ports_have_tx_queues) {
  data_plane_config const routed{.function = &facts_of<router>};
  auto const p = make_plan(routed, packet_sockets(3, 1));
  EXPECT_THAT(work_of(p), ElementsAre("0 master:", "1 forwarding: r0 e0 t0 r1 e1 t1", "2 forwarding:"));
  EXPECT_THAT(queues_of(p), ElementsAre("1+1", "1+1"));
  EXPECT_THAT(p.notices,
              ElementsAre("1 of 2 workers has nothing to do: port 0 (net_null0) has 1 TX queue, and each worker that "
                          "sends takes one of every port: give every port more queues (qpairs=2 in its --vdev), and 2 "
                          "pipelines per port, because the kernel puts packets into all of them"));
  EXPECT_THAT(queues_of(make_plan(routed, packet_sockets(64, 1))), ElementsAre("1+1", "1+1"));
  EXPECT_THAT(
      work_of(make_plan({.function = &facts_of<router>, .workers = pair}, packet_sockets(5, 1))),
      ElementsAre("0 master:", "1 forwarding: r0 r1", "2 forwarding: e0 t0 e1 t1", "3 forwarding:", "4 forwarding:"));
  // With one lcore, two, or queues for all, nothing changes.
  EXPECT_THAT(queues_of(make_plan(routed, packet_sockets(1, 1))), ElementsAre("1+1", "1+1"));
  EXPECT_THAT(make_plan(routed, packet_sockets(2, 1)).notices, ElementsAre(HasSubstr("share 1 worker")));
  EXPECT_THAT(make_plan({.pipelines = 4, .function = &facts_of<router>}, packet_sockets(3, 2)).notices,
              ElementsAre(HasSubstr("share 2 workers")));
}

// A function that sends by a port's peer has as many TX queues in use as RX queues.
TEST(plan, takes_all_workers_where_packets_leave_by_the_peer) {
  EXPECT_THAT(work_of(make_plan({}, packet_sockets(3, 1))),
              ElementsAre("0 master:", "1 forwarding: r0 e0 t0", "2 forwarding: r1 e1 t1"));
}

TEST(plan, refuses_pipelines_that_were_asked_for_and_names_the_argument_for_more_queues) {
  EXPECT_EQ(refusal_of({.pipelines = 2, .function = &facts_of<router>}, packet_sockets(3, 1)),
            "port 0 (net_null0): 2 TX queues needed, the port has 1; use fewer pipelines (-p, or 'pipelines' of "
            "data_plane), or give every port more queues (qpairs=2 in its --vdev), and 2 pipelines per port, because "
            "the kernel puts packets into all of them");
}

TEST(plan, says_that_the_kernel_fills_queues_that_no_worker_polls) {
  EXPECT_THAT(make_plan({.function = &facts_of<router>}, packet_sockets(3, 2)).notices,
              ElementsAre("port 0 (net_null0): it has 2 RX queues, and 1 is in use; packets that come by the others "
                          "are lost: use 4 pipelines (-p)",
                          HasSubstr("port 1 (net_null1): it has 2 RX queues")));
}

struct work_case {
  std::string what;
  unsigned lcores;
  unsigned ports;
  arrangement workers;
  std::vector<std::string> work;
};

class work : public testing::TestWithParam<work_case> {};

// r receive, e execute, t transmit, i isolate, each with its pipeline's number.
TEST_P(work, is_dealt_to_the_lcores) {
  auto const& given = GetParam();
  EXPECT_EQ(work_of(make_plan({.workers = given.workers}, machine_with(given.lcores, given.ports))), given.work);
}

INSTANTIATE_TEST_SUITE_P(
    of, work,
    testing::Values(
        work_case{"one_lcore", 1, 1, run_to_completion, {"0 master + forwarding: r0 e0 t0"}},
        work_case{"one_lcore_and_two_ports", 1, 2, run_to_completion, {"0 master + forwarding: r0 e0 t0 r1 e1 t1"}},
        work_case{"one_lcore_that_is_a_pair", 1, 1, pair, {"0 master + forwarding: r0 e0 t0"}},
        work_case{"one_lcore_that_isolates", 1, 1, isolated_rx, {"0 master + forwarding: i0 r0 e0 t0"}},
        work_case{"two_lcores", 2, 2, run_to_completion, {"0 master:", "1 forwarding: r0 e0 t0 r1 e1 t1"}},
        work_case{
            "three_lcores", 3, 2, run_to_completion, {"0 master:", "1 forwarding: r0 e0 t0", "2 forwarding: r1 e1 t1"}},
        work_case{"more_lcores_than_work",
                  4,
                  1,
                  run_to_completion,
                  {"0 master:", "1 forwarding: r0 e0 t0", "2 forwarding:", "3 forwarding:"}},
        work_case{"three_ports_on_two_workers",
                  3,
                  3,
                  run_to_completion,
                  {"0 master:", "1 forwarding: r0 e0 t0 r2 e2 t2", "2 forwarding: r1 e1 t1"}},
        work_case{"a_pair", 3, 1, pair, {"0 master:", "1 forwarding: r0", "2 forwarding: e0 t0"}},
        work_case{
            "two_pairs_on_two_workers", 3, 2, pair, {"0 master:", "1 forwarding: r0 r1", "2 forwarding: e0 t0 e1 t1"}},
        work_case{"a_pair_on_one_worker", 2, 1, pair, {"0 master:", "1 forwarding: r0 e0 t0"}},
        work_case{"three_a_pipeline",
                  4,
                  1,
                  pair_cpu,
                  {"0 master:", "1 forwarding: r0", "2 forwarding: e0", "3 forwarding: t0"}},
        work_case{"three_a_pipeline_on_two_workers",
                  3,
                  1,
                  pair_cpu,
                  {"0 master:", "1 forwarding: r0 t0", "2 forwarding: e0"}},
        work_case{
            "isolated_receive", 3, 1, isolated_rx, {"0 master:", "1 isolated-receive: i0", "2 forwarding: r0 e0 t0"}},
        work_case{"isolated_receive_on_one_worker", 2, 1, isolated_rx, {"0 master:", "1 forwarding: i0 r0 e0 t0"}}),
    [](auto const& given) { return given.param.what; });

TEST(plan, says_when_workers_are_too_few_or_too_many) {
  auto const notices = [](unsigned lcores, unsigned ports) {
    return make_plan({}, machine_with(lcores, ports)).notices;
  };
  EXPECT_THAT(notices(1, 1), IsEmpty());
  EXPECT_THAT(notices(2, 1), IsEmpty());
  EXPECT_THAT(notices(3, 2), IsEmpty());
  EXPECT_THAT(notices(2, 2), ElementsAre("2 groups of jobs share 1 worker: give 3 lcores (-l 0-2) for one each"));
  EXPECT_THAT(notices(3, 4), ElementsAre("4 groups of jobs share 2 workers: give 5 lcores (-l 0-4) for one each"));
  EXPECT_THAT(notices(9, 2), ElementsAre("6 of 8 workers have nothing to do: give more pipelines (-p)"));
}

TEST(plan, says_when_a_port_receives_nothing) {
  EXPECT_THAT(make_plan({.pipelines = 1}, machine_with(2, 2)).notices,
              ElementsAre("port 1 (net_null1) only sends: 1 pipeline over 2 ports leave it without one; use -p 2"));
}

TEST(plan, a_nic_takes_packets_as_long_as_its_interface_sends) {
  auto machine = machine_with(1, 4);
  for (auto& port : machine.ports) port.bus = "pci";
  machine.ports[1].default_mtu = 4000;
  machine.ports[3].bus = "vdev";
  auto const p =
      make_plan({.mtus = {1500, 9000, 2000, 9000}, .ports = {port_id{2}, port_id{0}, port_id{1}, port_id{3}}}, machine);
  // The ports' own MTU if that is no less, and on the other side of a virtual port.
  std::map<unsigned, unsigned> given;
  for (auto const& port : p.ports) given[port.facts.id.value()] = port.config.mtu;
  EXPECT_EQ(given, (std::map<unsigned, unsigned>{{0, 9000}, {1, 0}, {2, 0}, {3, 0}}));
}

TEST(plan, a_nic_that_takes_no_packets_so_long_is_refused) {
  auto machine = machine_with(1, 1);
  machine.ports[0].bus = "pci";
  EXPECT_EQ(refusal_of({.mtus = {9001}, .ports = {port_id{0}}}, machine), refusal_of({.mtu = 9001}, machine));
}

TEST(plan, gives_ports_the_descriptors_and_mtu_that_were_asked_for) {
  auto const p = make_plan({.rx_descriptors = 256, .tx_descriptors = 512, .mtu = 9000}, machine_with(1, 2));
  for (auto const& port : p.ports) {
    EXPECT_EQ(port.config.rx_descriptors, 256);
    EXPECT_EQ(port.config.tx_descriptors, 512);
    EXPECT_EQ(port.config.mtu, 9000);
  }
}

TEST(plan, gives_a_worker_that_does_everything_few_slots_and_others_many) {
  auto const slots = [](arrangement how, std::uint32_t asked) {
    return make_plan({.workers = how, .ring_slots = asked}, machine_with(4, 1)).pipelines[0].ring_slots;
  };
  EXPECT_EQ(slots(run_to_completion, 0), 4u);
  EXPECT_EQ(slots(isolated_rx, 0), 4u);
  EXPECT_EQ(slots(pair, 0), 512u);
  EXPECT_EQ(slots(pair_cpu, 0), 512u);
  EXPECT_EQ(slots(run_to_completion, 16), 16u);
}

// A function that sends by any port: a TX queue on each port for each worker that sends, whatever its pipelines.
TEST(plan, gives_each_worker_a_queue_on_every_port_where_packets_leave_by_any) {
  data_plane_config config;
  config.function = &facts_of<router>;
  config.pipelines = 4;
  auto const p = make_plan(config, machine_with(3, 2));
  ASSERT_EQ(p.pipelines.size(), 4u);
  for (std::size_t n = 0; n < 4; ++n) {
    auto const& egresses = p.pipelines[n].egresses;
    ASSERT_EQ(egresses.size(), 2u) << n;
    for (std::uint16_t port = 0; port < 2; ++port) {
      EXPECT_EQ(egresses[port].port, port_id{port}) << n;
      EXPECT_EQ(egresses[port].queue.value(), n % 2) << n;
    }
  }
  for (auto const& port : p.ports) {
    EXPECT_EQ(port.config.rx_queues, 2);
    EXPECT_EQ(port.config.tx_queues, 2);
  }
}

TEST(plan, has_ports_in_the_order_in_which_they_are_asked_for) {
  data_plane_config config;
  config.function = &facts_of<router>;
  config.ports = {port_id{2}, port_id{0}};
  auto const p = make_plan(config, machine_with(1, 3));
  ASSERT_EQ(p.ports.size(), 2u);
  EXPECT_EQ(p.ports[0].facts.id, port_id{2});
  EXPECT_EQ(p.ports[1].facts.id, port_id{0});
  EXPECT_EQ(p.pipelines[0].rx_port, port_id{2});
  EXPECT_EQ(p.pipelines[1].egresses[0].port, port_id{2});
}

data_plane_config on_gpu(executor_kind kind, std::uint16_t pipelines = 1) {
  data_plane_config config;
  config.executor = kind;
  config.pipelines = pipelines;
  return config;
}

// The GPU of each pipeline.
std::vector<int> gpus_of(plan const& p) {
  std::vector<int> gpus;
  for (auto const& one : p.pipelines) gpus.push_back(one.gpu);
  return gpus;
}

TEST(plan, gives_a_gpu_as_many_bursts_in_flight_as_keep_it_busy) {
  auto const slots = [](std::uint32_t burst, std::uint32_t asked) {
    auto config = on_gpu(executor_kind::persistent);
    config.burst = burst;
    config.ring_slots = asked;
    return make_plan(config, machine_with(2, 1)).pipelines[0].ring_slots;
  };
  EXPECT_EQ(slots(1, 0), 256u);
  EXPECT_EQ(slots(16, 0), 128u);
  EXPECT_EQ(slots(64, 0), 32u);
  EXPECT_EQ(slots(100, 0), 32u) << "a power of two";
  EXPECT_EQ(slots(128, 0), 16u);
  EXPECT_EQ(slots(8192, 0), 16u);
  EXPECT_EQ(slots(64, 2), 2u) << "as asked for";
}

TEST(plan, deals_pipelines_over_the_gpus_in_turn) {
  auto config = on_gpu(executor_kind::kernel, 5);
  EXPECT_THAT(gpus_of(make_plan(config, machine_with(6, 1))), ElementsAre(0, 0, 0, 0, 0));
  config.gpu.indexes = {3, 0};
  EXPECT_THAT(gpus_of(make_plan(config, machine_with(6, 1))), ElementsAre(3, 0, 3, 0, 3));
  config.executor = executor_kind::cpu;
  EXPECT_THAT(gpus_of(make_plan(config, machine_with(6, 1))), ElementsAre(-1, -1, -1, -1, -1)) << "none is needed";
}

TEST(plan, deals_the_pipelines_of_each_port_over_the_gpus_of_a_function_that_sends_by_any_port) {
  auto config = on_gpu(executor_kind::kernel, 8);
  config.function = &facts_of<router>;
  config.gpu.indexes = {3, 0};
  auto const p = make_plan(config, machine_with(8, 2));
  EXPECT_THAT(gpus_of(p), ElementsAre(3, 3, 0, 0, 3, 3, 0, 0));
  for (auto const& one : p.pipelines) EXPECT_TRUE(one.hands_to.empty()) << "each GPU has all routes";
}

TEST(plan, hands_packets_over_to_pipelines_of_the_same_port) {
  auto config = on_gpu(executor_kind::kernel, 8);
  config.function = &facts_of<chain<nat44, router>>;
  config.gpu.indexes = {3, 0};
  auto const p = make_plan(config, machine_with(8, 2));
  std::vector<std::size_t> given(8);
  for (auto const& one : p.pipelines) {
    ASSERT_EQ(one.hands_to.size(), 2u);
    for (std::uint16_t gpu = 0; gpu < 2; ++gpu) {
      auto const& to = p.pipelines[one.hands_to[gpu]];
      EXPECT_EQ(to.rx_port, one.rx_port);
      EXPECT_EQ(to.gpu_position, gpu);
      if (gpu != one.gpu_position) ++given[one.hands_to[gpu]];
    }
  }
  EXPECT_THAT(given, testing::Each(1u)) << "each takes those of one other";
  config.gpu.indexes = {3};
  EXPECT_TRUE(make_plan(config, machine_with(8, 2)).pipelines.front().hands_to.empty());
}

TEST(plan, refuses_a_fault_on_a_gpu_that_is_not_used) {
  auto config = on_gpu(executor_kind::kernel, 2);
  config.gpu.indexes = {0, 3};
  config.gpu.fault_gpu = 3;
  EXPECT_NO_THROW((void)make_plan(config, machine_with(2, 2)));
  config.gpu.fault_gpu = 1;
  EXPECT_THAT([&] { (void)make_plan(config, machine_with(2, 2)); },
              testing::ThrowsMessage<usage_error>(testing::HasSubstr("does not use GPU 1; give one of 0, 3")));
}

TEST(plan, refuses_a_gpu_that_sees_no_packets_of_a_port) {
  auto config = on_gpu(executor_kind::kernel, 2);
  config.function = &facts_of<chain<nat44, router>>;
  config.gpu.indexes = {0, 1};
  EXPECT_THAT([&] { (void)make_plan(config, machine_with(2, 2)); },
              testing::ThrowsMessage<usage_error>(testing::AllOf(testing::HasSubstr("2 GPUs, and 1 RX queue of port 0"),
                                                                 testing::HasSubstr("give 4 pipelines"))));
}

TEST(plan, gives_a_persistent_kernel_that_is_alone_twice_the_blocks) {
  auto const blocks = [](std::uint16_t pipelines, std::uint32_t asked) {
    auto config = on_gpu(executor_kind::persistent, pipelines);
    config.gpu.blocks = asked;
    return make_plan(config, machine_with(2, 1)).pipelines[0].gpu_blocks;
  };
  EXPECT_EQ(blocks(1, 0), 4u);
  EXPECT_EQ(blocks(2, 0), 2u);
  EXPECT_EQ(blocks(1, 7), 7u);
}

TEST(plan, gives_a_persistent_kernel_that_stays_with_packets_twice_the_blocks) {
  using namespace std::chrono_literals;
  auto const blocks = [](executor_kind executor, std::chrono::nanoseconds packet_time) {
    auto config = on_gpu(executor, 2);
    config.packet_time = packet_time;
    return make_plan(config, machine_with(2, 1)).pipelines[0].gpu_blocks;
  };
  EXPECT_EQ(blocks(executor_kind::persistent, 0ns), 2u);
  EXPECT_EQ(blocks(executor_kind::persistent, 1ns), 4u);
  EXPECT_EQ(blocks(executor_kind::graph, 1ns), 2u) << "its blocks have as many warps as ever";
}

// A block that waits for a multiprocessor would wait for the end of the program, and so would its own bursts. Sessions
// age by kernels of their own, which would wait for ever for a multiprocessor that a persistent kernel has.
TEST(plan, leaves_multiprocessors_to_where_sessions_age) {
  auto machine = machine_with(9, 4);
  machine.gpus = {{.index = 0, .name = "small", .multiprocessors = 8}};
  data_plane_config config{.executor = executor_kind::persistent, .function = &facts_of<chain<nat44, router>>};
  config.pipelines = 4;
  auto const planned = make_plan(config, machine);
  EXPECT_EQ(planned.pipelines.front().gpu_blocks, 1U) << "2 each are all 8";
  EXPECT_THAT(planned.notices,
              testing::Contains(testing::HasSubstr("take 4 of the GPU's 8 multiprocessors for good; 1")));
  config.gpu.blocks = 2;
  EXPECT_THROW((void)make_plan(config, machine), usage_error);
  config.function = &facts_of<router>;
  EXPECT_EQ(make_plan(config, machine).pipelines.front().gpu_blocks, 2U) << "nothing ages there";
}

TEST(plan, counts_the_shared_memory_of_a_function_that_works_on_packets_together) {
  auto machine = machine_with(2, 1);
  machine.gpus = {{.index = 0, .name = "small", .multiprocessors = 50, .shared_bytes = 100'000}};
  auto wide = facts_of<forward>;
  wide.name = "wide";
  wide.room_bytes = 8192;
  auto const with = [&](executor_kind executor) {
    auto config = on_gpu(executor, 1);
    config.function = &wide;
    return config;
  };
  EXPECT_THAT(make_plan(with(executor_kind::persistent), machine).notices,
              testing::Contains("wide works on packets together, in 65536 bytes of shared memory for each block of 8 "
                                "warps"));
  EXPECT_EQ(
      refusal_of(with(executor_kind::graph), machine),
      "GPU 0: function wide works on packets together: it needs 8192 bytes of shared memory for each warp, 131072 "
      "for the 16 warps of a block, and a block of this GPU can have 100000; use executor kernel or executor cpu");
  machine.gpus[0].shared_bytes = 0;
  EXPECT_NO_THROW((void)make_plan(with(executor_kind::graph), machine)) << "the GPU itself says it later";
  wide.room_bytes = 0;
  EXPECT_THAT(make_plan(with(executor_kind::graph), machine).notices, testing::IsEmpty());
}

TEST(plan, has_no_persistent_kernel_for_a_function_with_kernels_of_its_own) {
  auto large = facts_of<forward>;
  large.name = "large";
  large.has_own_kernels = true;
  auto config = on_gpu(executor_kind::persistent, 1);
  config.function = &large;
  EXPECT_EQ(refusal_of(config, machine_with(2, 1)),
            "executor persistent: function large needs CUDA kernels of its own, which a kernel that never ends cannot "
            "launch; use executor graph, kernel or cpu");
  config.executor = executor_kind::graph;
  EXPECT_NO_THROW((void)make_plan(config, machine_with(2, 1)));
}

TEST(plan, gives_joint_work_more_bursts_in_flight_and_more_blocks) {
  auto slow = facts_of<router>;
  slow.room_bytes = 64;
  auto const planned = [&](executor_kind executor) {
    auto config = on_gpu(executor, 2);
    config.burst = 64;
    config.function = &slow;
    return make_plan(config, machine_with(2, 1)).pipelines[0];
  };
  constexpr std::array on_a_gpu{executor_kind::kernel, executor_kind::persistent, executor_kind::graph};
  for (auto const executor : on_a_gpu) EXPECT_EQ(planned(executor).ring_slots, 128u);
  slow.goes_in_step = true;
  for (auto const executor : on_a_gpu) EXPECT_EQ(planned(executor).ring_slots, 256u);
  slow.room_bytes = 0;
  slow.has_own_kernels = true;
  EXPECT_EQ(planned(executor_kind::graph).ring_slots, 256u);
  slow = facts_of<router>;
  slow.room_bytes = 64;
  EXPECT_EQ(planned(executor_kind::persistent).gpu_blocks, 16u);
  EXPECT_EQ(planned(executor_kind::graph).gpu_blocks, 8u);
  EXPECT_EQ(planned(executor_kind::cpu).ring_slots, 4u);
}

// A block with joint work has one burst at a time while packets are few.
TEST(plan, lets_a_burst_wait_for_packets_once_each_block_of_a_kernel_may_have_one) {
  auto joint = facts_of<router>;
  joint.room_bytes = 64;
  auto const bursts = [](executor_kind executor, function_facts const& function, std::uint32_t blocks = 0) {
    auto config = on_gpu(executor, 2);
    config.function = &function;
    config.gpu.blocks = blocks;
    return make_plan(config, machine_with(2, 1)).pipelines[0].bursts_at_once;
  };
  EXPECT_EQ(bursts(executor_kind::persistent, joint), 16u);
  EXPECT_EQ(bursts(executor_kind::graph, joint), 8u);
  EXPECT_EQ(bursts(executor_kind::kernel, joint), 8u);
  EXPECT_EQ(bursts(executor_kind::persistent, facts_of<router>), 8u);
  EXPECT_EQ(bursts(executor_kind::persistent, facts_of<router>, 20), 8u) << "its blocks have several each";
  EXPECT_EQ(bursts(executor_kind::cpu, joint), 1u);
}

TEST(plan, gives_persistent_kernels_no_more_blocks_than_the_gpu_has_multiprocessors) {
  auto machine = machine_with(2, 1);
  machine.gpus = {{.index = 0, .name = "small", .multiprocessors = 5}};
  auto const blocks = [&](executor_kind executor, std::uint16_t pipelines) {
    return make_plan(on_gpu(executor, pipelines), machine).pipelines[0].gpu_blocks;
  };
  EXPECT_EQ(blocks(executor_kind::persistent, 1), 4u);
  EXPECT_EQ(blocks(executor_kind::persistent, 2), 2u);
  EXPECT_EQ(blocks(executor_kind::persistent, 3), 1u);
  EXPECT_EQ(blocks(executor_kind::persistent, 5), 1u);
  EXPECT_EQ(blocks(executor_kind::graph, 5), 2u) << "its blocks end by themselves";
  EXPECT_EQ(
      refusal_of(on_gpu(executor_kind::persistent, 6), machine),
      "a persistent kernel keeps a multiprocessor for each of its blocks: 6 pipelines x 1 blocks are 6, and the GPU "
      "has 5; use fewer pipelines (-p), more GPUs (-g 0,1) or -w kernel");
  auto config = on_gpu(executor_kind::persistent, 2);
  config.gpu.blocks = 3;
  EXPECT_EQ(
      refusal_of(config, machine),
      "a persistent kernel keeps a multiprocessor for each of its blocks: 2 pipelines x 3 blocks are 6, and the GPU "
      "has 5; use --gpu-blocks 2, fewer pipelines (-p), more GPUs (-g 0,1) or -w kernel");
}

TEST(plan, refuses_more_persistent_kernels_than_a_gpu_runs_side_by_side) {
  auto const machine = machine_with(2, 4);
  EXPECT_EQ(refusal_of(on_gpu(executor_kind::persistent, 32), machine), "planned");
  EXPECT_EQ(refusal_of(on_gpu(executor_kind::persistent, 33), machine),
            "-p 33: a GPU runs at most 32 persistent kernels side by side, one a pipeline; use fewer pipelines, more "
            "GPUs (-g 0,1) or -w kernel");
  EXPECT_EQ(refusal_of(on_gpu(executor_kind::kernel, 33), machine), "planned") << "its kernels end";
  auto on_two = on_gpu(executor_kind::persistent, 64);
  on_two.gpu.indexes = {0, 1};
  EXPECT_EQ(refusal_of(on_two, machine), "planned");
}

// The receiving worker has the packets' descriptors in its cache.
TEST(plan, lets_the_worker_that_receives_give_to_the_gpu_where_another_collects) {
  auto const work = [](arrangement how, unsigned lcores) {
    auto config = on_gpu(executor_kind::kernel);
    config.workers = how;
    return work_of(make_plan(config, machine_with(lcores, 1)));
  };
  EXPECT_THAT(work(run_to_completion, 2), ElementsAre("0 master:", "1 forwarding: r0 e0 t0"));
  EXPECT_THAT(work(pair, 3), ElementsAre("0 master:", "1 forwarding: r0 g0", "2 forwarding: e0 t0"));
  EXPECT_THAT(work(pair_cpu, 4),
              ElementsAre("0 master:", "1 forwarding: r0 g0", "2 forwarding: e0", "3 forwarding: t0"));
}

TEST(plan, refuses_what_the_machine_does_not_have) {
  EXPECT_THAT(refusal_of({}, machine_with(1, 0)), HasSubstr("no port: give a device (-a 0000:b5:00.0)"));
  EXPECT_EQ(refusal_of({.pipelines = 17}, machine_with(1, 1)),
            "port 0 (net_null0): 17 RX queues needed, the port has 16; use fewer pipelines (-p, or 'pipelines' of "
            "data_plane), or give the port more queues");
  EXPECT_EQ(refusal_of({.pipelines = 16}, machine_with(1, 1)), "planned");
  EXPECT_EQ(refusal_of({.mtu = 9001}, machine_with(1, 1)),
            "port 0 (net_null0): MTU 9001 asked for; the port allows at most 9000");
}

TEST(plan, refuses_more_tx_queues_than_the_peer_has) {
  auto machine = machine_with(1, 2);
  machine.ports[1].max_tx_queues = 1;
  EXPECT_EQ(refusal_of({.pipelines = 2}, machine), "planned");
  EXPECT_EQ(refusal_of({.pipelines = 3}, machine),
            "port 1 (net_null1): 2 TX queues needed, the port has 1; use fewer pipelines (-p, or 'pipelines' of "
            "data_plane), or give the port more queues");
}

TEST(plan, refuses_a_port_map_that_does_not_give_every_port_one_peer) {
  auto const machine = machine_with(1, 3);
  EXPECT_EQ(refusal_of({.port_map = {{0_port, 3_port}}}, machine),
            "--portmap: port 3 does not exist; there are ports 0 to 2");
  EXPECT_EQ(refusal_of({.port_map = {{0_port, 1_port}, {1_port, 2_port}}}, machine),
            "--portmap: port 1 is in more than one pair; a port has one peer");
  EXPECT_EQ(refusal_of({.port_map = {{0_port, 1_port}, {2_port, 0_port}}}, machine),
            "--portmap: port 0 is in more than one pair; a port has one peer");
  EXPECT_EQ(refusal_of({.port_map = {{0_port, 1_port}}}, machine),
            "--portmap: port 2 (net_null2) is in no pair; give every port one, as \"(0,1)(2,3)\"");
}

TEST(plan, forwards_between_the_chosen_ports_only) {
  auto const p = make_plan({.ports = {1_port, 3_port}}, machine_with(1, 4));
  EXPECT_THAT(paths_of(p), ElementsAre("1.0>3.0", "3.0>1.0"));
  EXPECT_EQ(p.ports.size(), 2u);
}

TEST(plan, refuses_a_chosen_port_that_does_not_exist) {
  EXPECT_EQ(refusal_of({.pipelines = 1, .ports = {7_port}}, machine_with(1, 2)),
            "port 7 is to be forwarded on and does not exist; there are ports 0 to 1");
}

}  // namespace
}  // namespace packetwarp
