// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/exchange.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>

#include "base/cycles.h"
#include "traffic/faulty_relay.h"
#include "traffic/referee.h"
#include "traffic/usage_text.h"
#include "traffic/wires.h"

namespace packetwarp::traffic {
namespace {

using test::fate;

exchange_config config_of(std::uint64_t packets, std::string_view flows = "udp.sport=1..8") {
  exchange_config config;
  config.what.flows = parse_pattern(flows);
  config.what.sizes = size_mix::parse("64,300");
  config.packets = packets;
  config.pool_cache = 32;
  return config;
}

exchange_config replay_of(std::uint64_t packets) {
  exchange_config config;
  config.recorded = std::make_shared<capture>(capture::read(PACKETWARP_CAPTURES "/mixed.pcap"));
  config.packets = packets;
  config.pool_cache = 32;
  return config;
}

constexpr std::chrono::milliseconds short_linger{5};

exchange_result run(exchange& ends, workforce& workers, std::span<job* const> between = {},
                    std::chrono::milliseconds linger = short_linger) {
  lcore_id const main = read_machine().main.id;
  ends.deal(workers, {&main, 1});
  for (job* const one : between) workers.on(main).add(*one);
  referee master{ends, workers, {.linger = linger, .stats_period = {}}, {}};
  workers.run(master, std::chrono::seconds{2});
  return ends.result();
}

// Another host on the link, which sends a packet per `pause`, and so never lets the link be silent for long.
// Gives up after a number of polls in which a run has failed to end.
class chatterer final : public job {
 public:
  static constexpr std::uint64_t most_polls = 50'000'000;

  chatterer(tx_queue to, packet_pool const& pool, std::chrono::nanoseconds pause)
      : to_{to}, pool_{pool}, pause_{to_cycles(pause)} {}
  std::uint32_t poll(tick const& now) override {
    if (polls_ == most_polls || (++polls_, now.now - last_ < pause_)) return 0;
    last_ = now.now;
    rte_mbuf* packet =
        test::make_packet(pool_, test::packet_builder{}.eth().arp_request("10.0.0.1", "10.0.0.2").build());
    if (to_.send({&packet, 1}) == 0) rte_pktmbuf_free(packet);
    return 1;
  }
  [[nodiscard]] std::string name() const override { return "chatterer"; }
  [[nodiscard]] bool has_given_up() const { return polls_ == most_polls; }

