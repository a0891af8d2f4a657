// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "plan/machines.h"
#include "plan/plan.h"
#include "port/replay/replayed_frames.h"

namespace packetwarp {
namespace {

using testing::Contains;
using testing::HasSubstr;

// Over the ports of these names or numbers, two frames, the second of this many bytes.
data_plane_config replaying(std::vector<std::string> const& ports, std::size_t bytes = 60) {
  static std::vector<std::byte> const memory(4096);
  auto const list = std::make_shared<frame_list>(
      frame_list{.file = "flows.pcap", .frames = {std::span{memory}.first(60), std::span{memory}.first(bytes)}});
  data_plane_config config;
  for (auto const& port : ports) config.replays.push_back({.port = port, .file = "flows.pcap", .frames = list});
  return config;
}

std::string replay_refusal(data_plane_config const& config, machine_facts const& machine) {
  try {
    (void)make_plan(config, machine);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return "planned";
}

TEST(a_plan_with_replays, has_them_on_the_ports_that_they_name) {
  auto const config = replaying({"net_null2", "0"});
  auto const p = make_plan(config, test::machine_with(4, 3));
  EXPECT_EQ(p.ports[0].replayed, config.replays[1].frames);
  EXPECT_EQ(p.ports[1].replayed, nullptr);
  EXPECT_EQ(p.ports[2].replayed, config.replays[0].frames);
  EXPECT_THAT(p.notices,
              Contains("port 0 (net_null0): its received packets are overwritten by the 2 frames of flows.pcap"));
}

TEST(a_plan_with_replays, says_where_frames_are_all_that_is_received) {
  auto machine = test::machine_with(4, 2);
  machine.ports[1].receives_nothing = true;
  EXPECT_THAT(make_plan(replaying({"1"}), machine).notices,
              Contains("port 1 (net_null1): it receives the 2 frames of flows.pcap"));
}

TEST(a_plan_with_replays, refuses_ports_that_are_not_there_or_named_twice) {
  auto const machine = test::machine_with(4, 2);
  EXPECT_EQ(replay_refusal(replaying({"7"}), machine),
            "--replay: port '7' does not exist; there are 0 (net_null0), 1 (net_null1)");
  EXPECT_EQ(replay_refusal(replaying({"1", "net_null1"}), machine), "--replay: port 1 (net_null1) is given twice");
}

TEST(a_plan_with_replays, refuses_ports_that_nobody_receives_from) {
  auto config = replaying({"1"});
  config.pipelines = 1;
  EXPECT_EQ(replay_refusal(config, test::machine_with(4, 2)), "--replay: port '1': no worker receives from it");
  config.pipelines = 0;
  config.ports = {port_id{0}, port_id{2}};
  EXPECT_EQ(replay_refusal(config, test::machine_with(4, 3)), "--replay: port '1': no worker receives from it");
}

TEST(a_plan_with_replays, refuses_frames_that_packets_have_no_room_for) {
  auto const machine = test::machine_with(4, 2);
  EXPECT_EQ(replay_refusal(replaying({"0"}, 2048), machine), "planned");
  EXPECT_THAT(replay_refusal(replaying({"0"}, 2049), machine), HasSubstr("flows.pcap: frame 2 has 2049 bytes"));
  auto config = replaying({"0"}, 2049);
  config.data_room = 4096;
  EXPECT_EQ(replay_refusal(config, machine), "planned");
}

TEST(a_plan_with_replays, refuses_packets_that_the_cpu_cannot_write) {
  for (auto const where : {placement::device, placement::split}) {
    auto config = replaying({"0"});
    config.executor = executor_kind::persistent;
    config.where = where;
    EXPECT_THAT(replay_refusal(config, test::machine_with(4, 2)), testing::StartsWith("--replay: the CPU writes"));
  }
}

}  // namespace
}  // namespace packetwarp
