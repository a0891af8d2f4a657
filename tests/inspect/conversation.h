// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "fixtures/packet_builder.h"
#include "inspect/made_rules.h"
#include "inspect/packet/inspector.h"
#include "wire/tcp.h"

namespace packetwarp::inspect {

// A TCP connection after its handshake, whose segments an inspector with these rules sees.
class conversation {
 public:
  explicit conversation(std::string const& text, inspector_sizes sizes = {.flows = 1024, .rates = 1024})
      : rules_{rules_of(text)},
        compiled_{compile_rules(rules_)},
        inspector_{std::make_unique<inspector>(compiled_, rules_.rules.size(), flow_key, sizes)} {
    EXPECT_TRUE(rules_.problems.empty()) << rules_.problems.front();
    begin();
  }

  void begin(unsigned port = 4000) {
    using namespace wire::tcp_flag;
    use_port(port);
    (void)see(0, 0xffff'ffff, {}, syn);
    (void)see(1, 0xffff'ffff, {}, syn | ack);
    (void)see(0, 0, {}, ack);
  }

  // The server sends no more, and acknowledges nothing.
  std::vector<std::uint32_t> server_ends() {
    return see(1, static_cast<std::uint32_t>(next_[1]), {}, wire::tcp_flag::fin | wire::tcp_flag::ack);
  }
  // The client has received these bytes of the server.
  std::vector<std::uint32_t> client_acknowledges(std::uint32_t position) {
    return see(0, static_cast<std::uint32_t>(next_[0]), {}, wire::tcp_flag::ack, position);
  }
  // The connection ends at once, by a segment of the client that may have data.
  std::vector<std::uint32_t> reset(std::string const& payload = {}) {
    return see(0, static_cast<std::uint32_t>(next_[0]), payload, wire::tcp_flag::rst);
  }

  // The sids of the alerts of the side's next segment.
  std::vector<std::uint32_t> client(std::string const& payload) { return next(0, payload); }
  std::vector<std::uint32_t> server(std::string const& payload) { return next(1, payload); }
  // The same of a segment at this position of the side's bytes.
  std::vector<std::uint32_t> client_at(std::uint32_t position, std::string const& payload) {
    return see(0, position, payload);
  }
  std::vector<std::uint32_t> server_at(std::uint32_t position, std::string const& payload) {
    return see(1, position, payload);
  }
  std::vector<std::uint32_t> server_acknowledges(std::uint32_t position) {
    return see(1, static_cast<std::uint32_t>(next_[1]), {}, wire::tcp_flag::ack, position);
  }
  // The next segments are of this port of the client, whose connection has not begun.
  void use_port(unsigned port) {
    port_ = port;
    next_[0] = next_[1] = 0;
  }
  // The next segments have these timestamps, TSval and TSecr.
  void stamp(std::uint32_t sent_at, std::uint32_t echoed) {
    options_.clear();
    for (unsigned const byte : {1U, 1U, 8U, 10U}) options_.push_back(static_cast<std::byte>(byte));
    for (auto const time : {sent_at, echoed})
      for (unsigned const shift : {24U, 16U, 8U, 0U}) options_.push_back(static_cast<std::byte>(time >> shift));
  }
  // 0: as before. Checksums are wrong with another one.
  void offer_window(unsigned window) { window_ = window; }
  // The same of any segment.
  std::vector<std::uint32_t> see(unsigned side, std::uint32_t position, std::string const& payload,
                                 unsigned flags = wire::tcp_flag::psh | wire::tcp_flag::ack,
                                 std::uint32_t acknowledged = 0) {
    auto const* bytes = reinterpret_cast<std::byte const*>(payload.data());
    auto builder = test::packet_builder{}.eth();
    if (side == 0) {
      builder.ipv4("10.0.0.1", "10.0.0.2").tcp(port_, 80, flags, options_);
    } else {
      builder.ipv4("10.0.0.2", "10.0.0.1").tcp(80, port_, flags, options_);
    }
    builder.numbers(first_number + position, first_number + acknowledged);
    auto frame = builder.payload(test::bytes{bytes, bytes + payload.size()}).build();
    constexpr std::size_t tcp_at = 14 + 20;
    if (window_ != 0) {
      frame[tcp_at + 14] = static_cast<std::byte>(window_ >> 8);
      frame[tcp_at + 15] = static_cast<std::byte>(window_);
    }
    if (has_wrong_checksum_) frame[tcp_at + 16] ^= std::byte{1};
    return sids_of(inspector_->inspect(frame, static_cast<std::uint32_t>(frame.size()), ++time_));
  }
  // No segment follows.
  std::vector<std::uint32_t> finish() { return sids_of(inspector_->finish()); }
  // The sids of the alerts of a segment with a wrong checksum, which its receiver drops.
  std::vector<std::uint32_t> damaged(unsigned side, std::uint32_t position, std::string const& payload,
                                     unsigned flags = wire::tcp_flag::psh | wire::tcp_flag::ack) {
    has_wrong_checksum_ = true;
    auto const sids = see(side, position, payload, flags);
    has_wrong_checksum_ = false;
    return sids;
  }
  [[nodiscard]] inspector const& state() const { return *inspector_; }

 private:
  static constexpr hash_key flow_key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};
  static constexpr std::uint32_t first_number = 0xffff'fff0;  // numbers wrap around soon

  [[nodiscard]] std::vector<std::uint32_t> sids_of(std::vector<inspect_alert> const& alerts) const {
    std::vector<std::uint32_t> sids;
    for (auto const& alert : alerts) sids.push_back(rules_.rules[alert.rule].sid);
    return sids;
  }
  std::vector<std::uint32_t> next(unsigned side, std::string const& payload) {
    auto const position = static_cast<std::uint32_t>(next_[side]);
    next_[side] += payload.size();
    return see(side, position, payload);
  }
  rule_set rules_;
  ruleset compiled_;
  std::unique_ptr<inspector> inspector_;
  unsigned port_{};
  std::size_t next_[2]{};
  bool has_wrong_checksum_{};
  test::bytes options_{};
  unsigned window_{};  // 0: as in frames by default
  std::uint64_t time_{1'700'000'000'000'000'000};
};

}  // namespace packetwarp::inspect
