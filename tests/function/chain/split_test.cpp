// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "function/chain.h"
#include "function/example/size_limit.h"
#include "parity/corpus.h"
#include "parity/oracle/nat44.h"
#include "parity/oracle/router.h"
#include "parity/oracle/rules.h"

// Packets that a port has split: their first split_header_bytes in one memory, the rest in another.
namespace packetwarp::test {
namespace {

// A stage that reaches payloads and does nothing with them.
struct reaching {
  struct ref {};
  static constexpr std::string_view name = "reaching";
  static constexpr std::array<std::string_view, 1> drop_names{"unused"};
  static constexpr bool reaches_payload = true;
  static bool passes(packet_view, ref const&) { return true; }
  static void assume_passes(packet_view) {}
  static verdict ingress(packet_view, ref const&) { return next_hook(); }
};

struct outcome {
  verdict said;
  bytes front;  // the bytes before the packet that may be written
  bytes frame;
};

// In one piece, with room in front for tags.
template <class F>
[[nodiscard]] outcome in_one_piece(bytes const& frame, typename F::ref const& tables) {
  bytes memory(near_headroom, std::byte{0xee});
  memory.insert(memory.end(), frame.begin(), frame.end());
  auto const length = static_cast<std::uint32_t>(frame.size());
  auto const said = F::process({memory.data() + near_headroom, length, length}, tables);
  return {said, {memory.begin(), memory.begin() + near_headroom}, {memory.begin() + near_headroom, memory.end()}};
}

template <class F>
[[nodiscard]] outcome in_two_pieces(bytes const& frame, typename F::ref const& tables) {
  auto const split = static_cast<std::ptrdiff_t>(split_header_bytes);
  bytes first(near_headroom, std::byte{0xee});
  first.insert(first.end(), frame.begin(), frame.begin() + split);
  bytes rest(frame.begin() + split, frame.end());
  packet_view const view{first.data() + near_headroom, split_header_bytes, static_cast<std::uint32_t>(frame.size()),
                         rest.data(), static_cast<std::uint32_t>(rest.size())};
  auto const said = F::process(view, tables);
  outcome made{said, {first.begin(), first.begin() + near_headroom}, {first.begin() + near_headroom, first.end()}};
  made.frame.insert(made.frame.end(), rest.begin(), rest.end());
  return made;
}

// The parity suite's tables.
template <class F>
[[nodiscard]] typename F::ref tables_of() {
  return suite_tables<F>::in({}, company::alone).cpu;
}

// Checks every packet of the corpus that a port splits: its outcome is the same as in one piece.
template <class F>
void expect_the_same_in_two_pieces(typename F::ref const& tables) {
  std::size_t split = 0;
  std::size_t forwarded = 0;
  for (auto const& packet : make_corpus(0)) {
    if (packet.frame.size() <= split_header_bytes) continue;
    ++split;
    auto const whole = in_one_piece<F>(packet.frame, tables);
    auto const pieces = in_two_pieces<F>(packet.frame, tables);
    ASSERT_EQ(pieces.said, whole.said) << packet.what;
    if (!whole.said.needs_bytes()) continue;
    ASSERT_EQ(to_hex(pieces.frame), to_hex(whole.frame)) << packet.what;
    ASSERT_EQ(to_hex(pieces.front), to_hex(whole.front)) << packet.what;
    if (whole.said.what() == verdict::action::forward) ++forwarded;
  }
  EXPECT_GT(split, 1000u);
  EXPECT_GT(forwarded, 100u);
}

TEST(split_packet, is_routed_as_if_it_lay_in_one_piece) {
  using F = chain<reaching, router>;
  expect_the_same_in_two_pieces<F>(tables_of<F>());
}

TEST(split_packet, meets_rules_as_if_it_lay_in_one_piece) {
  using F = chain<reaching, rules, router>;
  expect_the_same_in_two_pieces<F>(tables_of<F>());
}

TEST(split_packet, is_translated_as_if_it_lay_in_one_piece) {
  using F = chain<reaching, nat44, router>;
  expect_the_same_in_two_pieces<F>(tables_of<F>());
}

// The router's own answer needs a byte of the second piece.
TEST(split_packet, is_answered_where_an_echo_request_ends_behind_the_split) {
  using F = chain<reaching, router>;
  auto const request = packet_builder{}.eth().ipv6("2001:db8::1", "2001:db8::fe").icmp_echo(1, 2).payload(8).build();
  auto const answer = in_two_pieces<F>(request, tables_of<F>());
  EXPECT_EQ(answer.said, verdict::forward(egress_index{0}));
}

TEST(split_packet, is_left_as_it_is_where_all_headers_end_before_the_split) {
  auto frame = packet_builder{}.eth().ipv4().tcp(1, 2).payload(100).build();
  packet_view view{frame.data(), split_header_bytes, static_cast<std::uint32_t>(frame.size()),
                   frame.data() + split_header_bytes, static_cast<std::uint32_t>(frame.size() - split_header_bytes)};
  EXPECT_FALSE(joined_header::is_needed(view));
  frame[23] = std::byte{1};  // ICMP
  EXPECT_TRUE(joined_header::is_needed(view));
  view.contiguous = split_header_bytes + 1;
  EXPECT_FALSE(joined_header::is_needed(view)) << "no port's split";
}

}  // namespace
}  // namespace packetwarp::test