 private:
  tx_queue to_;
  packet_pool const& pool_;
  cycles pause_;
  cycles last_{};
  std::uint64_t polls_{};
};

// generator -> wire -> relay -> wire -> verifier, and a chatterer on the second wire
exchange_result run_beside_chatter(exchange_config config, test::faulty_relay::fates fates,
                                   std::chrono::nanoseconds pause, std::chrono::milliseconds linger) {
  packet_pool const pool{test::small_pool(test::fresh_name())};
  auto const there = test::make_wire(1, 1024);
  auto const back = test::make_wire(1, 1024);
  port const in = test::start(there.right(), pool);
  port const out = test::start(back.left(), pool);
  exchange ends{std::move(config), {{.from = there.left(), .to = back.right()}}, 1};
  test::faulty_relay relay{in.rx(queue_id{0}), out.tx(queue_id{0}), pool, std::move(fates)};
  chatterer chatter{out.tx(queue_id{0}), pool, pause};
  workforce workers;
  std::array<job*, 2> const between{&relay, &chatter};
  auto made = run(ends, workers, between, linger);
  EXPECT_FALSE(chatter.has_given_up()) << "the run ended because the link fell silent";
  return made;
}

// generator -> wire -> relay -> wire -> verifier
exchange_result run_through_relay(exchange_config config, test::faulty_relay::fates fates, std::uint32_t depth = 1024) {
  packet_pool const pool{test::small_pool(test::fresh_name())};
  auto const there = test::make_wire(1, depth);
  auto const back = test::make_wire(1, depth);
  port const in = test::start(there.right(), pool);
  port const out = test::start(back.left(), pool);
  exchange ends{std::move(config), {{.from = there.left(), .to = back.right()}}, 1};
  test::faulty_relay relay{in.rx(queue_id{0}), out.tx(queue_id{0}), pool, std::move(fates)};
  workforce workers;
  job* const between = &relay;
  return run(ends, workers, {&between, 1});
}

// Gives every hundredth packet this fate.
test::faulty_relay::fates every_hundredth(fate what) {
  return [what](std::uint64_t n) { return n % 100 == 42 ? what : fate::pass; };
}

outcome flaws(exchange_result const& result) {
  outcome seen = result.total;
  seen.sent = seen.received = {};
  seen.tx_full = seen.no_mbuf = 0;
  return seen;
}

TEST(exchange, finds_nothing_wrong_with_a_network_that_is_right) {
  auto const result = run_through_relay(config_of(5000), [](auto) { return fate::pass; });
  EXPECT_EQ(result.how, verification::every_byte);
  EXPECT_EQ(result.total.sent.packets, 5000U);
  EXPECT_EQ(result.total.sent.bytes, 2500U * (60 + 296));
  EXPECT_EQ(result.total.received.packets, 5000U);
  EXPECT_EQ(result.total.received.bytes, 2500U * (60 + 296));
  EXPECT_EQ(flaws(result), outcome{});
  EXPECT_TRUE(result.total.is_flawless());
  EXPECT_EQ(result.latency.count(), 5000U);
}

TEST(exchange, counts_every_packet_that_is_dropped) {
  auto const result = run_through_relay(config_of(5000), every_hundredth(fate::drop));
  EXPECT_EQ(flaws(result), (outcome{.lost = 50}));
  EXPECT_FALSE(result.total.is_flawless());
}

TEST(exchange, counts_every_packet_that_is_duplicated) {
  auto const result = run_through_relay(config_of(5000), every_hundredth(fate::duplicate));
  EXPECT_EQ(flaws(result), (outcome{.duplicates = 50}));
  EXPECT_EQ(result.total.received.packets, 5050U);
  EXPECT_FALSE(result.total.is_flawless());
}

TEST(exchange, counts_every_packet_that_is_corrupted) {
  auto const result = run_through_relay(config_of(5000), every_hundredth(fate::corrupt));
  EXPECT_EQ(flaws(result), (outcome{.corrupted = 50}));
  EXPECT_FALSE(result.total.is_flawless());
}

TEST(exchange, counts_every_packet_that_is_overtaken_within_its_flow) {
  auto const result = run_through_relay(config_of(5000, ""), every_hundredth(fate::swap_with_next));
  EXPECT_EQ(flaws(result), (outcome{.reordered = 50}));
  EXPECT_FALSE(result.total.is_flawless());
  EXPECT_EQ(flaws(run_through_relay(config_of(5000), every_hundredth(fate::swap_with_next))), outcome{})
      << "the next packet is of another flow";
}

TEST(exchange, counts_strangers_without_calling_them_a_flaw) {
  auto const result = run_through_relay(config_of(5000), every_hundredth(fate::add_stranger));
  EXPECT_EQ(flaws(result), (outcome{.unknown = 50}));
  EXPECT_TRUE(result.total.is_flawless());
}

TEST(exchange, looks_into_chained_packets) {
  EXPECT_EQ(flaws(run_through_relay(config_of(5000), every_hundredth(fate::chain))), outcome{});
}

TEST(exchange, expects_what_it_is_told_to) {
  auto config = config_of(100);
  config.expected = transform::mac_swapped;
  EXPECT_EQ(run_through_relay(config, [](auto) { return fate::pass; }).total.corrupted, 100U);
}

TEST(exchange, only_counts_packets_without_signatures) {
  auto config = config_of(5000);
  config.what.signatures = signing::off;
  auto const result = run_through_relay(config, every_hundredth(fate::drop));
  EXPECT_EQ(result.how, verification::counted);
  EXPECT_EQ(flaws(result), (outcome{.lost = 50}));
  EXPECT_TRUE(result.latency.is_empty());
}

TEST(exchange, does_not_call_more_packets_than_were_sent_flawless) {
  auto config = config_of(5000);
  config.what.signatures = signing::off;
  for (auto const what : {fate::duplicate, fate::add_stranger}) {
    auto const result = run_through_relay(config, every_hundredth(what));
    EXPECT_EQ(flaws(result), (outcome{.duplicates = 50}));
    EXPECT_EQ(result.total.received.packets, 5050U);
    EXPECT_FALSE(result.total.is_flawless());
  }
}

TEST(exchange, counts_packets_without_signatures_over_all_queues) {
  auto config = config_of(1000);
  config.what.signatures = signing::off;
  auto const wire = test::make_wire(3, 1024);
  exchange ends{config, {{.from = wire.left(), .to = wire.right(), .queues = 3}}, 1};
  workforce workers;
  auto const result = run(ends, workers);
  EXPECT_EQ(flaws(result), outcome{});
  EXPECT_EQ(result.total.received.packets, 1000U);
}

TEST(exchange, ends_on_a_link_where_others_never_stop_if_packets_do_not_tell_their_origin) {
  auto config = config_of(5000);
  config.what.signatures = signing::off;
  auto const result = run_beside_chatter(
      config, [](auto) { return fate::pass; }, std::chrono::microseconds{20}, short_linger);
  EXPECT_EQ(result.total.sent.packets, 5000U);
  EXPECT_EQ(result.total.duplicates, result.total.received.packets - 5000U);
  EXPECT_GT(result.total.duplicates, 0U);
}

TEST(exchange, ends_where_others_never_stop_and_too_few_packets_come) {
  auto config = config_of(10'000);
  config.what.signatures = signing::off;
  auto const result = run_beside_chatter(
      config, [](auto) { return fate::drop; }, std::chrono::milliseconds{1}, std::chrono::milliseconds{100});
  EXPECT_EQ(result.total.sent.packets, 10'000U);
  EXPECT_LT(result.total.received.packets, 10'000U);
  EXPECT_GT(result.total.lost, 0U);
}

TEST(exchange, waits_for_a_port_that_is_full) {
  auto const result = run_through_relay(
      config_of(5000), [](auto) { return fate::pass; }, 16);
  EXPECT_EQ(flaws(result), outcome{});
  EXPECT_GT(result.total.tx_full, 0U);
}

TEST(exchange, replays_a_capture) {
  auto const result = run_through_relay(replay_of(4000), [](auto) { return fate::pass; });
  EXPECT_EQ(result.how, verification::replayed);
  EXPECT_EQ(result.total.sent.packets, 4000U);
  EXPECT_EQ(result.total.received.packets, 4000U);
  EXPECT_EQ(flaws(result), outcome{});
}

TEST(exchange, finds_what_is_wrong_with_a_replayed_capture) {
  EXPECT_EQ(flaws(run_through_relay(replay_of(4000), every_hundredth(fate::drop))).lost, 40U);
  EXPECT_EQ(flaws(run_through_relay(replay_of(4000), every_hundredth(fate::duplicate))).duplicates, 40U);
  auto const corrupted = flaws(run_through_relay(replay_of(4000), every_hundredth(fate::corrupt)));
  EXPECT_EQ(corrupted.lost, 40U);
  EXPECT_EQ(corrupted.unknown, 40U);
  auto const swapped = flaws(run_through_relay(replay_of(4000), every_hundredth(fate::swap_with_next)));
  EXPECT_GT(swapped.reordered, 0U);
  EXPECT_EQ(swapped.lost, 0U);
}

TEST(exchange, sends_both_ways_at_once_on_several_queues) {
  auto const wire = test::make_wire(3, 1024);
  exchange ends{
      config_of(1000),
      {{.from = wire.left(), .to = wire.right(), .queues = 3}, {.from = wire.right(), .to = wire.left(), .queues = 3}},
      1};
  workforce workers;
  auto const result = run(ends, workers);
  EXPECT_EQ(flaws(result), outcome{});
  ASSERT_EQ(result.directions.size(), 2U);
  for (auto const& one : result.directions) {
    EXPECT_EQ(one.what.sent.packets, 1000U);
    EXPECT_EQ(one.what.received.packets, 1000U);
  }
}

TEST(exchange, sends_fewer_packets_than_it_has_queues) {
  for (std::uint64_t count = 1; count < 4; ++count) {
    auto const wire = test::make_wire(4, 1024);
    exchange ends{config_of(count), {{.from = wire.left(), .to = wire.right(), .queues = 4}}, 1};
    workforce workers;
    auto const result = run(ends, workers);
    EXPECT_EQ(flaws(result), outcome{});
    EXPECT_EQ(result.total.sent.packets, count);
    EXPECT_EQ(result.total.received.packets, count);
  }
}

TEST(exchange, sends_jumbo_frames) {
  auto config = config_of(500);
  config.what.sizes = size_mix::parse("9600,64");
  EXPECT_EQ(flaws(run_through_relay(config, [](auto) { return fate::pass; })), outcome{});
}

TEST(exchange, sends_to_where_nobody_listens) {
  auto const wire = test::make_wire(1, 4096);
  exchange ends{config_of(1000), {{.from = wire.left(), .to = {}}}, 1};
  workforce workers;
  auto const result = run(ends, workers);
  EXPECT_EQ(result.how, verification::none);
  EXPECT_EQ(result.total.sent.packets, 1000U);
  EXPECT_EQ(flaws(result), outcome{});
}

TEST(exchange, refuses_what_cannot_be) {
  EXPECT_THAT(test::usage_text([] { exchange{config_of(1), {}, 1}; }), testing::HasSubstr("no port sends"));
  auto const wire = test::make_wire(2, 1024);
  EXPECT_THAT(test::usage_text([&] {
                exchange{replay_of(1), {{.from = wire.left(), .to = {}, .queues = 2}}, 1};
              }),
              testing::HasSubstr("replayed on one queue"));
}

}  // namespace
}  // namespace packetwarp::traffic
