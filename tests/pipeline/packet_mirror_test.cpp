// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "pipeline/packet_mirror.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "fixtures/mbufs.h"
#include "fixtures/wire.h"
#include "pipeline/receive_job.h"
#include "pipeline/transmit_job.h"

namespace packetwarp {
namespace {

using packets = std::vector<rte_mbuf*>;
using frame = std::vector<std::byte>;
using testing::Each;
using testing::ElementsAre;

constexpr auto straight = verdict::forward(egress_index{0});
constexpr auto forwarded_with_copy = straight.with_copy();

// A TX job whose first egress leads to a wire's queue 0 and whose mirror port is queue 1. The test plays RX job and
// executor: it keeps what was received, then changes the packet as a function may.
class packet_mirror_test : public testing::Test {
 protected:
  static constexpr std::uint32_t depth = 64;
  static constexpr std::uint32_t burst_size = 32;

  // After any test: each packet has left or was dropped, and each mbuf is accounted for.
  void TearDown() override {
    (void)receive(0);
    (void)receive(1);
    (void)poll(run_phase::abandoning);
    EXPECT_EQ(counters_.packets.read() + counters_.punted.read() + counters_.dropped_packets.read(), given_.size());
    EXPECT_EQ(counters_.mirrored.read(), copies_);
    auto const lost = std::accumulate(counters_.not_mirrored.begin(), counters_.not_mirrored.end(), std::uint64_t{0},
                                      [](auto sum, auto const& counter) { return sum + counter.read(); });
    EXPECT_EQ(counters_.mirrored.read() + lost, asked_);
    EXPECT_EQ(pool_.available(), pool_.config().packets);
  }

  // A finished burst with one packet per verdict, of these bytes each.
  void finish(std::vector<verdict> const& verdicts, std::size_t bytes = 300, std::uint32_t again = 0,
              burst_outcome outcome = burst_outcome::mixed()) {
    auto* const open = ring_.open();
    ASSERT_NE(open, nullptr);
    packets received;
    for (auto const v : verdicts) {
      frame made(bytes);
      std::generate(made.begin(), made.end(),
                    [this] { return static_cast<std::byte>(next_byte_ = next_byte_ * 5 + 7); });
      std::copy(front_.begin(), front_.end(), made.begin());
      given_.push_back(made);
      received.push_back(test::make_packet(pool_, made));
      open->has_chained |= received.back()->nb_segs > 1;
      asked_ += v.has_copy() ? 1U : 0U;
    }
    open->kept.keep(0, received, again);
    std::copy(verdicts.begin(), verdicts.end(), open->verdicts);
    std::copy(received.begin(), received.end(), open->packets);
    open->size = static_cast<std::uint32_t>(verdicts.size());
    // All bytes that a function may change.
    for (auto* const packet : received) {
      std::fill_n(rte_pktmbuf_mtod(packet, std::byte*),
                  std::min<std::size_t>(packet->data_len, kept_headers::most_bytes), std::byte{0xee});
    }
    ring_.publish();
    ASSERT_NE(ring_.next_ready(), nullptr);
    ring_.take();
    ring_.finish(outcome);
  }
  std::uint32_t poll(run_phase phase = run_phase::running, cycles later = 0) {
    return job_.poll({.now = start_ + later, .phase = phase});
  }
  // The frames at the far end of a queue.
  std::vector<frame> receive(std::uint16_t queue) {
    std::vector<frame> all;
    for (auto* const packet : test::receive_all(wire_.right.rx(queue_id{queue}))) {
      all.push_back(test::bytes_of(*packet));
      rte_pktmbuf_free(packet);
    }
    if (queue == 1) copies_ += all.size();
    return all;
  }
  [[nodiscard]] std::uint64_t lost(mirror_loss why) const {
    return counters_.not_mirrored[static_cast<std::size_t>(why)].read();
  }
  [[nodiscard]] std::vector<egress> egresses() {
    std::vector<egress> made;
    for (std::uint16_t q = 0; q < 2; ++q) {
      made.emplace_back(wire_.left.tx(queue_id{q}), longest_chain_, 2 * burst_size, cycles{1} << 50);
    }
    return made;
  }
  static constexpr cycles between_tries = 1000;
  [[nodiscard]] packet_mirror mirror(rte_mempool& pool, bool is_of_mirror_port = false) const {
    return packet_mirror{{.egress = 1,
                          .pool = &pool,
                          .mtu = mtu_,
                          .is_of_mirror_port = is_of_mirror_port,
                          .between_tries = between_tries}};
  }
  void use(packet_mirror with) { job_.mirror_by(with); }

