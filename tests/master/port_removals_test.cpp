// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/port_removals.h"

#include "fixtures/device_events.h"
#include "fixtures/log_reader.h"
#include "fixtures/null_port.h"
#include "master/forwarding_fixture.h"

namespace packetwarp::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Key;
using testing::Not;

// Ports of net_null that give endlessly, as fast as the test's workers take: each forwards to its peer.
class port_removals_test : public testing::TestWithParam<arrangement> {
 protected:
  static constexpr unsigned most = 4;

  port_removals_test() {
    clear_stop_request();
    config_.workers = GetParam();
    config_.data_room = 256;
    // More workers than processors: each yields after a loop iteration, not in the middle of one.
    config_.loop_delay = 50us;
    config_.isolated_ring = 1024;
    config_.rx_descriptors = config_.tx_descriptors = 64;
    limits_.drain_timeout = 1h;
  }
  ~port_removals_test() override { clear_stop_request(); }

  void plug_in(unsigned ports) {
    static unsigned made = 0;
    for (unsigned n = 0; n < ports; ++n) {
      auto const& device = devices_.emplace_back("net_null_r" + std::to_string(made++), "");
      config_.ports.push_back(device.facts().id);
      names_.push_back(device.facts().device);
    }
  }
  void run(std::function<void(data_plane&, supervisor&)> const& on_look) {
    data_plane plane{make_plan(config_, read_machine())};
    supervisor inner{plane, limits_, {}};
    inner.tell([this](port_event what, port_facts const& of) { events_.emplace_back(what, of.name); });
    watched_master master{inner, [&] { on_look(plane, inner); }};
    plane.run(master, 60s);
    totals_ = plane.totals();
    cause_ = inner.cause();
    for (auto const& p : plane.pipelines()) {
      received_.push_back(p.counters().arrivals.packets.read());
      dropped_.push_back(p.counters().departures.dropped[static_cast<std::size_t>(drop_reason::tx_full)].read());
    }
    for (std::size_t n = 0; n < plane.ports().size(); ++n) states_.push_back(inner.state_of(n));
    EXPECT_EQ(totals_.rx_packets, totals_.tx_packets + totals_.punted + totals_.dropped_packets);
  }
  [[nodiscard]] static bool all_forward(data_plane const& plane, std::uint64_t packets) {
    return std::all_of(plane.pipelines().begin(), plane.pipelines().end(),
                       [=](auto const& p) { return p.counters().departures.packets.read() > packets; });
  }
  [[nodiscard]] bool is_there(std::size_t n) const {
    std::uint16_t id = 0;
    return rte_eth_dev_get_port_by_name(names_[n].c_str(), &id) == 0;
  }

  data_plane_config config_;
  run_limits limits_;
  std::deque<null_device> devices_;
  std::vector<std::string> names_;
  std::vector<std::pair<port_event, std::string>> events_;
  data_plane_totals totals_;
  end_cause cause_{end_cause::none};
  std::vector<std::uint64_t> received_, dropped_;
  std::vector<port_state> states_;
};

