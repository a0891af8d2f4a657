// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/stream/heard_connection.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <span>
#include <vector>

#include "wire/tcp.h"

namespace packetwarp::inspect {
namespace {

using namespace wire::tcp_flag;

constexpr std::uint32_t client_first = 0xffff'fff0;  // the client's numbers wrap around soon
constexpr std::uint32_t server_first = 0x7fff'fff0;
constexpr std::uint32_t client_time = 0xffff'fffa;
constexpr std::uint32_t server_time = 500;

// A connection after its handshake. Numbers of segments count from each side's first byte.
class heard : public testing::Test {
 protected:
  struct segment {
    std::uint32_t number{};
    std::uint32_t size{};
    std::uint32_t acknowledged{};
    segment_signs signs{};
    unsigned flags{psh | ack};
  };
  // The options of SYN and SYN-ACK.
  struct offer {
    bool has_scale{};
    std::uint8_t scale{};
    bool has_times{};
  };

  void shake_hands(offer client, offer server, std::uint16_t window = 1000) {
    all_ = {};
    all_.ask(0, packet_of(0, {.number = ~0U, .flags = syn}), signs_by(client, client_time, 0, window));
    answer(client, server, window);
  }
  void answer(offer client, offer server, std::uint16_t window = 1000) {
    auto const echoed = client.has_times ? client_time : 0;
    all_.begin(1, packet_of(1, {.number = ~0U, .flags = syn | ack}), signs_by(server, server_time, echoed, window));
  }
  [[nodiscard]] static segment_signs signs_by(offer made, std::uint32_t sent_at, std::uint32_t echoed,
                                              std::uint16_t window) {
    return {.sent_at = made.has_times ? sent_at : 0,
            .echoed = echoed,
            .window = window,
            .scale = made.scale,
            .has_times = made.has_times,
            .has_scale = made.has_scale};
  }
  [[nodiscard]] static segment_signs at(std::uint32_t sent_at, std::uint32_t echoed = 0, std::uint16_t window = 1000) {
    return {.sent_at = sent_at, .echoed = echoed, .window = window, .has_times = true, .form = option_form::times};
  }
  [[nodiscard]] static segment_signs with_window(std::uint16_t window) { return {.window = window}; }

  [[nodiscard]] static inspected_packet packet_of(unsigned side, segment const& of) {
    std::uint32_t const first[] = {client_first, server_first};
    inspected_packet made;
    made.sequence = first[side] + of.number;
    made.acknowledgment = first[1 - side] + of.acknowledged;
    made.payload_length = made.payload_size = of.size;
    made.tcp_flags = static_cast<std::uint8_t>(of.flags);
    return made;
  }
  // Whether the side's segment is doubted. The side's stream has this many bytes.
  bool see(unsigned side, segment const& of, std::uint32_t stream) {
    std::uint32_t const first[] = {client_first, server_first};
    auto const packet = packet_of(side, of);
    bool const is_doubted = all_.doubts(side, packet, of.signs, first[side] + stream);
    all_.note_sent(side, packet);
    if (!is_doubted) all_.hear(side, packet, of.signs, first[side] + stream);
    return is_doubted;
  }

