// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/l2fwd/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "cli/call.h"

namespace packetwarp {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

l2fwd_options parse(std::vector<std::string> words) { return parse_l2fwd_options(test::l2fwd_call(std::move(words))); }
data_plane_config plane(std::vector<std::string> words) { return parse(std::move(words)).plane; }
run_limits limits(std::vector<std::string> words) { return parse(std::move(words)).limits; }

TEST(l2fwd_options, that_are_not_given_have_the_values_the_help_page_tells) {
  auto const given = parse({});
  EXPECT_EQ(given.plane.burst, 32u);
  EXPECT_EQ(given.plane.data_room, 2048u);
  EXPECT_EQ(given.plane.where, placement::host);
  EXPECT_EQ(given.plane.pipelines, 0) << "one a port";
  EXPECT_EQ(given.plane.packet_time, 0ns);
  EXPECT_EQ(given.plane.executor, executor_kind::cpu);
  EXPECT_EQ(given.plane.burst_timeout, 20us);
  EXPECT_EQ(given.plane.tx_timeout, 10ms);
  EXPECT_EQ(given.plane.workers, arrangement::run_to_completion);
  EXPECT_EQ(given.plane.isolated_ring, 16384u);
  EXPECT_EQ(given.plane.rx_descriptors, 1024);
  EXPECT_EQ(given.plane.tx_descriptors, 1024);
  EXPECT_EQ(given.plane.pool_cache, 512u);
  EXPECT_EQ(given.plane.mtu, 0) << "the ports' own";
  EXPECT_EQ(given.plane.ring_slots, 0u) << "the plan chooses";
  EXPECT_THAT(given.plane.gpu.indexes, ElementsAre(0));
  EXPECT_EQ(given.plane.gpu.timeout, 100ms);
  EXPECT_EQ(given.plane.gpu.launches, launch_policy::ready_bursts);
  EXPECT_EQ(given.plane.gpu.blocks, 0u) << "the plan chooses";
  EXPECT_EQ(given.plane.gpu.fault, gpu_fault::none);
  EXPECT_FALSE(given.plane.gpu.trace);
  EXPECT_THAT(given.plane.port_map, IsEmpty());
  EXPECT_EQ(given.limits.packets, 0u);
  EXPECT_EQ(given.limits.warmup, 0u);
  EXPECT_EQ(given.limits.until_idle, 0ns);
  EXPECT_EQ(given.limits.duration, 0ns);
  EXPECT_EQ(given.json, "");
  EXPECT_EQ(given.control, "") << "by the file prefix";
  EXPECT_EQ(given.observers.metrics, "");
  EXPECT_EQ(given.observers.event_log, "");
}

TEST(l2fwd_options, say_how_others_see_the_run) {
  auto const given =
      parse({"--control", "none", "--metrics", "0.0.0.0:9464", "--event-log", "events.jsonl", "--report-age", "20ms"});
  EXPECT_EQ(given.control, "none");
  EXPECT_EQ(given.observers.metrics, "0.0.0.0:9464");
  EXPECT_EQ(given.observers.event_log, "events.jsonl");
  EXPECT_EQ(given.observers.report_age, 20ms);
}

TEST(l2fwd_options, name_a_capture_for_each_port_that_is_to_replay_one) {
  EXPECT_THAT(plane({}).replays, IsEmpty());
  auto const replays = plane({"--replay", "0=a=b.pcap", "--replay=net_null1=c.pcap"}).replays;
  ASSERT_EQ(replays.size(), 2u);
  EXPECT_EQ(replays[0].port, "0");
  EXPECT_EQ(replays[0].file, "a=b.pcap");
  EXPECT_EQ(replays[1].port, "net_null1");
  EXPECT_EQ(replays[1].file, "c.pcap");
  EXPECT_EQ(replays[1].frames, nullptr) << "a command line is read without its files";
}

TEST(l2fwd_options, have_l2fwd_nv_s_letters) {
  auto const given =
      parse({"-b", "64", "-d", "4096", "-m", "0", "-p", "3", "-t", "500", "-v", "1000", "-w", "1", "-z", "7"});
  EXPECT_EQ(given.plane.burst, 64u);
  EXPECT_EQ(given.plane.data_room, 4096u);
  EXPECT_EQ(given.plane.where, placement::host);
  EXPECT_EQ(given.plane.pipelines, 3);
  EXPECT_EQ(given.plane.packet_time, 500ns) << "its -t is in nanoseconds";
  EXPECT_EQ(given.limits.packets, 1000u);
  EXPECT_EQ(given.plane.executor, executor_kind::cpu);
  EXPECT_EQ(given.limits.warmup, 7u);
}

TEST(l2fwd_options, have_long_names_for_the_letters) {
  auto const given = parse({"--burst=64", "--data-room=4k", "--memory=host", "--pipelines=3", "--packet-time=1us",
                            "--packets=64k", "--workload=cpu", "--warmup=1m"});
  EXPECT_EQ(given.plane.burst, 64u);
  EXPECT_EQ(given.plane.data_room, 4096u) << "sizes count in 1024";
  EXPECT_EQ(given.plane.pipelines, 3);
  EXPECT_EQ(given.plane.packet_time, 1us);
  EXPECT_EQ(given.limits.packets, 64'000u) << "counts count in 1000";
  EXPECT_EQ(given.limits.warmup, 1'000'000u);
}

TEST(l2fwd_options, take_words_and_numbers_for_the_workload_and_memory) {
  EXPECT_EQ(plane({"-w", "none"}).executor, executor_kind::none);
  EXPECT_EQ(plane({"-w", "0"}).executor, executor_kind::none);
  EXPECT_EQ(plane({"-w", "cpu"}).executor, executor_kind::cpu);
  EXPECT_EQ(plane({"-w1"}).executor, executor_kind::cpu);
  EXPECT_EQ(plane({"-m", "host"}).where, placement::host);
}

TEST(l2fwd_options, take_the_workloads_of_a_gpu) {
  EXPECT_EQ(plane({"-w", "kernel"}).executor, executor_kind::kernel);
  EXPECT_EQ(plane({"-w", "2"}).executor, executor_kind::kernel);
  EXPECT_EQ(plane({"-w", "persistent"}).executor, executor_kind::persistent);
  EXPECT_EQ(plane({"-w", "3"}).executor, executor_kind::persistent);
  EXPECT_EQ(plane({"-w", "graph"}).executor, executor_kind::graph);
  EXPECT_EQ(plane({"-w", "4"}).executor, executor_kind::graph);
}

TEST(l2fwd_options, say_which_gpus_work_and_how) {
  EXPECT_THAT(plane({"-w", "kernel", "-g", "1"}).gpu.indexes, ElementsAre(1));
  EXPECT_THAT(plane({"-w", "graph", "--gpu=3,0,12"}).gpu.indexes, ElementsAre(3, 0, 12));
  EXPECT_EQ(plane({"-w", "kernel", "--gpu-timeout", "2s"}).gpu.timeout, 2s);
  EXPECT_EQ(plane({"-w", "kernel", "--launch-per-burst"}).gpu.launches, launch_policy::per_burst);
  EXPECT_EQ(plane({"-w", "persistent", "--gpu-blocks", "64"}).gpu.blocks, 64u);
  EXPECT_TRUE(plane({"-w", "persistent", "-n"}).gpu.trace);
  for (auto const slots : {1u, 2u, 4096u}) {
    EXPECT_EQ(plane({"--ring-slots", std::to_string(slots)}).ring_slots, slots) << "of any workload";
  }
}

TEST(l2fwd_options, take_a_fault_to_inject_and_when) {
  auto const at_once = plane({"-w", "kernel", "--inject-gpu-fault", "error"}).gpu;
  EXPECT_EQ(at_once.fault, gpu_fault::error);
  EXPECT_EQ(at_once.fault_after, 0u);
  auto const later = plane({"-w", "persistent", "--inject-gpu-fault", "stall@1k"}).gpu;
  EXPECT_EQ(later.fault, gpu_fault::stall);
  EXPECT_EQ(later.fault_after, 1000u);
  EXPECT_EQ(plane({"-w", "graph", "--inject-gpu-fault", "lost"}).gpu.fault, gpu_fault::lost);
  EXPECT_EQ(plane({"-w", "graph", "--inject-gpu-fault", "memory"}).gpu.fault, gpu_fault::memory);
  EXPECT_EQ(plane({"-w", "graph", "--inject-gpu-fault", "busy@7"}).gpu.fault, gpu_fault::busy);
}

TEST(l2fwd_options, take_every_arrangement_of_workers) {
  EXPECT_EQ(plane({"--workers", "run-to-completion"}).workers, arrangement::run_to_completion);
  EXPECT_EQ(plane({"--workers", "pair"}).workers, arrangement::pair);
  EXPECT_EQ(plane({"--workers", "pair-cpu"}).workers, arrangement::pair_cpu);
  EXPECT_EQ(plane({"--workers", "isolated-rx"}).workers, arrangement::isolated_rx);
}

TEST(l2fwd_options, take_sizes_up_to_their_bounds) {
  EXPECT_EQ(plane({"-b", "1"}).burst, 1u);
  EXPECT_EQ(plane({"-b", "8192"}).burst, 8192u);
  EXPECT_EQ(plane({"-d", "128"}).data_room, 128u);
  EXPECT_EQ(plane({"-d", "65407"}).data_room, 65407u);
  EXPECT_EQ(plane({"-p", "1024"}).pipelines, 1024);
  EXPECT_EQ(plane({"--rxd", "32768"}).rx_descriptors, 32768);
  EXPECT_EQ(plane({"--txd", "1"}).tx_descriptors, 1);
  EXPECT_EQ(plane({"--mbcache", "0"}).pool_cache, 0u);
  EXPECT_EQ(plane({"--total-num-mbufs", "1m"}).pool_packets, 1000000u);
  EXPECT_EQ(plane({"--mtu", "68"}).mtu, 68);
  EXPECT_EQ(plane({"--mtu", "65535"}).mtu, 65535);
  EXPECT_EQ(plane({"--workers", "isolated-rx", "--isolated-ring", "1k"}).isolated_ring, 1000u);
}

TEST(l2fwd_options, take_times_with_their_units) {
  EXPECT_EQ(plane({"--burst-timeout", "40us"}).burst_timeout, 40us);
  EXPECT_EQ(plane({"--tx-timeout", "0"}).tx_timeout, 0ns);
  EXPECT_EQ(plane({"-t", "1.5us"}).packet_time, 1500ns);
  EXPECT_EQ(plane({"-t", "0"}).packet_time, 0ns);
  EXPECT_EQ(limits({"--until-idle", "100ms"}).until_idle, 100ms);
  EXPECT_EQ(limits({"--duration", "2h"}).duration, 2h);
  EXPECT_EQ(limits({"--stats-period", "0"}).stats_period, 0ns);
  EXPECT_EQ(limits({"--stats-period", "250ms"}).stats_period, 250ms);
}

TEST(l2fwd_options, take_a_port_map) {
  EXPECT_THAT(plane({"--portmap", "(0,1)"}).port_map, ElementsAre(Pair(port_id{0}, port_id{1})));
  EXPECT_THAT(
      plane({"--portmap", "(0,3)(1,2)(65535,65535)"}).port_map,
      ElementsAre(Pair(port_id{0}, port_id{3}), Pair(port_id{1}, port_id{2}), Pair(port_id{65535}, port_id{65535})));
}

TEST(l2fwd_options, take_the_place_for_the_result) {
  EXPECT_EQ(parse({"--json", "a b.json"}).json, "a b.json");
  EXPECT_EQ(parse({"--json", "-"}).json, "-");
}

}  // namespace
}  // namespace packetwarp