TEST_P(port_removals_test, give_the_device_back_and_the_others_forward_on) {
  plug_in(4);
  bool is_raised = false;
  std::uint64_t others = 0, from_gone = 0;
  run([&](data_plane& plane, supervisor& inner) {
    if (!is_raised) {
      if (!all_forward(plane, 200)) return;
      raise_device_removal(names_[1]);
      is_raised = true;
      return;
    }
    auto const& gone = plane.ports()[1];
    if (gone.presence() != port_presence::given_back) return;
    auto const& pipelines = plane.pipelines();
    auto const now =
        pipelines[2].counters().departures.packets.read() + pipelines[3].counters().departures.packets.read();
    if (others == 0) {
      EXPECT_FALSE(is_there(1));
      EXPECT_TRUE(is_there(0) && is_there(2) && is_there(3));
      others = now;
      from_gone = pipelines[1].counters().arrivals.packets.read();
      return;
    }
    // Port 0 goes on too: its packets have no port to leave by.
    if (now > others + 2'000 && pipelines[0].counters().departures.dropped_packets.read() > 1'000) inner.finish();
  });
  EXPECT_EQ(cause_, end_cause::finished);
  EXPECT_THAT(events_,
              ElementsAre(std::pair{port_event::removed, names_[1]}, std::pair{port_event::given_back, names_[1]}));
  EXPECT_EQ(received_[1], from_gone) << "it was polled after it had been closed";
  EXPECT_GT(dropped_[0], 1'000u);
  EXPECT_THAT(states_, ElementsAre(port_state::up, port_state::removed, port_state::up, port_state::up));
}

TEST_P(port_removals_test, may_be_of_all_ports_and_the_run_ends) {
  plug_in(2);
  bool is_raised = false;
  run([&](data_plane& plane, supervisor&) {
    if (is_raised || !all_forward(plane, 200)) return;
    is_raised = true;
    raise_device_removal(names_[0]);
    raise_device_removal(names_[1]);
  });
  EXPECT_EQ(cause_, end_cause::ports_gone);
  EXPECT_THAT(states_, ElementsAre(port_state::removed, port_state::removed));
}

TEST_P(port_removals_test, of_one_of_two_ports_that_forward_to_one_another_leave_no_work) {
  plug_in(2);
  bool is_raised = false;
  run([&](data_plane& plane, supervisor&) {
    if (is_raised || !all_forward(plane, 200)) return;
    is_raised = true;
    raise_device_removal(names_[1]);
  });
  EXPECT_EQ(cause_, end_cause::ports_gone);
}

TEST_P(port_removals_test, of_the_only_port_leave_no_work) {
  plug_in(1);
  bool is_raised = false;
  run([&](data_plane& plane, supervisor&) {
    if (!is_raised && all_forward(plane, 200)) raise_device_removal(names_[0]), is_raised = true;
  });
  EXPECT_EQ(cause_, end_cause::ports_gone);
}

TEST_P(port_removals_test, are_told_by_drivers_too) {
  plug_in(4);
  bool is_raised = false, is_known = true;
  run([&](data_plane& plane, supervisor& inner) {
    if (!is_raised && all_forward(plane, 200)) {
      is_known = raise_port_removal(config_.ports[2].value());
      is_raised = true;
    }
    if (is_known && plane.ports()[2].presence() != port_presence::given_back) return;
    EXPECT_EQ(is_there(2), !is_known);
    EXPECT_TRUE(is_there(3));
    inner.finish();
  });
  if (!is_known) GTEST_SKIP() << "this DPDK does not say how large its ports are";
}

TEST_P(port_removals_test, of_devices_that_no_port_is_of_are_nobody_s) {
  plug_in(2);
  unsigned looks = 0;
  run([&](data_plane&, supervisor& inner) {
    raise_device_removal("0000:ff:1f.7");
    if (++looks == 20) inner.finish();
  });
  EXPECT_THAT(events_, IsEmpty());
  EXPECT_EQ(cause_, end_cause::finished);
}

// A port's counts stay, and its driver is not asked any more.
TEST_P(port_removals_test, leave_the_last_counts) {
  plug_in(4);
  bool is_raised = false;
  port_counts last;
  run([&](data_plane& plane, supervisor& inner) {
    if (!is_raised && all_forward(plane, 200)) raise_device_removal(names_[3]), is_raised = true;
    if (plane.ports()[3].presence() != port_presence::given_back) return;
    last = plane.ports()[3].counts();
    EXPECT_FALSE(plane.ports()[3].is_link_up());
    EXPECT_EQ(plane.ports()[3].link_mbps(), 0u);
    inner.finish();
  });
  EXPECT_EQ(last.rx_packets, received_[3]);
}

// As when drivers raise an event again, or events of both kinds.
TEST_P(port_removals_test, that_are_told_of_again_are_told_once) {
  plug_in(4);
  unsigned looks = 0;
  run([&](data_plane& plane, supervisor& inner) {
    if (all_forward(plane, 100)) raise_device_removal(names_[0]);
    if (plane.ports()[0].presence() == port_presence::given_back && ++looks == 5) inner.finish();
  });
  EXPECT_EQ(events_.size(), 2u);
}

// A virtual function's port, when its physical function was down: its device stays.
TEST_P(port_removals_test, that_are_only_reset_are_told_of_and_stay) {
  plug_in(2);
  log_reader logged;
  bool is_raised = false, is_known = true;
  run([&](data_plane& plane, supervisor& inner) {
    if (!is_raised && all_forward(plane, 200)) {
      is_known = raise_port_reset(config_.ports[1].value());
      is_raised = true;
    }
    if (is_raised && all_forward(plane, 1000)) inner.finish();
  });
  if (!is_known) GTEST_SKIP() << "this DPDK does not say how large its ports are";
  EXPECT_THAT(events_, IsEmpty());
  EXPECT_THAT(logged.read(), testing::HasSubstr(names_[1] + "): its physical function was reset"));
}

INSTANTIATE_TEST_SUITE_P(, port_removals_test,
                         testing::Values(arrangement::run_to_completion, arrangement::pair, arrangement::pair_cpu,
                                         arrangement::isolated_rx),
                         [](auto const& given) {
                           std::string name{to_string(given.param)};
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace packetwarp::test
