// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "burst/burst_ring.h"
#include "fixtures/mbufs.h"
#include "fixtures/packet_builder.h"

namespace packetwarp::test {

// A burst ring; the test itself plays its RX and TX ends.
class executor_fixture : public testing::Test {
 protected:
  // A finished burst: its packets, which the caller owns, and their verdicts.
  struct finished {
    std::vector<rte_mbuf*> packets;
    std::vector<verdict> verdicts;  // of every packet, from the outcome or the array
    bool is_uniform;
  };

  void publish(std::vector<bytes> const& frames, epoch_number epoch = first_epoch) {
    auto* const open = ring_.open();
    ASSERT_NE(open, nullptr);
    for (auto const& frame : frames) open->packets[open->size++] = make_packet(pool_, frame);
    ring_.publish(epoch);
  }

  finished take_done() {
    finished taken{};
    auto* const done = ring_.next_done();
    if (done == nullptr) return taken;
    auto const outcome = ring_.outcome();
    taken.is_uniform = outcome.is_uniform();
    for (std::uint32_t i = 0; i < done->size; ++i) {
      taken.packets.push_back(done->packets[i]);
      taken.verdicts.push_back(outcome.is_uniform() ? outcome.of_all() : done->verdicts[i]);
    }
    ring_.release();
    return taken;
  }

  static void free(finished const& taken) {
    for (auto* packet : taken.packets) rte_pktmbuf_free(packet);
  }

  static constexpr std::uint32_t capacity = 1024;
  packet_pool pool_{small_pool("executor_test")};
  burst_ring ring_{4, capacity};
};

}  // namespace packetwarp::test
