// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "function/router/neighbour.h"
#include "function/router/router_ref.h"
#include "function/router/shared_array.h"
#include "memory/table_memory.h"
#include "wire/address.h"

namespace packetwarp {

// The owner of the next hops that an executor reads: some that are always there, and one for each neighbour that a
// route leads by, or whose MAC address is known. One thread changes it.
class next_hop_table {
 public:
  // An interface as its neighbours' next hops need it.
  struct link {
    interface_index interface {};
    wire::mac_address mac;
    std::uint16_t mtu{};
  };

  // Indexes below `fixed` are the caller's; there is room for so many neighbours behind them.
  next_hop_table(table_place copy, std::uint32_t fixed, std::uint32_t neighbours);

  void set_fixed(std::uint32_t index, next_hop_kind kind, link const& by);

  // A neighbour's index, once more in use by a route or by who knows its MAC address. Nothing: no room.
  [[nodiscard]] std::optional<std::uint32_t> hold(neighbour_key const& neighbour, link const& by);
  void hold(std::uint32_t index) { ++uses_[index].count; }
  // One use less; after the last one the index is given up. Of no effect on those that are always there.
  void release(std::uint32_t index);

  // Of the neighbours that there is room for; those that nothing leads to any more are among them until reclaim().
  [[nodiscard]] std::size_t in_use() const { return uses_.size() - fixed_ - free_.size(); }
  [[nodiscard]] std::optional<std::uint32_t> find(neighbour_key const& neighbour) const;
  // Of an index in use.
  [[nodiscard]] neighbour_key const& neighbour(std::uint32_t index) const { return uses_[index].neighbour; }
  [[nodiscard]] next_hop operator[](std::uint32_t index) const;
  // Zero for one that is not known. Executors see the old address or the new one.
  void set_mac(std::uint32_t index, wire::mac_address const& mac);

  [[nodiscard]] next_hop const* host() const { return reinterpret_cast<next_hop const*>(words_.host()); }
  [[nodiscard]] next_hop const* copy() const { return reinterpret_cast<next_hop const*>(words_.copy()); }
  // As in lpm_table.
  void commit();
  void mark() { marked_ = settled_.size(); }
  void reclaim();
  void abandon() { words_.abandon(); }

 private:
  struct use {
    neighbour_key neighbour;
    std::size_t count{};
  };
  void store(std::uint32_t index, next_hop_kind kind, link const& by);

  std::uint32_t fixed_;
  shared_array<std::uint64_t> words_;  // two a next hop
  std::map<neighbour_key, std::uint32_t, neighbour_less> by_neighbour_;
  std::vector<use> uses_;            // by index
  std::vector<std::uint32_t> free_;  // indexes
  std::vector<std::uint32_t> left_;
  std::vector<std::uint32_t> settled_;
  std::size_t marked_{~std::size_t{0}};  // of those, at mark()
};

}  // namespace packetwarp
