// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <algorithm>

#include "inspect/conversation.h"
#include "wire/ipv4.h"

namespace packetwarp::inspect {
namespace {

using wire::ipv4_view;

// The fragments of an IPv4 frame whose datagram's payload is cut at these places.
[[nodiscard]] std::vector<test::bytes> fragments_of(test::bytes const& whole, std::vector<std::size_t> places) {
  constexpr std::size_t head = 14 + 20;
  places.push_back(whole.size() - head);
  std::vector<test::bytes> made;
  std::size_t begin = 0;
  for (auto const end : places) {
    bool const is_last = end == places.back();
    test::bytes one{whole.begin(), whole.begin() + head};
    one.insert(one.end(), whole.begin() + static_cast<std::ptrdiff_t>(head + begin),
               whole.begin() + static_cast<std::ptrdiff_t>(head + end));
    ipv4_view const ip{one.data() + 14};
    ip.set_total_length(static_cast<std::uint16_t>(20 + end - begin));
    ip.set_identification(7);
    ip.set_fragment_word(static_cast<std::uint16_t>((is_last ? 0U : 0x2000U) | begin / 8));
    ip.fill_checksum();
    made.push_back(std::move(one));
    begin = end;
  }
  return made;
}

[[nodiscard]] test::bytes udp_frame(std::string const& payload) {
  auto const* bytes = reinterpret_cast<std::byte const*>(payload.data());
  return test::packet_builder{}
      .eth()
      .ipv4("10.0.0.1", "10.0.0.2")
      .udp(4000, 53)
      .payload(test::bytes{bytes, bytes + payload.size()})
      .build();
}

// The alerts of frames, and the counters after them.
struct seen_fragments {
  std::size_t alerts{};
  fragment_counts counts{};
};
[[nodiscard]] seen_fragments see(std::vector<test::bytes> const& frames, std::uint64_t apart = 1) {
  auto const rules = rules_of("alert udp any any -> any 53 (content:\"a secret word\"; sid:1;)\n");
  auto const compiled = compile_rules(rules);
  inspector one{compiled, rules.rules.size(), hash_key{1, 3}, {.flows = 8, .rates = 8}};
  seen_fragments made;
  std::uint64_t time = 1'700'000'000'000'000'000;
  for (auto const& frame : frames) {
    made.alerts += one.inspect(frame, static_cast<std::uint32_t>(frame.size()), time).size();
    time += apart;
  }
  made.counts = one.fragments().counts();
  return made;
}

TEST(fragments, are_inspected_as_their_datagram_in_any_order) {
  auto frames = fragments_of(udp_frame("here is a secret word for you"), {8, 24});
  for (int order = 0; order < 6; ++order) {
    auto const seen = see(frames);
    EXPECT_EQ(seen.alerts, 1U) << order;
    EXPECT_EQ(seen.counts, (fragment_counts{.datagrams = 1})) << order;
    std::next_permutation(frames.begin(), frames.end());
  }
}

TEST(fragments, are_no_packets_of_a_flow_and_their_datagram_came_in_fragments) {
  auto const rules = rules_of(
      "alert udp any any -> any 53 (flow:only_frag; content:\"secret\"; sid:1;)\n"
      "alert ip any any -> any any (flow:only_frag; sid:2;)\nalert ip any any -> any any (flow:no_frag; sid:3;)\n");
  auto const compiled = compile_rules(rules);
  inspector one{compiled, rules.rules.size(), hash_key{1, 3}, {.flows = 8, .rates = 8}};
  auto const sids_of = [&](test::bytes const& frame) {
    std::vector<std::uint32_t> sids;
    for (auto const& alert : one.inspect(frame, static_cast<std::uint32_t>(frame.size()), 1'700'000'000'000'000'000))
      sids.push_back(rules.rules[alert.rule].sid);
    return sids;
  };
  auto const frames = fragments_of(udp_frame("here is a secret word for you"), {8});
  EXPECT_THAT(sids_of(frames[0]), testing::IsEmpty());
  EXPECT_THAT(sids_of(frames[1]), testing::UnorderedElementsAre(1, 2));
  EXPECT_THAT(sids_of(udp_frame("a secret")), testing::ElementsAre(3));
}

TEST(fragments, of_eight_bytes_are_put_together) {
  std::vector<std::size_t> places;
  auto const whole = udp_frame("here is a secret word for you");
  for (std::size_t at = 8; at < whole.size() - 34; at += 8) places.push_back(at);
  EXPECT_EQ(see(fragments_of(whole, places)).alerts, 1U);
}

TEST(fragments, that_come_twice_count_once) {
  auto frames = fragments_of(udp_frame("here is a secret word for you"), {16});
  frames.insert(frames.begin(), frames.front());
  auto const seen = see(frames);
  EXPECT_EQ(seen.alerts, 1U);
  EXPECT_EQ(seen.counts, (fragment_counts{.datagrams = 1, .repeated = 1}));
}

// Hosts differ in the bytes that they take: the control plane drops such a datagram, too.
TEST(fragments, that_overlap_give_up_their_datagram) {
  auto const whole = udp_frame("here is a secret word for you");
  auto frames = fragments_of(whole, {16});
  auto const others = fragments_of(whole, {8});
  frames.insert(frames.begin() + 1, others.back());
  auto const seen = see(frames);
  EXPECT_EQ(seen.alerts, 0U);
  EXPECT_EQ(seen.counts, (fragment_counts{.unsound = 1, .given_up = 1}));
}

TEST(fragments, of_one_place_with_other_bytes_give_up_their_datagram) {
  auto frames = fragments_of(udp_frame("here is a secret word for you"), {16});
  auto const others = fragments_of(udp_frame("nothing is told here, not at all"), {16});
  for (auto const n : {0U, 1U}) {
    auto both = frames;
    both.insert(both.begin(), others[n]);
    auto const seen = see({both[0], both[n + 1], both[2 - n]});
    EXPECT_EQ(seen.alerts, 0U);
    EXPECT_EQ(seen.counts, (fragment_counts{.unsound = 1, .given_up = 1})) << n;
  }
}

TEST(fragments, that_come_too_late_complete_nothing) {
  auto const seen = see(fragments_of(udp_frame("here is a secret word for you"), {16}), fragment_table::timeout + 1);
  EXPECT_EQ(seen.alerts, 0U);
  EXPECT_EQ(seen.counts, (fragment_counts{.given_up = 1}));
}

// The frame of IP's longest datagram is 14 bytes longer than the longest frame that is parsed.
TEST(fragments, of_the_longest_datagram_are_put_together_as_far_as_a_frame_goes) {
  constexpr std::size_t longest = 65'535;
  auto payload = "a secret word" + std::string(longest - 20 - 8 - 13, 'x');
  std::vector<std::size_t> places;
  for (std::size_t at = 1480; at < longest - 20; at += 1480) places.push_back(at);
  auto const seen = see(fragments_of(udp_frame(payload), places));
  EXPECT_EQ(seen.alerts, 1U);
  EXPECT_EQ(seen.counts, (fragment_counts{.datagrams = 1, .cut_short = 1}));
  // The longest frame that is parsed whole.
  payload.resize(longest - 20 - 8 - 14);
  EXPECT_EQ(see(fragments_of(udp_frame(payload), places)).counts, (fragment_counts{.datagrams = 1}));
}

TEST(fragments, beyond_what_ip_counts_belong_to_no_datagram) {
  auto frames = fragments_of(udp_frame("here is a secret word for you"), {16});
  ipv4_view const ip{frames[1].data() + 14};
  constexpr unsigned last_place = 0x1fff;
  ip.set_fragment_word(last_place);
  ip.fill_checksum();
  EXPECT_EQ(see(frames).counts, (fragment_counts{.unsound = 1}));
}

// An IPv4 header with a wrong checksum, or a segment with one: no host has these bytes.
TEST(fragments, with_wrong_checksums_belong_to_no_datagram_if_they_are_verified) {
  auto const rules = rules_of("alert udp any any -> any 53 (content:\"a secret word\"; sid:1;)\n");
  auto const compiled = compile_rules(rules);
  inspector one{compiled,
                rules.rules.size(),
                hash_key{1, 3},
                {.flows = 8, .rates = 8, .checksums = wire::checksum_handling::verify}};
  auto const frames = fragments_of(udp_frame("here is a secret word for you"), {16});
  auto forged = fragments_of(udp_frame("nothing is told here, not at all"), {8})[1];
  forged[14 + 10] ^= std::byte{1};
  std::size_t alerts = 0;
  for (auto const& frame : {frames[0], forged, frames[1]})
    alerts += one.inspect(frame, static_cast<std::uint32_t>(frame.size()), 1).size();
  EXPECT_EQ(alerts, 1U);
  EXPECT_EQ(one.fragments().counts(), (fragment_counts{.datagrams = 1}));
}

TEST(fragments, with_an_uneven_length_belong_to_no_datagram) {
  auto const seen = see(fragments_of(udp_frame("here is a secret word for you"), {13}));
  EXPECT_EQ(seen.alerts, 0U);
  EXPECT_EQ(seen.counts.unsound, 1U);
}

TEST(fragments, of_more_datagrams_than_the_bound_give_up_the_oldest) {
  std::vector<test::bytes> frames;
  auto const first = fragments_of(udp_frame("here is a secret word for you"), {16});
  frames.push_back(first[0]);
  for (std::size_t i = 0; i < fragment_table::most_datagrams; ++i) {
    auto other = first[0];
    ipv4_view const ip{other.data() + 14};
    ip.set_identification(static_cast<std::uint16_t>(1000 + i));
    ip.fill_checksum();
    frames.push_back(std::move(other));
  }
  frames.push_back(first[1]);
  auto const seen = see(frames);
  EXPECT_EQ(seen.alerts, 0U);
  EXPECT_EQ(seen.counts.given_up, 2U);  // the oldest, and the next one for the last fragment
}

// The two fragments of an IPv6 datagram with "a secret word", whose own headers name these protocols.
[[nodiscard]] std::vector<test::bytes> fragments_of_ipv6(unsigned in_first, unsigned in_last) {
  std::string const payload = "here is a secret word for you";
  auto const* bytes = reinterpret_cast<std::byte const*>(payload.data());
  auto const whole = test::packet_builder{}
                         .eth()
                         .ipv6("2001:db8::1", "2001:db8::2")
                         .udp(4000, 53)
                         .payload(test::bytes{bytes, bytes + payload.size()})
                         .build();
  constexpr std::size_t head = 14 + 40;
  std::vector<test::bytes> frames;
  for (auto const& [begin, end, more] :
       {std::tuple{std::size_t{0}, std::size_t{16}, 1U}, std::tuple{std::size_t{16}, whole.size() - head, 0U}}) {
    test::bytes one{whole.begin(), whole.begin() + head};
    one[14 + 6] = std::byte{44};
    auto const length = end - begin + 8;
    one[14 + 5] = static_cast<std::byte>(length);
    auto const offset = static_cast<unsigned>(begin) | more;
    for (unsigned const byte : {begin == 0 ? in_first : in_last, 0U, offset >> 8, offset & 0xffU, 0U, 0U, 0U, 9U})
      one.push_back(static_cast<std::byte>(byte));
    one.insert(one.end(), whole.begin() + static_cast<std::ptrdiff_t>(head + begin),
               whole.begin() + static_cast<std::ptrdiff_t>(head + end));
    frames.push_back(std::move(one));
  }
  return frames;
}

TEST(fragments, of_ipv6_are_put_together) {
  auto const seen = see(fragments_of_ipv6(17, 17));
  EXPECT_EQ(seen.alerts, 1U);
  EXPECT_EQ(seen.counts, (fragment_counts{.datagrams = 1}));
}

// Receivers take that of the first one (RFC 8200, 4.5).
TEST(fragments, of_ipv6_may_differ_in_their_next_header) {
  for (unsigned const other : {60U, 6U, 44U, 59U}) {
    auto frames = fragments_of_ipv6(17, other);
    for (auto const* order : {"in order", "the last one first"}) {
      auto const seen = see(frames);
      EXPECT_EQ(seen.alerts, 1U) << other << ' ' << order;
      EXPECT_EQ(seen.counts, (fragment_counts{.datagrams = 1})) << other << ' ' << order;
      std::swap(frames.front(), frames.back());
    }
    EXPECT_EQ(see(fragments_of_ipv6(other, 17)).alerts, 0U) << "a datagram of another protocol: " << other;
  }
}

}  // namespace
}  // namespace packetwarp::inspect
