// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/reassembler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>

#include "fixtures/eal_environment.h"
#include "fixtures/mbufs.h"
#include "fixtures/packet_builder.h"
#include "wire/ipv4.h"

namespace packetwarp {
namespace {

using test::bytes;
using test::packet_builder;

[[maybe_unused]] auto* const eal = testing::AddGlobalTestEnvironment(new test::eal_environment{1, {}, 256});
constexpr auto ingress = static_cast<interface_index>(3);
constexpr std::chrono::seconds timeout{30};

class reassembler_test : public testing::Test {
 protected:
  ~reassembler_test() override {
    EXPECT_EQ(pool_.available(), pool_.config().packets) << "fragments are copied, whatever is held of them";
    tested_.give_up(actions_);
    EXPECT_EQ(tested_.held(), 0u);
    EXPECT_EQ(tested_.bytes_held(), 0u);
  }

  // The fragments of a datagram of a UDP header and `size` bytes of payload, in order.
  [[nodiscard]] static std::vector<bytes> fragments_of(std::size_t size, std::size_t each, unsigned id = 1) {
    auto const whole = whole_of(size, id);
    std::vector<bytes> made;
    for (std::size_t at = 34; at < whole.size(); at += each) {
      auto const end = std::min(at + each, whole.size());
      bytes const part(whole.begin() + static_cast<std::ptrdiff_t>(at),
                       whole.begin() + static_cast<std::ptrdiff_t>(end));
      packet_builder one;
      one.eth().ipv4().protocol(17).fragment(static_cast<unsigned>(at - 34), end < whole.size() ? 1 : 0).payload(part);
      made.push_back(with_id(one.pad_to(60).build(), id));
    }
    return made;
  }
  // The datagram that must come out.
  [[nodiscard]] static bytes whole_of(std::size_t size, unsigned id = 1) {
    return with_id(packet_builder{}.eth().ipv4().udp(7, 9).payload(size).build(), id);
  }
  [[nodiscard]] static bytes with_id(bytes frame, unsigned id) {
    wire::ipv4_view const ip{frame.data() + 14};
    ip.set_identification(static_cast<std::uint16_t>(id));
    ip.fill_checksum();
    return frame;
  }

  [[nodiscard]] static std::vector<bytes> only(bytes frame) { return std::vector<bytes>(1, std::move(frame)); }

  void give(bytes const& fragment, control_time now = {}) {
    tested_.add(test::make_packet(pool_, fragment), ingress, now, actions_);
  }
  // The output since the last call: whole datagrams' bytes, and names of drops.
  [[nodiscard]] std::vector<bytes> whole() {
    std::vector<bytes> all;
    for (auto const& action : actions_) {
      if (action.why == control_drop::put_together) {
        ++put_together_;
      } else if (action.what != control_action::kind::put_back) {
        dropped_.push_back(action.why);
      } else {
        EXPECT_EQ(action.interface, ingress);
        EXPECT_EQ(rte_mbuf_check(action.packet, 1, nullptr), 0);
        all.push_back(test::bytes_of(*action.packet));
      }
      rte_pktmbuf_free(action.packet);
    }
    actions_.clear();
    return all;
  }
  [[nodiscard]] std::vector<control_drop> dropped() {
    EXPECT_EQ(whole().size(), 0u);
    return std::exchange(dropped_, {});
  }

