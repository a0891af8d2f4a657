// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/cpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "executor/executor_fixture.h"
#include "function/forward/forward.h"

namespace packetwarp {
namespace {

using namespace std::chrono_literals;

constexpr forward::ref tables{egress_index{2}};
constexpr auto forwarded = verdict::forward(egress_index{2});
constexpr auto runt = verdict::drop(function_drop(forward::runt));

// With no packet time and with some, because the two take different loops.
class cpu_executor_test : public test::executor_fixture, public testing::WithParamInterface<std::chrono::nanoseconds> {
 protected:
  cpu_executor<forward> cpu_{ring_, tables, GetParam()};
};

test::bytes frame(std::size_t payload) {
  return test::packet_builder{}.eth("02:00:00:00:00:01", "02:00:00:00:00:02").ipv4().udp(1, 2).payload(payload).build();
}
test::bytes swapped(std::size_t payload) {
  return test::packet_builder{}.eth("02:00:00:00:00:02", "02:00:00:00:00:01").ipv4().udp(1, 2).payload(payload).build();
}

TEST_P(cpu_executor_test, runs_the_function_on_every_packet_of_bursts_of_any_size) {
  for (auto const size : {1u, 2u, 3u, 4u, 5u, 7u, 8u, 9u, 31u, 32u, 33u, 64u, 255u, 1000u, 1023u, 1024u}) {
    std::vector<test::bytes> frames;
    for (std::size_t n = 0; n < size; ++n) frames.push_back(frame(n % 100));
    publish(frames);
    ASSERT_EQ(cpu_.poll(), size);
    auto const done = take_done();
    ASSERT_EQ(done.packets.size(), size);
    for (std::size_t i = 0; i < size; ++i) {
      ASSERT_EQ(done.verdicts[i], forwarded) << i << " of " << size;
      ASSERT_EQ(test::bytes_of(*done.packets[i]), swapped(i % 100)) << i << " of " << size;
    }
    free(done);
  }
  EXPECT_EQ(pool_.available(), pool_.config().packets);
}

TEST_P(cpu_executor_test, gives_each_packet_a_verdict_of_its_own_wherever_the_odd_one_is) {
  constexpr std::size_t size = 33;
  for (std::size_t odd = 0; odd < size; ++odd) {
    std::vector<test::bytes> frames(size, frame(18));
    frames[odd].resize(13);
    publish(frames);
    ASSERT_EQ(cpu_.poll(), size);
    auto const done = take_done();
    ASSERT_EQ(done.packets.size(), size);
    EXPECT_FALSE(done.is_uniform);
    for (std::size_t i = 0; i < size; ++i) EXPECT_EQ(done.verdicts[i], i == odd ? runt : forwarded) << i << ' ' << odd;
    EXPECT_EQ(test::bytes_of(*done.packets[odd]), frames[odd]) << "a dropped packet is not changed";
    free(done);
  }
}

TEST_P(cpu_executor_test, drops_all_of_a_burst_of_runts) {
  publish({test::bytes(1), test::bytes(13), test::bytes(6)});
  EXPECT_EQ(cpu_.poll(), 3u);
  auto const done = take_done();
  EXPECT_THAT(done.verdicts, testing::ElementsAre(runt, runt, runt));
  free(done);
}

TEST_P(cpu_executor_test, works_on_one_burst_a_poll_in_order) {
  publish({frame(1)});
  publish({frame(2), frame(3)});
  EXPECT_EQ(cpu_.poll(), 1u);
  EXPECT_EQ(cpu_.poll(), 2u);
  EXPECT_EQ(cpu_.poll(), 0u);
  auto const first = take_done();
  auto const second = take_done();
  ASSERT_EQ(first.packets.size(), 1u);
  ASSERT_EQ(second.packets.size(), 2u);
  EXPECT_EQ(test::bytes_of(*first.packets[0]), swapped(1));
  EXPECT_EQ(test::bytes_of(*second.packets[1]), swapped(3));
  free(first);
  free(second);
}

TEST_P(cpu_executor_test, swaps_in_the_first_mbuf_of_a_chain) {
  packet_pool const narrow{test::small_pool("executor_test_narrow", 63, 128)};
  auto* const open = ring_.open();
  auto const whole = frame(1000);
  open->packets[open->size++] = test::make_packet(narrow, whole);
  open->has_chained = true;
  ring_.publish();
  EXPECT_EQ(cpu_.poll(), 1u);
  auto const done = take_done();
  ASSERT_EQ(done.packets.size(), 1u);
  EXPECT_GT(done.packets[0]->nb_segs, 1);
  EXPECT_EQ(test::bytes_of(*done.packets[0]), swapped(1000));
  free(done);
  EXPECT_EQ(narrow.available(), 63u);
}

TEST_P(cpu_executor_test, names_the_function_s_drops_and_the_data_path_s) {
  EXPECT_EQ(cpu_.name_of(function_drop(forward::runt)), "runt");
  EXPECT_EQ(cpu_.name_of(drop_reason::tx_full), "tx_full");
  EXPECT_EQ(cpu_.name_of(function_drop(1)), "");
}

INSTANTIATE_TEST_SUITE_P(with_packet_time, cpu_executor_test, testing::Values(0ns, 200ns),
                         [](auto const& given) { return std::to_string(given.param.count()) + "ns"; });

using fast_cpu_executor_test = test::executor_fixture;

// It spares the TX job the reading of verdicts.
TEST_F(fast_cpu_executor_test, says_so_when_all_packets_go_the_same_way) {
  cpu_executor<forward> cpu{ring_, tables, 0ns};
  publish({frame(1), frame(2), frame(3)});
  publish({test::bytes(3), test::bytes(4)});
  EXPECT_EQ(cpu.poll(), 3u);
  EXPECT_EQ(cpu.poll(), 2u);
  auto const sent = take_done();
  auto const dropped = take_done();
  EXPECT_TRUE(sent.is_uniform);
  EXPECT_TRUE(dropped.is_uniform);
  free(sent);
  free(dropped);
}

// Its tables are a word that changes: each packet goes to the egress in the word, and each hold() is counted.
struct counting {
  struct words {
    std::uint16_t egress;
    unsigned looks;
  };
  struct ref {
    words* all;
  };
  struct held {
    words* all;
    egress_index to;
  };
  static constexpr std::string_view name = "counting";
  static constexpr std::array<std::string_view, 1> drop_names{"unused"};
  static constexpr bool follows_from_header = false;

  static held hold(ref const& tables) {
    ++tables.all->looks;
    return {tables.all, egress_index{tables.all->egress}};
  }
  static verdict process(packet_view packet, ref const& tables) { return process(packet, hold(tables)); }
  static verdict process(packet_view, held const& held) {
    ++held.all->egress;  // for the next burst
    return verdict::forward(held.to);
  }
};
static_assert(holds_tables<counting> && !holds_tables<forward>);

TEST_F(fast_cpu_executor_test, has_a_burst_meet_the_tables_that_it_began_with) {
  counting::words words{};
  cpu_executor<counting> cpu{ring_, {&words}, 0ns};
  publish({frame(1), frame(2), frame(3)});
  publish({frame(4), frame(5)});
  EXPECT_EQ(cpu.poll(), 3u);
  EXPECT_EQ(cpu.poll(), 2u);
  EXPECT_EQ(words.looks, 2u);
  auto const first = take_done();
  auto const second = take_done();
  EXPECT_THAT(first.verdicts, testing::Each(verdict::forward(egress_index{0})));
  EXPECT_THAT(second.verdicts, testing::Each(verdict::forward(egress_index{3})));
  free(first);
  free(second);
}

}  // namespace
}  // namespace packetwarp