  chain_limit longest_chain_{};
  std::uint32_t mtu_{9000};
  packet_pool pool_{test::small_pool("packet_mirror_test", 1023, 512)};
  test::started_wire wire_{pool_, 2, depth};
  burst_ring ring_{4, burst_size, received_headers::kept};
  departure_counters counters_;
  transmit_job job_{0, ring_, egresses(), counters_};
  cycles start_{now_cycles()};
  std::vector<frame> given_;
  frame front_;  // first bytes of all frames
  unsigned next_byte_{1};
  std::uint64_t copies_{0};
  std::uint64_t asked_{0};
};

TEST_F(packet_mirror_test, copies_a_packet_as_it_was_received_and_sends_the_changed_one) {
  use(mirror(pool_.get()));
  finish({straight, forwarded_with_copy, straight});
  EXPECT_EQ(poll(), 3U);
  EXPECT_THAT(receive(1), ElementsAre(given_[1]));
  auto const sent = receive(0);
  ASSERT_EQ(sent.size(), 3U);
  for (std::size_t n = 0; n < 3; ++n) {
    auto changed = given_[n];
    std::fill_n(changed.begin(), kept_headers::most_bytes, std::byte{0xee});
    EXPECT_EQ(sent[n], changed);
  }
}

TEST_F(packet_mirror_test, copies_whatever_becomes_of_the_packet) {
  use(mirror(pool_.get()));
  auto const dropped = verdict::drop(function_drop(3)).with_copy();
  auto const pushed = verdict::forward(egress_index{0}, front_move::push_4).with_copy();
  auto const popped = verdict::forward(egress_index{0}, front_move::pop_4).with_copy();
  finish({dropped, verdict::punt().with_copy(), pushed, popped});
  EXPECT_EQ(poll(), 4U);
  EXPECT_EQ(receive(1), given_);
  EXPECT_EQ(counters_.dropped[static_cast<std::size_t>(function_drop(3))].read(), 1U);
  EXPECT_EQ(counters_.dropped[static_cast<std::size_t>(drop_reason::no_kernel_interface)].read(), 1U);
  auto const sent = receive(0);
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].size(), given_[2].size() + 4);
  EXPECT_EQ(sent[1].size(), given_[3].size() - 4);
}

TEST_F(packet_mirror_test, copies_all_packets_of_a_uniform_burst_and_none_without_the_bit) {
  use(mirror(pool_.get()));
  finish(std::vector<verdict>(burst_size, forwarded_with_copy), 64, 0, burst_outcome::uniform(forwarded_with_copy));
  EXPECT_EQ(poll(), burst_size);
  EXPECT_EQ(receive(1), given_);
  finish(std::vector<verdict>(burst_size, straight), 64, 0, burst_outcome::uniform(straight));
  EXPECT_EQ(poll(), burst_size);
  EXPECT_TRUE(receive(1).empty());
}

TEST_F(packet_mirror_test, copies_short_frames_and_chains_whole) {
  longest_chain_ = {any_length};
  transmit_job job{0, ring_, egresses(), counters_};
  job.mirror_by(mirror(pool_.get()));
  for (auto const bytes : {14U, 191U, 192U, 193U, 1500U}) {
    finish({forwarded_with_copy}, bytes);
    EXPECT_EQ(job.poll({.now = start_, .phase = run_phase::running}), 1U);
    EXPECT_THAT(receive(1), ElementsAre(given_.back())) << bytes;
    (void)receive(0);
  }
}

TEST_F(packet_mirror_test, puts_the_received_bytes_over_several_short_mbufs) {
  longest_chain_ = {any_length};
  transmit_job job{0, ring_, egresses(), counters_};
  packet_pool shorter{test::small_pool("packet_mirror_shorter", 63, 100)};
  job.mirror_by(mirror(shorter.get()));
  finish({forwarded_with_copy}, 300);
  EXPECT_EQ(job.poll({.now = start_, .phase = run_phase::running}), 1U);
  EXPECT_THAT(receive(1), ElementsAre(given_[0]));
  EXPECT_EQ(shorter.available(), shorter.config().packets);
}

