// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "fixtures/mbufs.h"
#include "fixtures/packet_builder.h"
#include "fixtures/wire.h"
#include "pipeline/transmit_job.h"
#include "punt/control_desk.h"

// Packets for this machine's kernel, by an interface that has no kernel interface.
namespace packetwarp {
namespace {

class listener_query_test : public testing::Test {
 protected:
  // A query of multicast listener discovery as a switch sends it.
  static test::bytes query() {
    return test::from_hex(
        "33330000000102000000010186dd6000000000240001fe800000000000000000000000050006ff02"
        "00000000000000000000000000013a0005020000010082007c3103e8000000000000000000000000"
        "00000000000000000000");
  }

  // A finished burst of these frames, which are all for the kernel.
  void finish(std::vector<test::bytes> const& frames) {
    auto* const open = ring_.open();
    ASSERT_NE(open, nullptr);
    for (auto const& frame : frames) open->packets[open->size++] = test::make_packet(pool_, frame);
    ring_.publish();
    ASSERT_NE(ring_.next_ready(), nullptr);
    ring_.take();
    ring_.finish(burst_outcome::uniform(verdict::punt(punt_reason::to_kernel)));
    (void)job_.poll({.now = now_cycles(), .phase = run_phase::running});
  }
  // The reasons of the packets that the control plane gets.
  std::vector<punt_reason> take() {
    std::vector<rte_mbuf*> got(64);
    got.resize(desk_.take(got));
    std::vector<punt_reason> reasons;
    for (auto* packet : got) {
      reasons.push_back(tag_of(*packet).why);
      rte_pktmbuf_free(packet);
    }
    return reasons;
  }
  [[nodiscard]] std::uint64_t dropped() const {
    return counters_.dropped[static_cast<std::size_t>(drop_reason::no_kernel_interface)].read();
  }
  std::vector<egress> make_egresses() {
    std::vector<egress> made;
    made.emplace_back(wire_.left.tx(queue_id{0}), chain_limit{}, 64, cycles{1} << 50);
    return made;
  }

  packet_pool pool_{test::small_pool("listener_query", 1023, 256)};
  test::started_wire wire_{pool_, 1, 16};
  burst_ring ring_{4, 32};
  control_desk desk_{1, 1};
  departure_counters counters_;
  transmit_job job_{0,
                    ring_,
                    make_egresses(),
                    counters_,
                    packets_lie::in_own_cache,
                    {.desk = &desk_, .twin = nullptr, .twins = {}, .pipeline = 0, .ingress = 0, .to_gpus = {}}};
};

TEST_F(listener_query_test, comes_to_the_control_plane_and_nothing_else_does) {
  auto const other = test::packet_builder{}.eth().ipv6("fe80::5:6", "ff02::1").udp(1, 2).payload(40).build();
  finish({other, query(), test::bytes(60), query(), other});
  EXPECT_EQ(take(), (std::vector{punt_reason::neighbour_discovery, punt_reason::neighbour_discovery}));
  EXPECT_EQ(counters_.punted.read(), 2U);
  EXPECT_EQ(dropped(), 3U);
  EXPECT_EQ(counters_.gone(), 5U);
}

TEST_F(listener_query_test, is_one_only_if_each_part_is_there) {
  constexpr std::size_t ip = 14;
  constexpr std::size_t options = ip + 40;
  // The EtherType, the next header, the hop limit, the source, ICMPv6 and its place, the option, and the type.
  for (auto const at : {std::size_t{12}, ip + 6, ip + 7, ip + 8, options, options + 1, options + 2, options + 8}) {
    auto damaged = query();
    damaged[at] ^= std::byte{0x40};
    finish({damaged});
    EXPECT_EQ(dropped(), 1U) << at;
    counters_.dropped[static_cast<std::size_t>(drop_reason::no_kernel_interface)].set(0);
  }
  auto const whole = query();
  for (std::size_t length = 1; length < options + 8 + 24; length += 7) {
    finish({test::bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length))});
  }
  EXPECT_TRUE(take().empty());
}

}  // namespace
}  // namespace packetwarp
