// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "network/control_service.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fixtures/mbufs.h"
#include "fixtures/packet_builder.h"

namespace packetwarp {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

// A router with one port and one pipeline, which receives nothing.
class control_service_test : public testing::Test {
 protected:
  control_service_test() {
    auto const own = table_.add_interface(wire::parse_mac("02:00:00:00:00:02").value(), 1500);
    table_.add_address(own, {wire::parse_ipv4("10.0.0.1").value(), 24});
    (void)table_.set_neighbour({own, wire::parse_ipv4("10.0.0.9").value()},
                               wire::parse_mac("02:00:00:00:07:01").value());
  }
  [[nodiscard]] static plan one_port() {
    plan made;
    made.ports.resize(1);
    made.pipelines.resize(1);
    return made;
  }
  void punt_to_known_neighbour() {
    auto const frame = test::packet_builder{}.eth().ipv4("10.0.0.5", "10.0.0.9").udp(1, 2).build();
    auto* packet = test::make_packet(pool_, frame);
    ASSERT_EQ(desk_.punt({&packet, 1}, {.why = punt_reason::neighbour_unknown, .port = 0}, now_cycles()).taken, 1U);
  }

  packet_pool pool_{test::small_pool("control_service_test")};
  router_table table_;
  control_plane plane_{table_, pool_.get()};
  control_desk desk_{1, 1};
  control_service service_{one_port(), desk_, plane_, {nullptr}, nullptr};
};

TEST_F(control_service_test, packets_that_were_put_back_and_not_received_are_counted_at_the_end) {
  for (int n = 0; n < 2; ++n) punt_to_known_neighbour();
  service_.poll(now_cycles());
  EXPECT_EQ(service_.counters().put_back.read(), 2U);
  rte_mbuf* received = nullptr;
  ASSERT_EQ(desk_.doors_of(0).returned.take({&received, 1}), 1U);
  rte_pktmbuf_free(received);
  service_.give_up();
  EXPECT_EQ(service_.counters().put_back.read(), 1U);
  EXPECT_EQ(service_.counters().shutdown.read(), 1U);
  EXPECT_EQ(pool_.available(), pool_.config().packets);
}

// The same, with a capture of the packets that it hands to the kernel or drops.
class captured_control_service_test : public control_service_test {
 protected:
  captured_control_service_test() {
    capture_.copies().fault_in();
    point_.active.store(&capture_);
  }
  [[nodiscard]] static capture_selection kernel_and_dropped() {
    capture_selection wanted;
    wanted.stages[static_cast<std::size_t>(capture_stage::kernel)] = true;
    wanted.stages[static_cast<std::size_t>(capture_stage::dropped)] = true;
    return wanted;
  }
  // The copies, as "stage port: why".
  [[nodiscard]] std::vector<std::string> captured() {
    std::vector<std::string> said;
    (void)capture_.copies().take(5000, [&](captured_packet const& about, auto const&) {
      said.push_back(std::string{to_string(about.where.stage)} + ' ' + std::to_string(about.where.port) + ": " +
                     std::string{about.where.why});
    });
    return said;
  }
  [[nodiscard]] rte_mbuf* make_packet() {
    return test::make_packet(pool_, test::packet_builder{}.eth().ipv4("10.0.0.5", "10.0.0.9").udp(1, 2).build());
  }
  void carry_out(control_service& service, control_action::kind what) {
    control_actions actions{{what, {}, interface_index{0}, make_packet()}};
    service.carry_out(actions);
  }

  packet_capture capture_{kernel_and_dropped(), {}, 1};
  capture_point point_;
  control_service captured_{one_port(), desk_, plane_, {nullptr}, nullptr, capture_tap{point_}};
};

TEST_F(captured_control_service_test, shows_a_packet_that_no_kernel_takes_as_dropped_only) {
  carry_out(captured_, control_action::kind::to_kernel);
  EXPECT_THAT(captured(), ElementsAre("dropped 0: no_kernel_interface"));
  EXPECT_EQ(captured_.counters().no_kernel_interface.read(), 1U);
  EXPECT_EQ(pool_.available(), pool_.config().packets);
}

TEST_F(captured_control_service_test, shows_a_packet_that_finds_the_kernel_full_as_both) {
  twin_link twin{{}, 0};
  control_service service{one_port(), desk_, plane_, {&twin}, nullptr, capture_tap{point_}};
  carry_out(service, control_action::kind::to_kernel);
  EXPECT_THAT(captured(), ElementsAre("kernel 0: "));
  rte_mbuf* first = nullptr;
  ASSERT_EQ(twin.take({&first, 1}), 1U);
  while (twin.hand_over({&first, 1}) == 1) {  // it lies there many times
  }
  carry_out(service, control_action::kind::to_kernel);
  EXPECT_THAT(captured(), ElementsAre("kernel 0: ", "dropped 0: kernel_full"));
  EXPECT_EQ(twin.handed.packets.read(), 1U);
  EXPECT_EQ(twin.handed.full.read(), 1U);
  rte_pktmbuf_free(first);
  EXPECT_EQ(pool_.available(), pool_.config().packets);
}

TEST_F(captured_control_service_test, shows_packets_for_which_the_doors_have_no_room) {
  while (captured_.counters().no_room.read() == 0) carry_out(captured_, control_action::kind::send);
  EXPECT_THAT(captured(), ElementsAre("dropped 0: no_room"));
  captured_.give_up();
  EXPECT_THAT(captured(), SizeIs(captured_.counters().sent.read()));
  while (captured_.counters().no_room.read() == 1) carry_out(captured_, control_action::kind::put_back);
  EXPECT_THAT(captured(), ElementsAre("dropped 0: no_room"));
  captured_.give_up();
  EXPECT_EQ(pool_.available(), pool_.config().packets);
}

TEST_F(captured_control_service_test, shows_packets_that_are_left_at_the_end) {
  carry_out(captured_, control_action::kind::send);
  carry_out(captured_, control_action::kind::put_back);
  punt_to_known_neighbour();
  auto* held = test::make_packet(pool_, test::packet_builder{}.eth().ipv4("10.0.0.5", "10.0.0.77").udp(1, 2).build());
  control_actions actions;
  plane_.handle(held, punt_reason::neighbour_unknown, interface_index{0}, captured_.time_of(now_cycles()), actions);
  captured_.carry_out(actions);
  ASSERT_EQ(plane_.held(), 1U);
  captured_.give_up();
  // The question for the held packet's next hop was not sent either.
  EXPECT_THAT(captured(), testing::AllOf(SizeIs(5), Each("dropped 0: shutdown")));
  EXPECT_EQ(captured_.counters().shutdown.read(), 3U);
  EXPECT_EQ(captured_.counters().unsent.read(), 2U);
  EXPECT_EQ(pool_.available(), pool_.config().packets);
}

// Copies of fragments are all that is left of them: no packet is there to show.
TEST_F(captured_control_service_test, only_counts_fragments_that_are_left_at_the_end) {
  auto const frame = test::packet_builder{}.eth().ipv4("10.0.0.5", "10.0.0.9").fragment(0, 1).payload(64).build();
  control_actions actions;
  plane_.handle(test::make_packet(pool_, frame), punt_reason::fragment, interface_index{0},
                captured_.time_of(now_cycles()), actions);
  captured_.carry_out(actions);
  ASSERT_EQ(plane_.held(), 1U);
  captured_.give_up();
  EXPECT_THAT(captured(), ElementsAre());
  EXPECT_EQ(captured_.counters().shutdown.read(), 1U);
  EXPECT_EQ(pool_.available(), pool_.config().packets);
}

}  // namespace
}  // namespace packetwarp