TEST_F(packet_mirror_test, counts_a_chain_that_the_mirror_port_cannot_send) {
  use(mirror(pool_.get()));
  finish({forwarded_with_copy}, 1500);
  EXPECT_EQ(poll(), 1U);
  EXPECT_TRUE(receive(1).empty());
  EXPECT_EQ(lost(mirror_loss::tx_chained), 1U);
}

// The driver would drop such a copy without a word.
TEST_F(packet_mirror_test, counts_a_copy_that_is_longer_than_the_mirror_ports_mtu) {
  mtu_ = 286;
  use(mirror(pool_.get()));
  finish({forwarded_with_copy, forwarded_with_copy}, 300);
  EXPECT_EQ(poll(), 2U);
  finish({forwarded_with_copy}, 301);
  EXPECT_EQ(poll(), 1U);
  EXPECT_EQ(receive(1).size(), 2U);
  EXPECT_EQ(receive(0).size(), 3U) << "the packet itself leaves by another port";
  EXPECT_EQ(lost(mirror_loss::tx_too_long), 1U);
}

TEST_F(packet_mirror_test, leaves_up_to_two_vlan_tags_out_of_the_mtu) {
  mtu_ = 286;
  use(mirror(pool_.get()));
  for (std::size_t tags = 0; tags <= 3; ++tags) {
    frame front(14 + 4 * tags);
    for (std::size_t n = 0; n < tags; ++n) front[12 + 4 * n] = n == 0 ? std::byte{0x88} : std::byte{0x81};
    if (tags != 0) front[13] = std::byte{0xa8};
    front[12 + 4 * tags] = std::byte{0x08};
    front_ = front;
    finish({forwarded_with_copy}, 300 + 4 * tags);
    EXPECT_EQ(poll(), 1U);
    EXPECT_EQ(receive(1).size(), tags <= 2 ? 1U : 0U) << tags << " tags";
    (void)receive(0);
  }
  EXPECT_EQ(lost(mirror_loss::tx_too_long), 1U);
}

TEST_F(packet_mirror_test, a_mirror_port_that_takes_nothing_loses_copies_and_holds_no_packet_up) {
  use(mirror(pool_.get()));
  for (unsigned n = 0; n < 5; ++n) {
    finish(std::vector<verdict>(burst_size, forwarded_with_copy), 64);
    EXPECT_EQ(poll(), burst_size);
    EXPECT_EQ(receive(0).size(), burst_size) << "burst " << n;
  }
  auto const room = counters_.mirrored.read();  // a ring of 64 places holds fewer
  EXPECT_LT(room, depth + 1);
  EXPECT_EQ(lost(mirror_loss::tx_full), 5 * burst_size - room);
  EXPECT_EQ(counters_.dropped_packets.read(), 0U);
  EXPECT_EQ(receive(1).size(), room);
  finish({forwarded_with_copy}, 64);
  EXPECT_EQ(poll(), 1U);
  EXPECT_TRUE(receive(1).empty()) << "the port is not tried again yet";
  finish({forwarded_with_copy}, 64);
  EXPECT_EQ(poll(run_phase::running, between_tries), 1U);
  EXPECT_EQ(receive(1).size(), 1U) << "the port takes copies again";
}

TEST_F(packet_mirror_test, a_mirror_port_that_is_taken_away_loses_copies_alone) {
  use(mirror(pool_.get()));
  // Both egresses are queues of one port here, so the packets are dropped, too; the copy's fate is counted by itself.
  job_.leave(wire_.left.facts().id, start_);
  finish({forwarded_with_copy}, 64);
  EXPECT_EQ(poll(), 1U);
  EXPECT_EQ(lost(mirror_loss::tx_full), 1U);
  job_.rejoin(wire_.left.facts().id);
  finish({forwarded_with_copy}, 64);
  EXPECT_EQ(poll(run_phase::running, between_tries), 1U);
  EXPECT_EQ(receive(1).size(), 1U);
}

TEST_F(packet_mirror_test, an_empty_pool_loses_the_copy_and_not_the_packet) {
  packet_pool none{test::small_pool("packet_mirror_none", 1, 512)};
  auto* const taken = rte_pktmbuf_alloc(&none.get());
  use(mirror(none.get()));
  finish({forwarded_with_copy});
  EXPECT_EQ(poll(), 1U);
  EXPECT_EQ(lost(mirror_loss::no_buffer), 1U);
  EXPECT_EQ(receive(0).size(), 1U);
  rte_pktmbuf_free(taken);
}

