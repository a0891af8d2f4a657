// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "function/nat44/nat44_bed.h"
#include "function/nat44/packet/translate.h"
#include "function/nat44/session/find_session.h"

// Attacks on the resources that sessions share, while a stranger's flows go on. Both are inside; the attacker may forge
// its address.
namespace packetwarp::test::nat44_exhaustion_tests {

// The defaults of run, and one outside address.
inline nat44_config by_default() {
  auto made = small_nat();
  made.per_host = made.per_prefix = nat44_config::by_default;
  made.sessions = 65536;
  return made;
}

class nat44_exhaustion : public testing::Test {
 protected:
  void begin(nat44_config const& config) {
    table_.emplace(config);
    table_->tick(0);
  }
  [[nodiscard]] nat44_ref tables() { return table_->cpu(); }

  // A packet of a host's that leaves, to a server.
  nat::fault send(nat::transport kind, nat::endpoint from, std::uint8_t flags = syn,
                  std::string_view to = "192.0.2.9") {
    auto const outward =
        nat::translate_source(tables(), flow_of(kind, from, at(to, 443), flags), static_cast<std::uint32_t>(outside));
    last_ = outward.to;
    return outward.wrong;
  }
  // The server's answer to the last one.
  nat::fault answer(nat::transport kind, std::string_view from = "192.0.2.9") {
    auto const where = tables().outside_addresses.find(last_.address);
    auto const flow = flow_of(kind, at(from, 443), last_, syn_ack);
    auto const inward = nat::translate_destination(tables(), flow, where, nat::filter_turn::at_once);
    if (inward.wrong == nat::fault::none) nat::track_inward(tables(), flow, inward.found, flow.source);
    return inward.wrong;
  }
  // Opens a stranger's flow: it begins, is answered, and is remembered.
  bool open(nat::transport kind) {
    nat::endpoint const host{ipv4("172.16.0.2"), static_cast<std::uint16_t>(10'000 + strangers_.size())};
    if (send(kind, host) != nat::fault::none || answer(kind) != nat::fault::none) return false;
    strangers_.push_back({kind, host, last_});
    return true;
  }
  // The number of open flows that still have the same outside endpoint.
  [[nodiscard]] std::size_t still_there() {
    std::size_t all = 0;
    for (auto const& one : strangers_) {
      all += send(one.kind, one.inside, ack) == nat::fault::none && last_ == one.outside;
    }
    return all;
  }
  // Sends `count` packets of the attacker's, each from the endpoint that `from` gives; among them a stranger begins
  // flows. Returns the fates of the attacker's packets.
  template <class From>
  std::map<nat::fault, unsigned> flood(unsigned packets, nat::transport kind, From&& from) {
    std::map<nat::fault, unsigned> became;
    for (unsigned n = 0; n < packets; ++n) {
      ++became[send(kind, from(n))];
      if (n % 1000 != 999) continue;
      asked_ += 2;
      opened_ += open(nat::transport::tcp);
      opened_ += open(nat::transport::udp);
    }
    return became;
  }
  // The sessions that live, of inside hosts with this prefix and of one protocol, or of all.
  [[nodiscard]] unsigned living(std::string_view network, unsigned length,
                                std::optional<nat::transport> kind = std::nullopt) {
    auto const mask = ~std::uint32_t{0} << (32 - length);
    unsigned all = 0;
    for (std::uint32_t number = 1; number < tables().rare->first_forward; ++number) {
      auto const& held = tables().sessions[number];
      bool const is_in = (nat::endpoint_of(held.inside).address.number & mask) == ipv4(network).number;
      bool const is_of = !kind || nat::transport_of(held.inside) == *kind;
      all += nat::life{held.life}.is_live() && is_in && is_of;
    }
    return all;
  }
  void expect_strangers_unharmed() {
    EXPECT_GE(opened_ * 100, asked_ * 95);
    EXPECT_EQ(still_there(), strangers_.size());
  }

  static nat::flow flow_of(nat::transport kind, nat::endpoint from, nat::endpoint to, std::uint8_t flags) {
    nat::flow made{.source = from, .destination = to};
    made.kind = kind;
    made.held_by = kind == nat::transport::tcp ? nat::carrier::tcp : nat::carrier::udp;
    made.tcp_flags = flags;
    return made;
  }

  static constexpr std::uint8_t syn = 0x02, ack = 0x10, syn_ack = 0x12;
  struct stranger {
    nat::transport kind;
    nat::endpoint inside;
    nat::endpoint outside;
  };
  std::optional<nat44_table> table_;
  nat::endpoint last_;
  std::vector<stranger> strangers_;
  unsigned asked_{};
  unsigned opened_{};
};

inline nat::endpoint one_host(unsigned n) { return {ipv4("10.0.0.66"), static_cast<std::uint16_t>(1 + n % 65535)}; }
inline nat::endpoint one_network(unsigned n) {
  return {{ipv4("10.0.0.0").number + n % 256}, static_cast<std::uint16_t>(1 + n / 256)};
}
inline nat::endpoint anywhere(unsigned n) { return {{ipv4("10.0.0.0").number + n * 263}, 4000}; }

}  // namespace packetwarp::test::nat44_exhaustion_tests