  packet_pool pool_{test::small_pool("fragments", 4095)};
  reassembler tested_{{.timeout = timeout, .datagrams = 4, .fragments = 64}, pool_.get()};
  control_actions actions_;
  std::size_t put_together_{};
  std::vector<control_drop> dropped_;
};

TEST_F(reassembler_test, puts_fragments_together_in_any_order) {
  std::mt19937 random{791};
  for (std::size_t const size : {9u, 100u, 1000u, 1472u, 3000u, 8000u}) {
    for (std::size_t const each : {8u, 64u, 568u, 1480u}) {
      auto fragments = fragments_of(size, each);
      if (fragments.size() < 2 || fragments.size() > 64) continue;
      for (int n = 0; n < 5; ++n) {
        std::shuffle(fragments.begin(), fragments.end(), random);
        for (auto const& one : fragments) give(one);
        ASSERT_EQ(whole(), only(whole_of(size))) << size << " in pieces of " << each;
        ASSERT_EQ(tested_.held(), 0u);
      }
    }
  }
}

TEST_F(reassembler_test, takes_the_longest_datagram_over_ethernet) {
  auto const fragments = fragments_of(65'507, 1480);
  ASSERT_EQ(fragments.size(), 45u);
  for (auto const& one : fragments) give(one);
  EXPECT_EQ(whole(), only(whole_of(65'507)));
}

TEST_F(reassembler_test, keeps_datagrams_apart) {
  auto const first = fragments_of(2000, 1000, 1);
  auto const second = fragments_of(2000, 1000, 2);
  for (std::size_t n = 0; n < first.size(); ++n) {
    give(first[n]);
    give(second[n]);
  }
  EXPECT_EQ(whole(), (std::vector<bytes>{whole_of(2000, 1), whole_of(2000, 2)}));
}

TEST_F(reassembler_test, drops_what_comes_twice_alone) {
  auto const fragments = fragments_of(2000, 1000);
  give(fragments[0]);
  give(fragments[0]);
  EXPECT_EQ(dropped(), std::vector{control_drop::fragments_overlap});
  for (std::size_t n = 1; n < fragments.size(); ++n) give(fragments[n]);
  EXPECT_EQ(whole(), only(whole_of(2000)));
}

TEST_F(reassembler_test, drops_a_datagram_of_which_one_place_has_two_contents) {
  auto const fragments = fragments_of(2000, 1000);
  give(fragments[0]);
  auto other = fragments[0];
  other.back() ^= std::byte{1};
  give(other);
  EXPECT_EQ(dropped(), (std::vector{control_drop::fragments_overlap, control_drop::fragments_overlap}));
  EXPECT_EQ(tested_.held(), 0u);
}

// As an attacker would, to have two firewalls see two datagrams (RFC 1858).
TEST_F(reassembler_test, drops_a_datagram_whose_fragments_overlap) {
  auto const of = [](unsigned offset, unsigned more, std::size_t size) {
    return packet_builder{}.eth().ipv4().protocol(17).fragment(offset, more).payload(size).build();
  };
  for (auto const& [first, second] : {std::pair{of(0, 1, 64), of(56, 0, 64)}, std::pair{of(64, 0, 64), of(0, 1, 72)},
                                      std::pair{of(0, 1, 64), of(0, 1, 72)}, std::pair{of(64, 0, 8), of(128, 1, 8)},
                                      std::pair{of(64, 0, 8), of(128, 0, 8)}, std::pair{of(64, 1, 8), of(56, 0, 8)}}) {
    give(first);
    give(second);
    EXPECT_EQ(dropped(), (std::vector{control_drop::fragments_overlap, control_drop::fragments_overlap}));
    EXPECT_EQ(tested_.held(), 0u);
  }
}

TEST_F(reassembler_test, drops_what_the_rest_does_not_come_to) {
  give(fragments_of(2000, 1000, 1)[0]);
  give(fragments_of(2000, 1000, 2)[0], std::chrono::seconds{10});
  give(fragments_of(2000, 1000, 1)[1], std::chrono::seconds{29});
  tested_.tick(timeout - std::chrono::nanoseconds{1}, actions_);
  EXPECT_EQ(dropped().size(), 0u);
  tested_.tick(timeout, actions_);
  EXPECT_EQ(dropped(), (std::vector{control_drop::fragments_timeout, control_drop::fragments_timeout}));
  EXPECT_EQ(tested_.held(), 1u);
  tested_.give_up(actions_);
  EXPECT_EQ(dropped(), std::vector{control_drop::fragments_timeout});
}

TEST_F(reassembler_test, gives_the_oldest_up_for_the_newest) {
  for (unsigned id = 1; id <= 5; ++id) give(fragments_of(2000, 1000, id)[0]);
  EXPECT_EQ(dropped(), std::vector{control_drop::fragments_too_many});
  give(fragments_of(2000, 1000, 2)[1]);
  give(fragments_of(2000, 1000, 2)[2]);
  EXPECT_EQ(whole(), only(whole_of(2000, 2))) << "the second is still there";
}

TEST_F(reassembler_test, gives_up_a_datagram_of_too_many_fragments) {
  auto const fragments = fragments_of(8 * 70, 8);
  for (std::size_t n = 0; n < 65; ++n) give(fragments[n]);
  EXPECT_EQ(dropped(), std::vector(65, control_drop::fragments_too_many));
}

TEST_F(reassembler_test, takes_nothing_that_is_no_sound_fragment) {
  bytes damaged = fragments_of(2000, 1000)[0];
  damaged[25] ^= std::byte{1};
  for (auto const& frame :
       {packet_builder{}.eth().ipv4().udp(1, 2).build(), damaged, packet_builder{}.eth().ipv6().udp(1, 2).build(),
        packet_builder{}.eth().ipv4().protocol(17).fragment(0, 1).payload(12).build(),       // not in units of 8
        packet_builder{}.eth().ipv4().protocol(17).fragment(64, 0).build(),                  // of nothing
        packet_builder{}.eth().ipv4().protocol(17).fragment(65'528, 0).payload(64).build(),  // beyond any datagram's
                                                                                             // end
        bytes(10)}) {
    give(frame);
    EXPECT_EQ(dropped(), std::vector{control_drop::malformed}) << test::to_hex(frame);
  }
}

TEST_F(reassembler_test, gives_one_piece_where_it_has_room) {
  for (auto const& one : fragments_of(1400, 704)) give(one);
  ASSERT_EQ(actions_.size(), 2u);
  EXPECT_EQ(actions_[1].packet->nb_segs, 1);
  EXPECT_EQ(whole(), only(whole_of(1400)));
}

// Sent by an attacker who wants to empty the pool.
TEST_F(reassembler_test, tiny_fragments_hold_no_packet_of_the_pool_and_no_more_memory_than_is_allowed) {
  reassembler bounded{{.datagrams = 100, .all_fragments = 80, .bytes = 10'000}, pool_.get()};
  for (unsigned id = 0; id < 3600; ++id) {
    auto const tiny = with_id(packet_builder{}.eth().ipv4().protocol(17).fragment(64, 1).payload(8).build(), id);
    bounded.add(test::make_packet(pool_, tiny), ingress, {}, actions_);
    ASSERT_EQ(pool_.available(), pool_.config().packets);
    ASSERT_LE(bounded.held(), 80u);
    ASSERT_LE(bounded.bytes_held(), 10'000u);
  }
  EXPECT_GE(bounded.held(), 70u) << "what is allowed is made use of";
  EXPECT_EQ(dropped(), std::vector(3600 - bounded.held(), control_drop::fragments_too_many));
  bounded.give_up(actions_);
  (void)whole();
  dropped_.clear();
}

TEST_F(reassembler_test, a_flood_to_one_address_drives_nobody_elses_datagrams_out) {
  auto const others = fragments_of(2000, 1000, 1);
  give(others[0]);
  for (unsigned n = 0; n < 1000; ++n) {
    auto const forged = "198.18." + std::to_string(n / 250) + "." + std::to_string(n % 250 + 1);
    give(packet_builder{}.eth().ipv4(forged, "203.0.113.1").protocol(17).fragment(64, 1).payload(1000).build());
  }
  EXPECT_EQ(dropped().size(), 997u);
  for (std::size_t n = 1; n < others.size(); ++n) give(others[n]);
  EXPECT_EQ(whole(), only(whole_of(2000, 1))) << "which is older than all of the flood";
}

TEST_F(reassembler_test, a_flood_by_one_interface_drives_nothing_out_that_came_by_another) {
  auto const others = fragments_of(2000, 1000, 1);
  give(others[0]);
  for (unsigned n = 0; n < 1000; ++n) {
    auto const anywhere = "198.18." + std::to_string(n / 250) + "." + std::to_string(n % 250 + 1);
    auto const flood = packet_builder{}.eth().ipv4("10.9.9.9", anywhere).protocol(17).fragment(64, 1).payload(1000);
    tested_.add(test::make_packet(pool_, flood.build()), static_cast<interface_index>(4), {}, actions_);
  }
  EXPECT_EQ(dropped().size(), 997u);
  for (std::size_t n = 1; n < others.size(); ++n) give(others[n]);
  EXPECT_EQ(whole(), only(whole_of(2000, 1)));
}

TEST_F(reassembler_test, counts_each_fragment_once) {
  auto const fragments = fragments_of(3000, 1000);
  for (auto const& one : fragments) give(one);
  EXPECT_EQ(whole().size(), 1u);
  EXPECT_EQ(put_together_, fragments.size() - 1) << "and one is the datagram itself";
}

TEST_F(reassembler_test, gives_a_datagram_up_that_the_pool_has_no_room_for) {
  auto const fragments = fragments_of(3000, 1000);
  std::vector<rte_mbuf*> taken;
  for (std::size_t n = 0; n + 1 < fragments.size(); ++n) give(fragments[n]);
  auto* const last = test::make_packet(pool_, fragments.back());
  for (auto* one = rte_pktmbuf_alloc(&pool_.get()); one != nullptr; one = rte_pktmbuf_alloc(&pool_.get())) {
    taken.push_back(one);
  }
  tested_.add(last, ingress, {}, actions_);
  EXPECT_EQ(dropped(), std::vector(fragments.size(), control_drop::no_memory));
  for (auto* one : taken) rte_pktmbuf_free(one);
}

// RFC 3168, 5.3. The code points: 0 Not-ECT, 1 ECT(1), 2 ECT(0), 3 CE.
TEST_F(reassembler_test, a_routers_mark_of_congestion_is_kept) {
  auto const with_ecn = [](bytes frame, std::uint8_t ecn) {
    wire::ipv4_view const ip{frame.data() + 14};
    ip.set_ecn(ecn);
    ip.fill_checksum();
    return frame;
  };
  unsigned id = 1;
  for (auto const& [first, second, wanted] :
       {std::array<std::uint8_t, 3>{0, 0, 0}, {2, 2, 2}, {2, 3, 3}, {3, 2, 3}, {1, 3, 3}, {3, 3, 3}, {0, 2, 0}}) {
    auto const pieces = fragments_of(900, 488, ++id);
    give(with_ecn(pieces[1], second));
    give(with_ecn(pieces[0], first));
    EXPECT_EQ(whole(), only(with_ecn(whole_of(900, id), wanted))) << int{first} << " and " << int{second};
  }
  auto const pieces = fragments_of(900, 488, ++id);
  give(with_ecn(pieces[0], 0));
  give(with_ecn(pieces[1], 3));
  EXPECT_EQ(dropped(), (std::vector{control_drop::malformed, control_drop::malformed}))
      << "a mark on a packet whose ends do not know ECN";
}

}  // namespace
}  // namespace packetwarp
