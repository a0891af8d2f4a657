// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/port_restarts.h"

#include "fixtures/device_events.h"
#include "fixtures/failing_start.h"
#include "fixtures/log_reader.h"
#include "master/null_ports_fixture.h"

namespace packetwarp::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Ports that their physical functions reset while packets pass.
class port_restarts_test : public null_ports_fixture {
 protected:
  port_restarts_test() {
    if (!raise_port_reset(no_port)) is_known_ = false;
  }
  void SetUp() override {
    if (!is_known_) GTEST_SKIP() << "this DPDK does not say how large its ports are";
  }
  void reset(std::size_t n) { (void)raise_port_reset(config_.ports[n].value()); }
  // The packets of pipelines that receive from the n-th port, and of pipelines that send by it.
  [[nodiscard]] static std::uint64_t received(data_plane const& plane, std::size_t n) {
    return plane.pipelines()[n].counters().arrivals.packets.read();
  }
  [[nodiscard]] static std::uint64_t sent_to_peer_of(data_plane const& plane, std::size_t n) {
    return plane.pipelines()[n].counters().departures.packets.read();
  }

  static constexpr std::uint16_t no_port = RTE_MAX_ETHPORTS - 1;
  bool is_known_{true};
};

TEST_P(port_restarts_test, have_the_port_forward_again_and_the_others_go_on) {
  plug_in(4);
  log_reader logged;
  bool is_raised = false;
  std::array<std::uint64_t, 4> then{};
  port_counts last;
  run([&](data_plane& plane, supervisor& inner) {
    if (!is_raised && all_forward(plane, 200)) reset(1), is_raised = true;
    auto const& port = plane.ports()[1];
    if (port.restarts() == 0) return;
    if (then[1] == 0) {
      for (std::size_t n = 0; n < then.size(); ++n) then[n] = sent_to_peer_of(plane, n);
      return;
    }
    // Pipeline 0 sends by port 1, pipeline 1 receives from it.
    for (std::size_t n = 0; n < then.size(); ++n) {
      if (sent_to_peer_of(plane, n) < then[n] + 200) return;
    }
    last = port.counts();
    inner.finish();
  });
  EXPECT_EQ(cause_, end_cause::finished);
  EXPECT_THAT(events_, ElementsAre(std::pair{port_event::restarted, names_[1]}));
  EXPECT_THAT(states_, testing::Each(port_state::up));
  EXPECT_THAT(logged.read(), AllOf(HasSubstr(names_[1] + "): its physical function was reset"),
                                   HasSubstr(names_[1] + "): started again after")));
  EXPECT_GE(last.rx_packets, then[1]) << "counts go on";
}

TEST_P(port_restarts_test, may_be_of_all_ports_and_more_than_once) {
  plug_in(2);
  unsigned raised = 0;
  run([&](data_plane& plane, supervisor& inner) {
    auto const& ports = plane.ports();
    if (ports[0].restarts() < raised || ports[1].restarts() < raised) return;
    if (!all_forward(plane, 200 * (raised + 1))) return;
    if (raised == 3) return inner.finish();
    ++raised;
    reset(0);
    reset(1);
  });
  EXPECT_EQ(cause_, end_cause::finished);
  EXPECT_EQ(events_.size(), 6u);
}

// Packets for the port are dropped by name meanwhile, and its link counts as down.
TEST_P(port_restarts_test, are_tried_until_one_works) {
  plug_in(2);
  log_reader logged;
  bool is_raised = false, is_seen = false;
  std::optional<failing_start> failing;
  run([&](data_plane& plane, supervisor& inner) {
    auto const& port = plane.ports()[1];
    if (!is_raised && all_forward(plane, 200)) {
      failing.emplace(config_.ports[1].value());
      reset(1);
      is_raised = true;
    }
    if (failing && failing->failed() == 1 && port.service() == port_service::stopped && !is_seen) {
      EXPECT_FALSE(port.is_link_up());
      EXPECT_EQ(port.link_mbps(), 0u);
      EXPECT_THROW(require_here(port), usage_error);
      is_seen = true;
    }
    if (failing && failing->failed() == 2) failing.reset();
    if (port.restarts() != 0 && plane.pipelines()[0].counters().departures.dropped_packets.read() != 0) inner.finish();
  });
  EXPECT_TRUE(is_seen);
  EXPECT_EQ(cause_, end_cause::finished);
  EXPECT_GT(dropped_[0], 0u);
  auto const text = logged.read();
  auto const line = names_[1] + "): it is not started again, and will be tried every second";
  EXPECT_THAT(text, HasSubstr(line));
  EXPECT_EQ(text.find(line), text.rfind(line)) << "told once";
}

TEST_P(port_restarts_test, end_with_a_device_that_is_taken_away) {
  plug_in(4);
  bool is_raised = false;
  run([&](data_plane& plane, supervisor& inner) {
    if (!is_raised && all_forward(plane, 200)) {
      reset(1);
      raise_device_removal(names_[1]);
      is_raised = true;
    }
    if (plane.ports()[1].presence() == port_presence::given_back) inner.finish();
  });
  EXPECT_EQ(cause_, end_cause::finished);
  EXPECT_FALSE(is_there(1));
  EXPECT_EQ(states_[1], port_state::removed);
}

// The rules would be lost with the start: packetwarp does not keep them.
TEST(port_restarts, leave_a_port_with_rules_as_it_is) {
  null_device const device{"net_null_ruled", ""};
  packet_pool const pool{small_pool("restarts_test", 511, 256)};
  std::deque<port> ports;
  ports.emplace_back(device.facts(), port_config{}, pool);
  workforce nobody;
  removal_signs signs{ports};
  port_restarts restarts{ports,
                         nobody,
                         signs,
                         {.leave = [](port_id) {},
                          .rejoin = [](port_id) {},
                          .has_rules = [](port_id) { return true; },
                          .may_call = [] { return true; }}};
  if (!raise_port_reset(device.facts().id.value())) GTEST_SKIP() << "this DPDK does not say how large its ports are";
  log_reader logged;
  for (cycles now = 1; now < 5; ++now) restarts.look(now_cycles());
  EXPECT_EQ(ports[0].restarts(), 0u);
  EXPECT_EQ(ports[0].service(), port_service::serving);
  EXPECT_THAT(logged.read(),
              HasSubstr("its physical function was reset; with address flows the port cannot be started again"));
}

INSTANTIATE_TEST_SUITE_P(, port_restarts_test, all_arrangements(), name_of_arrangement);

}  // namespace
}  // namespace packetwarp::test
