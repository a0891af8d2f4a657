// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "function/chain/chain_bed.h"
#include "function/switched.h"

// Copies that a joint stage asks for: the verdict of a chain says so, whatever the stages around it decide.
namespace packetwarp::test {
namespace {

using testing::ElementsAre;

// Asks for a copy of packets whose last byte is 3, and drops those of which it is 4.
struct copier {
  struct ref {};
  struct room {
    std::byte bytes[joint_packets];
  };
  using annotation = std::uint8_t;
  static constexpr std::string_view name = "copier";
  static constexpr std::array<std::string_view, 1> drop_names{"four"};

  static void gather(packet_view packet, unsigned n, ref const&, room& shared) {
    shared.bytes[n] = packet.data[packet.contiguous - 1];
  }
  static void work(auto const&, ref const&, room&) {}
  static annotation annotation_of(unsigned n, room const& shared) {
    return std::to_integer<annotation>(shared.bytes[n]);
  }
  static bool passes(packet_view, ref const&, annotation found) { return found != 3 && found != 4; }
  static void assume_passes(packet_view) {}
  static verdict ingress(packet_view, ref const&, annotation found) {
    return found == 4 ? verdict::drop(function_drop(0)) : next_hook();
  }
  static bool asks_for_copy(ref const&, annotation found) { return found == 3; }
};
static_assert(has_copies<copier> && has_copies<switched<copier>> && !has_copies<switched<last_byte>>);

// Replaces the verdict of all packets that leave: another front for egress 1, and a drop for all others.
struct other_front {
  struct ref {};
  static constexpr std::string_view name = "other_front";
  static constexpr std::array<std::string_view, 1> drop_names{"not_by_one"};
  static bool has_egress(ref const&) { return true; }
  static verdict egress(packet_view, ref const&, verdict said) {
    EXPECT_FALSE(said.has_copy()) << "a stage has nothing to do with copies";
    return said == by_gateway ? verdict::forward(said.to(), front_move::pop_4) : verdict::drop(function_drop(0));
  }
};

using chain_with_copies = last_byte_fixture;

TEST_F(chain_with_copies, copies_packets_whatever_becomes_of_them_later) {
  using copied = chain<copier, router>;
  auto const said =
      said_of<copied>({{{}}, {routes()}}, {ending_with(0, ipv4()), ending_with(3, ipv4()), ending_with(3, ipv6()),
                                           ending_with(3, ipv4("99.1.2.3")), ending_with(4, ipv4())});
  ASSERT_EQ(said.size(), 5U);
  EXPECT_EQ(said[0], by_gateway);
  EXPECT_EQ(said[1], by_gateway.with_copy());
  EXPECT_EQ(said[2], by_gateway.with_copy());
  EXPECT_EQ(said[3], verdict::punt(punt_reason::unreachable).with_copy());
  EXPECT_EQ(said[4], drop<copied>(0)) << "the stage has finished the packet itself";
}

TEST_F(chain_with_copies, keeps_the_copy_through_the_egress_hooks_of_earlier_stages) {
  using copied = chain<other_front, copier, router>;
  auto const said = said_of<copied>({{{}}, {{}}, {routes()}}, {ending_with(0, ipv4()), ending_with(3, ipv4())});
  auto const moved = verdict::forward(egress_index{1}, front_move::pop_4);
  EXPECT_THAT(said, ElementsAre(moved, moved.with_copy()));
}

TEST_F(chain_with_copies, has_none_of_a_stage_that_is_off) {
  using copied = chain<switched<copier>, router>;
  for (auto const is_on : {0U, 1U}) {
    typename copied::ref tables{{{{}, is_on}}, {routes()}};
    auto const said = said_of<copied>(tables, {ending_with(3, ipv4())});
    EXPECT_THAT(said, ElementsAre(is_on != 0 ? by_gateway.with_copy() : by_gateway));
  }
}

}  // namespace
}  // namespace packetwarp::test
