// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "twin/twin_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "fixtures/mbufs.h"
#include "fixtures/packet_builder.h"
#include "fixtures/wire.h"
#include "function/rules/rules_table.h"
#include "module/rules/departure_rules.h"

namespace packetwarp {
namespace {

using packets = std::vector<rte_mbuf*>;

constexpr std::uint32_t depth = 256;
constexpr cycles timeout = 1000;

// A kernel interface's two sides are wires: the test is the host at the far end of the port, and the kernel.
class twin_job_test : public testing::Test {
 protected:
  ~twin_job_test() override {
    if (job_) job_->give_up();
    for (auto const& side : {host(), twin(), twin_.right.rx(queue_id{0}), port_.right.rx(queue_id{0})}) {
      for (auto* packet : test::receive_all(side)) rte_pktmbuf_free(packet);
    }
    std::array<rte_mbuf*, 64> left;
    for (auto n = desk_.take(left); n != 0; n = desk_.take(left)) rte_pktmbuf_free_bulk(left.data(), n);
    for (auto n = desk_.take_back(left); n != 0; n = desk_.take_back(left)) rte_pktmbuf_free_bulk(left.data(), n);
    EXPECT_EQ(pool_.available(), pool_.config().packets) << "somebody lost a packet";
    auto const& c = counters();
    EXPECT_EQ(handed_ + c.received.read(),
              c.to_kernel.read() + c.to_control.read() + c.full.read() + c.shutdown_in.read());
    EXPECT_EQ(c.from_kernel.read(), c.sent.read() + by_desk_ + c.tx_full.read() + c.tx_chained.read() +
                                        c.no_tx_queue.read() + c.rule_drop.read() + c.no_room.read() +
                                        c.shutdown_out.read());
  }

  [[nodiscard]] rx_queue host() const { return port_.left.rx(queue_id{0}); }
  [[nodiscard]] rx_queue twin() const { return twin_.left.rx(queue_id{0}); }
  [[nodiscard]] twin_counters const& counters() const { return link_.counters; }

  void make(twin_way_out out, bool has_rx_queue = false) {
    twin_surroundings around{.link = &link_,
                             .twin = &twin_.right,
                             .received = {},
                             .out = out,
                             .to_port = {},
                             .desk = &desk_,
                             .timeout = timeout,
                             .departures = rules_ ? &*rules_ : nullptr};
    if (has_rx_queue) around.received.push_back(port_.right.rx(queue_id{0}));
    if (out == twin_way_out::by_queue) {
      around.to_port.emplace(port_.right.tx(queue_id{0}), chain_limit{any_length}, twin_job::waiting_packets, timeout);
    }
    job_.emplace(std::move(around));
  }
  std::uint32_t poll(cycles now = 1, run_phase phase = run_phase::running) {
    return job_->poll({.now = now, .phase = phase});
  }

  [[nodiscard]] packets some(std::size_t count) {
    packets made;
    for (std::size_t i = 0; i < count; ++i) {
      made.push_back(test::make_packet(pool_, test::packet_builder{}.eth().ipv4().udp(1, 2).payload(18).build()));
    }
    return made;
  }
  void hand_over(std::size_t count) {
    auto made = some(count);
    ASSERT_EQ(link_.hand_over(made), count);
    handed_ += count;
  }
  void arrive(packets made) { ASSERT_EQ(port_.left.tx(queue_id{0}).send(made), made.size()); }
  void send_from_kernel(std::size_t count) {
    auto made = some(count);
    ASSERT_EQ(twin_.left.tx(queue_id{0}).send(made), count);
  }
  [[nodiscard]] static std::size_t received_by(rx_queue const& side) {
    auto const got = test::receive_all(side);
    for (auto* packet : got) rte_pktmbuf_free(packet);
    return got.size();
  }