TEST_F(packet_mirror_test, a_packet_that_was_put_back_has_had_its_copy) {
  use(mirror(pool_.get()));
  finish({forwarded_with_copy, forwarded_with_copy, forwarded_with_copy}, 64, 2);
  EXPECT_EQ(poll(), 3U);
  EXPECT_THAT(receive(1), ElementsAre(given_[2]));
  EXPECT_EQ(lost(mirror_loss::comes_again), 2U);
}

TEST_F(packet_mirror_test, what_the_mirror_port_receives_is_not_copied_to_it) {
  use(mirror(pool_.get(), true));
  finish({forwarded_with_copy}, 64);
  EXPECT_EQ(poll(), 1U);
  EXPECT_EQ(lost(mirror_loss::from_mirror_port), 1U);
}

TEST_F(packet_mirror_test, a_run_that_is_abandoned_sends_no_copies) {
  use(mirror(pool_.get()));
  finish({forwarded_with_copy}, 64);
  EXPECT_EQ(poll(run_phase::abandoning), 1U);
  EXPECT_EQ(lost(mirror_loss::shutdown), 1U);
  EXPECT_EQ(counters_.dropped[static_cast<std::size_t>(drop_reason::shutdown)].read(), 1U);
}

// The burst stays in the ring until its egress has room, and is given again.
TEST_F(packet_mirror_test, a_burst_that_waits_in_the_ring_is_copied_once) {
  use(mirror(pool_.get()));
  for (unsigned n = 0; n < 4; ++n) {
    finish(std::vector<verdict>(burst_size, straight), 64);
    EXPECT_EQ(poll(), burst_size) << "into the queue, then into the egress";
  }
  std::vector<verdict> mixed(burst_size, straight);
  mixed[3] = forwarded_with_copy;
  mixed[5] = verdict::drop(function_drop(1)).with_copy();
  finish(mixed, 64);
  auto const given = given_.size();
  EXPECT_EQ(poll(), 1U) << "the dropped packet alone";
  EXPECT_EQ(poll(), 0U);
  EXPECT_THAT(receive(1), ElementsAre(given_[given - burst_size + 3], given_[given - burst_size + 5]));
  while (!receive(0).empty()) (void)poll();
  EXPECT_TRUE(receive(1).empty());
  EXPECT_EQ(counters_.packets.read(), given - 1);
}

// The RX job keeps the first bytes of packets, and knows the ones that come again.
TEST(kept_headers, are_kept_by_the_receive_job_for_packets_of_the_port_alone) {
  packet_pool pool{test::small_pool("kept_headers_test", 63, 512)};
  burst_ring ring{4, 8, received_headers::kept};
  struct source {
    packets* given;
    std::uint32_t again;
    received_packets receive(std::span<rte_mbuf*> room, cycles) const {
      std::copy(given->begin(), given->end(), room.begin());
      return {.count = static_cast<std::uint32_t>(std::exchange(*given, {}).size()), .again = again};
    }
    received_packets take_held(std::span<rte_mbuf*>) const { return {}; }
    void leave(port_id) const {}
    void rejoin(port_id) const {}
  };
  packets given;
  for (unsigned n = 0; n < 3; ++n)
    given.push_back(test::make_packet(pool, frame(100 + 100 * n, static_cast<std::byte>(n))));
  auto const all = given;
  receive_counters counters;
  epoch_origin epochs;
  receive_job<source> job{0, source{&given, 1}, ring, counters, {.timeout = 1000, .in_flight = 1}, epochs};
  EXPECT_EQ(job.poll({.now = 5, .phase = run_phase::running}), 3U);
  auto const& kept = ring.next_ready()->kept;
  EXPECT_TRUE(kept.has_come_again(0));
  EXPECT_FALSE(kept.has_come_again(1));
  EXPECT_EQ(kept.of(1).size(), kept_headers::most_bytes);
  EXPECT_THAT(kept.of(2), Each(std::byte{2}));
  EXPECT_EQ(kept.of(2).size(), kept_headers::most_bytes);
  for (auto* const packet : all) rte_pktmbuf_free(packet);
}

}  // namespace
}  // namespace packetwarp
