// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/port.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <optional>
#include <set>

#include "base/error.h"
#include "fixtures/eal_environment.h"
#include "fixtures/mbufs.h"
#include "fixtures/wire.h"
#include "port/device/requested_device.h"

namespace packetwarp {
namespace {

// net_null1 sends packets larger than there is memory for: starting it fails half way, as a NIC's driver may.
[[maybe_unused]] auto* const eal = testing::AddGlobalTestEnvironment(new test::eal_environment{
    1, {"--vdev=net_null0", "--vdev=net_null1,size=1000000000", "--vdev=net_null2", "--vdev=net_null3"}});

class port_test : public testing::Test {
 protected:
  template <class Error>
  std::string error_of(port_facts const& facts, port_config const& config) {
    try {
      port const made{facts, config, pool_};
    } catch (Error const& wrong) {
      return wrong.what();
    }
    return "started";
  }
  packet_pool pool_{test::small_pool("port_test")};
};

TEST_F(port_test, is_described_by_its_driver) {
  auto const all = describe_all_ports();
  ASSERT_GE(all.size(), 2u);
  EXPECT_EQ(all[0].name, "net_null0");
  EXPECT_EQ(all[0].driver, "net_null");
  EXPECT_EQ(all[0].id, port_id{0});
  EXPECT_EQ(all[1].name, "net_null1");
  EXPECT_EQ(all[0].default_mtu, 1500);
  EXPECT_GT(all[0].max_mtu, 9000);
  EXPECT_EQ(all[0].kernel_interface, "") << "no kernel interface under it";
}

TEST_F(port_test, is_missed_where_a_device_that_was_asked_for_gave_none) {
  auto const asked = [](std::string device) { return requested_devices(std::vector{"--vdev=" + std::move(device)}); };
  eal_log lines{eal_log_lines::kept};
  EXPECT_NO_THROW(require_ports_of(asked("net_null0,size=64"), lines));
  EXPECT_NO_THROW(require_ports_of(asked("crypto_null0"), lines)) << "not a network device";
  EXPECT_THROW(require_ports_of(asked("net_null7"), lines), failure);
}

TEST_F(port_test, that_does_not_exist_cannot_be_described) { EXPECT_THROW((void)describe_port(port_id{31}), failure); }

TEST_F(port_test, forwards_packets_when_it_is_made_and_counts_them) {
  test::started_wire const wire{pool_, 1, 64};
  std::vector<rte_mbuf*> packets;
  for (int i = 0; i < 5; ++i) packets.push_back(test::make_packet(pool_, std::vector<std::byte>(60)));
  EXPECT_EQ(wire.left.counts().tx_packets, 0u);
  EXPECT_EQ(wire.left.tx(queue_id{0}).send(packets), 5);
  EXPECT_EQ(wire.left.counts().tx_packets, 5u);
  EXPECT_EQ(test::receive_all(wire.right.rx(queue_id{0})), packets);
  EXPECT_EQ(wire.right.counts().rx_packets, 5u);
  EXPECT_EQ(wire.right.counts().tx_packets, 0u);
  EXPECT_EQ(wire.right.counts().missed + wire.right.counts().no_mbuf + wire.right.counts().rx_errors, 0u);
  rte_pktmbuf_free_bulk(packets.data(), 5);
}

// The RX queues that a port's redirection table names.
std::set<unsigned> spread_over(port_facts const& facts) {
  std::vector<rte_eth_rss_reta_entry64> groups(facts.rss_table / RTE_ETH_RETA_GROUP_SIZE);
  for (auto& group : groups) group.mask = ~std::uint64_t{0};
  EXPECT_EQ(rte_eth_dev_rss_reta_query(facts.id.value(), groups.data(), facts.rss_table), 0);
  std::set<unsigned> queues;
  for (auto const& group : groups) queues.insert(std::begin(group.reta), std::end(group.reta));
  return queues;
}

TEST_F(port_test, spreads_packets_over_the_queues_that_it_is_told) {
  auto const facts = describe_port(port_id{2});
  ASSERT_EQ(facts.rss_table % RTE_ETH_RETA_GROUP_SIZE, 0);
  ASSERT_GT(facts.rss_table, 0);
  port const made{facts, {.rx_queues = 5, .rss_queues = {queue_id{0}, queue_id{3}}}, pool_};
  EXPECT_THAT(spread_over(facts), testing::ElementsAre(0, 3));
}

TEST_F(port_test, counts_by_queue_what_its_driver_does) {
  port const made{describe_port(port_id{3}), {.rx_queues = 3}, pool_};
  std::array<rte_mbuf*, 8> packets{};
  ASSERT_EQ(made.rx(queue_id{1}).receive(packets), 8);
  auto const counted = made.counts().rx_queues;
  ASSERT_EQ(counted.size(), 3u);
  for (std::size_t n = 0; n < 3; ++n) {
    ASSERT_TRUE(counted[n]) << n;
    EXPECT_EQ(counted[n]->packets, n == 1 ? 8u : 0u) << n;
    EXPECT_EQ(counted[n]->missed, 0u) << n;
  }
  rte_pktmbuf_free_bulk(packets.data(), packets.size());
}

TEST_F(port_test, knows_its_link) {
  test::started_wire const wire{pool_, 1, 64};
  EXPECT_TRUE(wire.left.is_link_up());
  EXPECT_EQ(wire.left.link_mbps(), 10'000u);
  ASSERT_EQ(rte_eth_dev_set_link_down(wire.wire.left().value()), 0);
  EXPECT_FALSE(wire.left.is_link_up());
  EXPECT_TRUE(wire.right.is_link_up());
  EXPECT_TRUE(wire.left.has_its_interface()) << "it never had one to lose";
}

// A port whose driver is said to be a virtual function's, with a link that the test sets.
class reset_port_test : public port_test {
 protected:
  [[nodiscard]] port made_as(std::string const& driver) {
    auto facts = describe_port(wire_.left());
    facts.driver = driver;
    return {facts, {.rx_queues = 1, .tx_queues = 1}, pool_};
  }
  void link_down() const { ASSERT_EQ(rte_eth_dev_set_link_down(wire_.left().value()), 0); }
  void link_up() const { ASSERT_EQ(rte_eth_dev_set_link_up(wire_.left().value()), 0); }

  ring_wire wire_{test::make_wire(1, 64)};
};

TEST_F(reset_port_test, is_stale_once_its_link_was_down) {
  auto made = made_as("net_e1000_igb_vf");
  made.look();
  EXPECT_EQ(made.service(), port_service::serving);
  link_down();
  made.look();
  EXPECT_EQ(made.service(), port_service::stale);
  EXPECT_FALSE(made.has_carrier());
  link_up();
  made.look();
  EXPECT_TRUE(made.has_carrier());
  EXPECT_FALSE(made.is_link_up()) << "its queues are dead";
  EXPECT_EQ(made.why_no_restart(), "");
}

TEST_F(reset_port_test, is_not_stale_whose_link_was_never_up) {
  auto made = made_as("net_ixgbe_vf");
  link_down();
  made.look();
  link_up();
  made.look();
  EXPECT_EQ(made.service(), port_service::serving);
}

TEST_F(reset_port_test, keeps_its_queues_over_a_link_that_goes_down_with_other_drivers) {
  auto made = made_as("net_ring");
  made.look();
  link_down();
  made.look();
  EXPECT_EQ(made.service(), port_service::serving);
  made.note_reset();
  EXPECT_EQ(made.service(), port_service::stale) << "these tell of a reset themselves";
}

TEST_F(reset_port_test, serves_again_and_counts_on_once_it_is_started_again) {
  auto made = made_as("net_e1000_igb_vf");
  auto const send = [&] {
    auto* packet = test::make_packet(pool_, std::vector<std::byte>(60));
    EXPECT_EQ(made.tx(queue_id{0}).send({&packet, 1}), 1);
  };
  send();
  made.note_reset();
  made.begin_restart();
  EXPECT_EQ(made.service(), port_service::stopped);
  EXPECT_THROW(require_here(made), usage_error);
  EXPECT_EQ(made.counts().tx_packets, 1u);
  EXPECT_EQ(made.start_again(), std::nullopt);
  made.end_restart();
  EXPECT_EQ(made.service(), port_service::serving);
  EXPECT_EQ(made.restarts(), 1u);
  EXPECT_TRUE(made.is_link_up());
  EXPECT_NO_THROW(require_here(made));
  send();
  EXPECT_EQ(made.counts().tx_packets, 2u);
}

TEST_F(port_test, sends_chains_where_its_driver_does) {
  test::started_wire const wire{pool_, 1, 64};
  EXPECT_NE(wire.left.facts().tx_offloads & RTE_ETH_TX_OFFLOAD_MULTI_SEGS, 0u);
  EXPECT_EQ(wire.left.longest_chain(), (chain_limit{any_length, any_segments}));
}

TEST_F(port_test, sends_chains_of_as_many_mbufs_as_its_driver_takes) {
  auto const wire = test::make_wire(1, 64);
  auto facts = describe_port(wire.left());
  facts.max_segments = 8;
  port const made{facts, {.rx_queues = 1, .tx_queues = 1}, pool_};
  EXPECT_EQ(made.longest_chain(), (chain_limit{any_length, 8}));
}

TEST_F(port_test, refuses_more_queues_than_it_has_before_anything_is_touched) {
  auto const wire = test::make_wire(2, 8);
  auto const facts = describe_port(wire.left());
  EXPECT_THAT(error_of<usage_error>(facts, {.rx_queues = 3, .tx_queues = 1}),
              testing::HasSubstr("3 RX queues needed, the port has 2"));
  EXPECT_THAT(error_of<usage_error>(facts, {.rx_queues = 1, .tx_queues = 3}),
              testing::HasSubstr("3 TX queues needed, the port has 2"));
  EXPECT_EQ(error_of<usage_error>(facts, {.rx_queues = 2, .tx_queues = 2}), "started");
}

TEST_F(port_test, has_the_mtu_that_was_asked_for_or_else_its_own) {
  auto const wire = test::make_wire(1, 8);
  std::uint16_t mtu = 0;
  port const left{describe_port(wire.left()), {.mtu = 9000}, pool_};
  ASSERT_EQ(rte_eth_dev_get_mtu(wire.left().value(), &mtu), 0);
  EXPECT_EQ(mtu, 9000);
  port const right{describe_port(wire.right()), {.mtu = 0}, pool_};
  ASSERT_EQ(rte_eth_dev_get_mtu(wire.right().value(), &mtu), 0);
  EXPECT_EQ(mtu, right.facts().default_mtu);
}

TEST_F(port_test, refuses_an_mtu_that_is_too_large) {
  auto const wire = test::make_wire(1, 8);
  auto facts = describe_port(wire.left());
  facts.max_mtu = 4000;
  EXPECT_THAT(error_of<usage_error>(facts, {.mtu = 4001}),
              testing::HasSubstr("MTU 4001 asked for; the port allows at most 4000"));
}

TEST_F(port_test, is_stopped_once_by_whoever_has_it_last) {
  auto const wire = test::make_wire(1, 8);
  auto const id = wire.left().value();
  {
    std::optional<port> first{std::in_place, describe_port(wire.left()), port_config{}, pool_};
    port const second{std::move(*first)};
    first.reset();
    EXPECT_TRUE(second.is_link_up());
    EXPECT_EQ(rte_eth_dev_is_valid_port(id), 1);
  }
  EXPECT_EQ(rte_eth_dev_is_valid_port(id), 0);
}

TEST_F(port_test, that_cannot_be_started_is_not_left_half_made) {
  auto const facts = describe_port(port_id{1});
  EXPECT_EQ(error_of<failure>(facts, {}), "port 1 (net_null1): setting up RX queue 0 failed: Cannot allocate memory");
  EXPECT_EQ(rte_eth_dev_is_valid_port(1), 0);
}

TEST_F(port_test, gives_back_the_packets_it_holds_before_its_pool_goes) {
  auto const pool = std::make_unique<packet_pool>(test::small_pool("port_test_own"));
  {
    port const null{describe_port(port_id{0}), {}, *pool};
    std::array<rte_mbuf*, 32> room{};
    auto const n = null.rx(queue_id{0}).receive(room);
    EXPECT_EQ(n, 32);
    EXPECT_EQ(null.tx(queue_id{0}).send(std::span{room}.first(n)), n);
  }
  EXPECT_EQ(pool->available(), pool->config().packets);
}

}  // namespace
}  // namespace packetwarp