  packet_pool pool_{test::small_pool("kernel_job_test", 8191, 256)};
  test::started_wire port_{pool_, 1, depth};
  test::started_wire twin_{pool_, 1, depth};
  control_desk desk_{1, 4};
  static constexpr port_id own_port{7};
  twin_link link_{{.port = own_port, .interface = "lan.kni", .mac = {}, .addresses = {}, .flows = {}}, 3};
  std::optional<departure_rules> rules_;
  std::optional<twin_job> job_;
  std::uint64_t handed_{};
  std::uint64_t by_desk_{};  // left to the desk
};

TEST_F(twin_job_test, gives_the_kernel_what_was_handed_over) {
  make(twin_way_out::by_queue);
  EXPECT_EQ(job_->name(), "kernel lan.kni");
  hand_over(70);
  EXPECT_EQ(poll(), 64u);
  EXPECT_EQ(poll(), 6u);
  EXPECT_EQ(poll(), 0u);
  EXPECT_EQ(received_by(twin()), 70u);
  EXPECT_EQ(counters().to_kernel.read(), 70u);
}

// For the port that the kernel's packets leave by, the fourth of the plan.
std::vector<port_id> const ports{port_id{0}, port_id{1}, port_id{2}, port_id{7}};
rules_input egress_rule(rules_verb verb, std::uint32_t value = 0) {
  return {.direction = rules_direction::egress,
          .port = port_id{7},
          .words = {},
          .ranges = {},
          .actions = {{.verb = rules_verb::count}, {.verb = verb, .value = value}}};
}

TEST_F(twin_job_test, puts_what_the_kernel_sends_through_the_egress_rules) {
  rules_input const twice[] = {egress_rule(rules_verb::set_ttl, 9)};
  rules_table const table{twice, {}, table_place{}};
  rules_.emplace(ports, table);
  for (auto const out : {twin_way_out::by_queue, twin_way_out::by_desk}) {
    make(out);
    send_from_kernel(3);
    EXPECT_EQ(poll(), 3u);
    std::array<rte_mbuf*, 8> left{};
    auto const got = out == twin_way_out::by_queue ? host().receive(left) : desk_.take_back(left);
    ASSERT_EQ(got, 3u);
    for (auto* packet : std::span{left}.first(got)) {
      EXPECT_EQ(test::bytes_of(*packet)[14 + 8], std::byte{9});
      rte_pktmbuf_free(packet);
    }
  }
  by_desk_ = 3;
  EXPECT_EQ(table.counted(0)->hits, 6u);
}

TEST_F(twin_job_test, drops_by_name_what_egress_rules_drop) {
  rules_input const all[] = {egress_rule(rules_verb::drop)};
  rules_table const table{all, {}, table_place{}};
  rules_.emplace(ports, table);
  make(twin_way_out::by_queue);
  send_from_kernel(5);
  EXPECT_EQ(poll(), 5u);
  EXPECT_EQ(received_by(host()), 0u);
  EXPECT_EQ(counters().rule_drop.read(), 5u);
}

TEST_F(twin_job_test, lets_pass_what_no_rule_can_look_at) {
  rules_input const all[] = {egress_rule(rules_verb::drop)};
  rules_table const table{all, {}, table_place{}};
  rules_.emplace(ports, table);
  make(twin_way_out::by_queue);
  packets runt{test::make_packet(pool_, std::vector<std::byte>(13))};
  ASSERT_EQ(twin_.left.tx(queue_id{0}).send(runt), 1u);
  EXPECT_EQ(poll(), 1u);
  EXPECT_EQ(received_by(host()), 1u);
}

TEST_F(twin_job_test, gives_the_kernel_what_its_own_rx_queue_receives) {
  make(twin_way_out::by_queue, true);
  arrive(some(5));
  EXPECT_EQ(poll(), 5u);
  EXPECT_EQ(received_by(twin()), 5u);
  EXPECT_EQ(counters().received.read(), 5u);
}

TEST_F(twin_job_test, leaves_neighbour_discovery_to_the_control_plane) {
  make(twin_way_out::by_queue, true);
  // A neighbour advertisement to the router's own address, which an address flow leads past the workers.
  auto frame = test::packet_builder{}.eth().ipv6().protocol(58).payload(24).build();
  frame[14 + 7] = std::byte{255};
  frame[14 + 40] = std::byte{136};
  auto mixed = some(1);
  mixed.push_back(test::make_packet(pool_, frame));
  arrive(mixed);
  EXPECT_EQ(poll(), 2u);
  EXPECT_EQ(received_by(twin()), 1u);
  EXPECT_EQ(counters().to_control.read(), 1u);
  std::array<rte_mbuf*, 2> punted{};
  ASSERT_EQ(desk_.take(punted), 1u);
  EXPECT_EQ(tag_of(*punted[0]).why, punt_reason::neighbour_discovery);
  EXPECT_EQ(tag_of(*punted[0]).port, 3) << "the position of its port";
  rte_pktmbuf_free(punted[0]);
}

TEST_F(twin_job_test, sends_by_its_own_tx_queue_unchanged) {
  make(twin_way_out::by_queue);
  send_from_kernel(1);
  EXPECT_EQ(poll(), 1u);
  auto const got = test::receive_all(host());
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(test::bytes_of(*got[0]), test::packet_builder{}.eth().ipv4().udp(1, 2).payload(18).build());
  rte_pktmbuf_free(got[0]);
  EXPECT_EQ(counters().sent.read(), 1u);
}

TEST_F(twin_job_test, leaves_its_port_and_rejoins_it) {
  make(twin_way_out::by_queue, true);
  job_->leave(port_id{1000}, 1);
  arrive(some(3));
  send_from_kernel(2);
  EXPECT_EQ(poll(), 5u) << "another port";
  job_->leave(own_port, 1);
  arrive(some(4));
  send_from_kernel(5);
  EXPECT_EQ(poll(), 5u);
  EXPECT_EQ(counters().received.read(), 3u) << "the port is not polled";
  EXPECT_EQ(counters().tx_full.read(), 5u);
  job_->rejoin(own_port);
  send_from_kernel(6);
  EXPECT_EQ(poll(), 10u);
  EXPECT_EQ(counters().received.read(), 7u);
  EXPECT_EQ(counters().sent.read(), 8u);
  EXPECT_EQ(received_by(host()), 8u);
}

TEST_F(twin_job_test, drops_what_the_kernel_sends_where_it_has_no_tx_queue) {
  make(twin_way_out::nowhere);
  send_from_kernel(9);
  EXPECT_EQ(poll(), 9u);
  EXPECT_EQ(counters().no_tx_queue.read(), 9u);
  EXPECT_EQ(received_by(host()), 0u);
}

TEST_F(twin_job_test, sends_by_the_desk_and_says_whose_packets_they_are) {
  make(twin_way_out::by_desk);
  send_from_kernel(2);
  EXPECT_EQ(poll(), 2u);
  std::array<rte_mbuf*, 4> sent{};
  ASSERT_EQ(desk_.take_back(sent), 2u);
  EXPECT_EQ(send_tag_of(*sent[0]).from, send_tag::sender::twin);
  EXPECT_EQ(send_tag_of(*sent[0]).port, 3);
  rte_pktmbuf_free_bulk(sent.data(), 2);
  by_desk_ = 2;
}

TEST_F(twin_job_test, takes_no_more_from_the_kernel_than_the_desk_has_room_for) {
  make(twin_way_out::by_desk);
  while (desk_.room_to_send() != 10) {
    auto one = some(1);
    ASSERT_TRUE(desk_.send(*one[0], 0));
  }
  send_from_kernel(50);
  EXPECT_EQ(poll(), 10u);
  EXPECT_EQ(poll(), 0u) << "the rest waits where it is";
  by_desk_ = 10;
  EXPECT_EQ(counters().from_kernel.read(), 10u);
}

TEST_F(twin_job_test, drops_by_name_what_a_kernel_does_not_take_in_time) {
  make(twin_way_out::by_queue);
  hand_over(depth + 50);
  for (cycles now = 1; now < 10; ++now) (void)poll(now);
  EXPECT_EQ(counters().full.read(), 0u) << "it waits";
  (void)poll(10 + timeout);
  EXPECT_EQ(counters().full.read(), 50u);
}

TEST_F(twin_job_test, drops_by_name_what_a_port_does_not_take_in_time) {
  make(twin_way_out::by_queue);
  for (int round = 0; round < 5; ++round) {
    send_from_kernel(60);
    (void)poll(1);
  }
  EXPECT_EQ(counters().tx_full.read(), 0u);
  (void)poll(1 + timeout);
  EXPECT_EQ(counters().tx_full.read(), 300u - depth);
  EXPECT_EQ(received_by(host()), depth);
}

TEST_F(twin_job_test, draining_it_takes_what_was_handed_over_and_nothing_new) {
  make(twin_way_out::by_queue, true);
  hand_over(3);
  arrive(some(4));
  send_from_kernel(5);
  EXPECT_EQ(poll(1, run_phase::draining), 3u);
  EXPECT_EQ(received_by(twin()), 3u);
  EXPECT_EQ(counters().received.read() + counters().from_kernel.read(), 0u);
  EXPECT_EQ(poll(), 9u);
}

TEST_F(twin_job_test, names_what_is_left_at_the_end) {
  make(twin_way_out::by_queue);
  hand_over(depth + 50);
  for (cycles now = 1; now < 10; ++now) (void)poll(now);
  hand_over(7);
  job_->give_up();
  EXPECT_EQ(counters().shutdown_in.read(), 50u + 7u);
}

}  // namespace
}  // namespace packetwarp