  heard_connection all_{};
};

TEST_F(heard, bytes_that_were_never_sent_are_not_acknowledged) {
  shake_hands({}, {});
  EXPECT_TRUE(see(0, {.size = 10, .acknowledged = 1}, 0));
  EXPECT_FALSE(see(1, {.size = 100}, 0));
  EXPECT_FALSE(see(0, {.size = 10, .acknowledged = 100}, 0));
  EXPECT_TRUE(see(0, {.number = 10, .size = 10, .acknowledged = 101}, 10));
  EXPECT_FALSE(see(1, {.number = 100, .acknowledged = 10, .flags = fin | ack}, 100));
  EXPECT_FALSE(see(0, {.number = 10, .size = 10, .acknowledged = 101}, 10)) << "the FIN counts";
  EXPECT_TRUE(see(0, {.number = 20, .size = 10, .acknowledged = 102}, 20));
  EXPECT_TRUE(see(0, {.number = 20, .size = 10, .acknowledged = 0x8000'0000}, 20));
}

TEST_F(heard, segments_far_beyond_a_window_were_not_sent) {
  shake_hands({}, {});
  EXPECT_FALSE(see(1, {.number = 0x7fff'0000, .size = 100}, 0));
  EXPECT_FALSE(see(1, {.number = 0xc000'0000, .size = 100}, 0));
  EXPECT_FALSE(see(0, {.size = 10}, 0));
  EXPECT_TRUE(see(0, {.number = 10, .size = 10, .acknowledged = 1}, 10));
}

TEST_F(heard, acknowledgments_older_than_a_window_are_doubted) {
  shake_hands({}, {});
  EXPECT_TRUE(see(0, {.size = 10, .acknowledged = ~0U}, 0)) << "before the server's first byte";
  EXPECT_FALSE(see(1, {.size = 5000}, 0));
  EXPECT_FALSE(see(0, {.size = 10, .acknowledged = 5000, .signs = with_window(1000)}, 0));
  EXPECT_FALSE(see(0, {.number = 10, .size = 10, .acknowledged = 4000, .signs = with_window(900)}, 10));
  EXPECT_TRUE(see(0, {.number = 20, .size = 10, .acknowledged = 3999, .signs = with_window(900)}, 20));
  EXPECT_TRUE(see(0, {.number = 20, .size = 10, .acknowledged = 0x8000'0000, .signs = with_window(900)}, 20));
  EXPECT_FALSE(see(0, {.number = 20, .size = 10, .acknowledged = 5000, .signs = with_window(2000)}, 20));
  EXPECT_FALSE(see(0, {.number = 30, .size = 10, .acknowledged = 3999, .signs = with_window(900)}, 30));
}

// Linux takes such a segment as it has predicted it, but has no memory ready for the first one.
TEST_F(heard, predicted_segments_may_have_an_old_acknowledgment) {
  shake_hands({}, {});
  EXPECT_FALSE(see(0, {.signs = with_window(1000), .flags = ack}, 0));
  segment of{.size = 10, .acknowledged = ~0U, .signs = with_window(1000)};
  EXPECT_TRUE(see(0, of, 0)) << "the first one";
  EXPECT_FALSE(see(0, {.size = 10, .signs = with_window(1000)}, 0));
  of.number = 10;
  EXPECT_FALSE(see(0, of, 10));
  EXPECT_TRUE(see(0, of, 9)) << "not the next one";
  of.flags = fin | ack;
  EXPECT_TRUE(see(0, of, 10));
  of.flags = ack;
  of.signs.form = option_form::other;
  EXPECT_TRUE(see(0, of, 10));
  of.signs = with_window(999);
  EXPECT_TRUE(see(0, of, 10));
}

TEST_F(heard, windows_have_a_scale_if_both_sides_offer_it) {
  struct {
    offer client;
    offer server;
    bool is_doubted;
  } const cases[] = {{{true, 4, false}, {true, 0, false}, false},
                     {{true, 4, false}, {}, true},
                     {{}, {true, 4, false}, true},
                     {{true, 14, false}, {true, 1, false}, false}};
  for (auto const& one : cases) {
    shake_hands(one.client, one.server);
    EXPECT_FALSE(see(1, {.size = 20'000}, 0));
    EXPECT_FALSE(see(0, {.acknowledged = 20'000, .signs = with_window(1000), .flags = ack}, 0));
    EXPECT_EQ(see(0, {.size = 10, .acknowledged = 4000, .signs = with_window(900)}, 0), one.is_doubted);
  }
}

TEST_F(heard, without_its_syn_a_client_may_have_any_scale_and_no_times) {
  answer({}, {true, 7, true});
  EXPECT_FALSE(see(1, {.size = 20'000}, 0));
  EXPECT_FALSE(see(0, {.acknowledged = 20'000, .signs = at(1000), .flags = ack}, 0));
  EXPECT_FALSE(see(0, {.size = 10, .acknowledged = 0, .signs = at(7)}, 0));
}

TEST_F(heard, an_old_time_is_doubted_but_for_a_tick) {
  shake_hands({false, 0, true}, {false, 0, true});
  EXPECT_TRUE(see(0, {.size = 10, .signs = at(client_time - 2)}, 0));
  EXPECT_TRUE(see(0, {.size = 10, .signs = at(client_time + 0x8000'0000)}, 0));
  EXPECT_FALSE(see(0, {.size = 10, .signs = at(client_time - 1)}, 0));
  EXPECT_FALSE(see(0, {.number = 10, .size = 10}, 10)) << "no timestamps";
  EXPECT_FALSE(see(1, {.acknowledged = 20, .signs = at(server_time), .flags = ack}, 0));
  EXPECT_FALSE(see(0, {.number = 20, .size = 10, .signs = at(client_time + 20)}, 20)) << "the time wraps around";
  EXPECT_TRUE(see(0, {.number = 30, .size = 10, .signs = at(client_time + 18)}, 30));
  EXPECT_TRUE(see(1, {.size = 10, .acknowledged = 30, .signs = at(server_time - 2)}, 0));
}

TEST_F(heard, times_are_compared_if_both_sides_offer_them) {
  for (bool const is_client : {false, true}) {
    shake_hands({false, 0, is_client}, {false, 0, !is_client});
    EXPECT_FALSE(see(0, {.size = 10, .signs = at(1000)}, 0));
    EXPECT_FALSE(see(0, {.number = 10, .size = 10, .signs = at(7)}, 10));
  }
}

TEST_F(heard, a_time_counts_once_the_bytes_before_it_are_acknowledged) {
  shake_hands({false, 0, true}, {false, 0, true});
  EXPECT_FALSE(see(0, {.size = 10, .signs = at(client_time + 10)}, 0));
  EXPECT_FALSE(see(0, {.number = 10, .size = 10, .signs = at(client_time + 20)}, 10)) << "before an acknowledgment";
  EXPECT_FALSE(see(0, {.number = 20, .size = 10, .signs = at(client_time + 15)}, 20));
  EXPECT_TRUE(see(0, {.number = 30, .size = 10, .signs = at(client_time + 8)}, 30));
  EXPECT_FALSE(see(1, {.acknowledged = 20, .signs = at(server_time, client_time + 20), .flags = ack}, 0));
  EXPECT_TRUE(see(0, {.number = 30, .size = 10, .signs = at(client_time + 18)}, 30)) << "the server says so";
}

TEST_F(heard, an_echo_of_a_time_that_was_not_sent_proves_nothing) {
  shake_hands({false, 0, true}, {false, 0, true});
  EXPECT_FALSE(see(0, {.size = 10, .signs = at(client_time + 10)}, 0));
  EXPECT_FALSE(see(1, {.acknowledged = 10, .signs = at(server_time, client_time + 1000), .flags = ack}, 0));
  EXPECT_FALSE(see(0, {.number = 10, .size = 10, .signs = at(client_time + 20)}, 10));
}

TEST_F(heard, segments_outside_of_the_window_tell_nothing) {
  shake_hands({false, 0, true}, {false, 0, true});
  EXPECT_FALSE(see(1, {.size = 5000, .signs = at(server_time)}, 0));
  EXPECT_FALSE(see(0, {.number = 1001, .size = 10, .acknowledged = 5000, .signs = at(client_time + 99, 0, 9999)}, 0));
  EXPECT_FALSE(see(0, {.number = ~0U, .acknowledged = 5000, .signs = at(client_time + 99, 0, 9999), .flags = ack}, 0));
  EXPECT_FALSE(see(0, {.size = 10, .acknowledged = 0, .signs = at(client_time)}, 0));
}

TEST_F(heard, a_time_of_zero_is_none) {
  shake_hands({false, 0, true}, {false, 0, true});
  all_.sides[0].recent = all_.sides[0].latest = 0;
  EXPECT_FALSE(see(0, {.size = 10, .signs = at(0x9000'0000)}, 0));
  EXPECT_TRUE(see(0, {.number = 10, .size = 10, .signs = at(0x8fff'fff0)}, 10));
}

TEST_F(heard, syns_that_are_sent_again_change_nothing) {
  shake_hands({true, 0, true}, {true, 0, true});
  auto const before = all_.sides[0].scale;
  all_.ask(0, packet_of(0, {.number = ~0U, .flags = syn}), signs_by({true, 14, false}, 7, 0, 60'000));
  answer({true, 0, true}, {true, 0, true});
  EXPECT_EQ(all_.sides[0].scale, before);
  EXPECT_EQ(all_.has_times, 1U);
}

// A header with these options, which are filled up to four bytes, and a window of 0x1234.
std::vector<std::byte> header_with(std::vector<unsigned> options) {
  while (options.size() % 4 != 0) options.push_back(0);
  std::vector<unsigned> all(20);
  all[12] = static_cast<unsigned>(20 + options.size()) / 4 << 4;
  all[14] = 0x12;
  all[15] = 0x34;
  all.insert(all.end(), options.begin(), options.end());
  std::vector<std::byte> made;
  for (auto const value : all) made.push_back(static_cast<std::byte>(value));
  return made;
}

TEST(segment_signs, options_are_read_as_linux_reads_them) {
  auto const syn_options = signs_of(header_with({2, 4, 5, 0xb4, 1, 3, 3, 7, 8, 10, 0, 0, 1, 2, 0xff, 0, 0, 9}));
  EXPECT_EQ(syn_options.window, 0x1234);
  EXPECT_TRUE(syn_options.has_scale && syn_options.has_times);
  EXPECT_EQ(syn_options.scale, 7);
  EXPECT_EQ(syn_options.sent_at, 0x102U);
  EXPECT_EQ(syn_options.echoed, 0xff00'0009);
  EXPECT_EQ(syn_options.form, option_form::other);
  EXPECT_EQ(signs_of(header_with({})).form, option_form::none);
  EXPECT_EQ(signs_of(header_with({1, 1, 8, 10, 0, 0, 0, 1, 0, 0, 0, 2})).form, option_form::times);
  EXPECT_EQ(signs_of(header_with({8, 10, 0, 0, 0, 1, 0, 0, 0, 2})).form, option_form::other);
  EXPECT_EQ(signs_of(header_with({3, 3, 200})).scale, 14) << "the largest one";
}

TEST(segment_signs, options_end_with_one_that_does_not_fit) {
  std::vector<unsigned> const cases[] = {{0, 3, 3, 7}, {5, 1, 3, 3, 7, 1, 1}, {5, 0, 3, 3, 7}, {5, 60, 3, 3}};
  for (auto const& options : cases) EXPECT_FALSE(signs_of(header_with(options)).has_scale);
  EXPECT_FALSE(signs_of(header_with({3, 4, 7, 7})).has_scale);
  EXPECT_FALSE(signs_of(header_with({8, 9, 0, 0, 0, 1, 0, 0, 0, 2, 1, 1})).has_times);
  EXPECT_FALSE(signs_of(header_with({1, 1, 1, 8})).has_times);
  auto const cut = header_with({3, 3, 7});
  for (std::size_t size = 0; size < cut.size(); ++size) EXPECT_EQ(signs_of(std::span{cut}.first(size)).window, 0);
}

}  // namespace
}  // namespace packetwarp::inspect
