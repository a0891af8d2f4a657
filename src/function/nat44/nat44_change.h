// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "function/nat44/address_words.h"
#include "function/nat44/nat44_config.h"
#include "function/nat44/nat44_layout.h"

namespace packetwarp::nat {

// The positions of addresses in a NAT44's tables, as their owner knows them.
struct assignment {
  // The position of an outside address. An address out of use may still have sessions that have to end.
  struct position {
    wire::ipv4_address address;
    bool was_used{};
    bool is_used{};
    std::uint32_t gift{gift_to_none};  // the hosts whose sessions get its ports
  };
  std::vector<position> outside;
  std::vector<std::uint32_t> givers;  // positions, in the pool's order
  std::vector<std::optional<nat44_config::static_address>> statics;
  std::vector<std::optional<nat44_config::port_forward>> forwards;
  address_words outside_map;
  address_words static_map;

  explicit assignment(layout const& of, nat44_config const& config);
};

// Bytes to write into tables, in this order.
class table_writes {
 public:
  template <class T>
  void add(std::size_t offset, T const& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    auto const bytes = std::as_bytes(std::span{&value, 1});
    all_.push_back({offset, {bytes.begin(), bytes.end()}});
  }
  // carry_out: takes an offset and bytes.
  template <class CarryOut>
  void for_each(CarryOut&& carry_out) const {
    for (auto const& one : all_) carry_out(one.offset, std::span<std::byte const>{one.bytes});
  }

 private:
  struct one_write {
    std::size_t offset;
    std::vector<std::byte> bytes;
  };
  std::vector<one_write> all_;
};

// A planned change of the config of tables that packets go through.
struct change {
  nat44_config config;
  assignment after;
  table_writes first;  // words that no other word leads to yet
  table_writes then;   // words that lead to them
};

// Plans how tables of `now` become tables of `wanted`: pool, static addresses, port forwards, time-outs, filtering,
// pooling, per_host, per_prefix, unmatched; the rest of `wanted` is ignored. Existing sessions stay where the pool has
// their address; other sessions end, and so do sessions that stand in a port forward's way. is_vacant: whether a
// position that was in use has no session left. Throws usage_error for a config that makes no sense or has no room.
[[nodiscard]] change plan_change(layout const& of, nat44_config const& now, assignment const& has,
                                 nat44_config const& wanted, std::function<bool(std::uint32_t)> const& is_vacant);

}  // namespace packetwarp::nat
