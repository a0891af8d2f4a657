// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/port_removals.h"

#include "fixtures/device_events.h"
#include "master/null_ports_fixture.h"

namespace packetwarp::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using port_removals_test = null_ports_fixture;

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

INSTANTIATE_TEST_SUITE_P(, port_removals_test, all_arrangements(), name_of_arrangement);

}  // namespace
}  // namespace packetwarp::test
