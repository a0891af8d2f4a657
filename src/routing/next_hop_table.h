// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "address/interface_index.h"
#include "address/neighbour.h"
#include "memory/table_memory.h"
#include "routing/router_ref.h"
#include "routing/shared_array.h"
#include "wire/address.h"

namespace packetwarp {

// The owner of the next hops that an executor reads: some that always exist, and one for each neighbour that a route
// leads by, or whose MAC address is known. A single thread changes it.
class next_hop_table {
 public:
  // The data about an interface that its neighbours' next hops need.
  struct link {
    interface_index interface {};
    wire::mac_address mac;
    std::uint16_t mtu{};
  };

  // Indexes below `fixed` are the caller's; after them the table has room for `neighbours` neighbours.
  next_hop_table(table_places const& copies, std::uint32_t fixed, std::uint32_t neighbours);

  void set_fixed(std::uint32_t index, next_hop_kind kind, link const& by);

  // A neighbour's index, with one more use: by a route or by the record of its MAC address. Nothing: the table is full.
  [[nodiscard]] std::optional<std::uint32_t> hold(neighbour_key const& neighbour, link const& by);
  void hold(std::uint32_t index) { ++uses_[index].count; }
  // Removes one use; with the last use the index is given up. It has no effect on indexes below `fixed`.
  void release(std::uint32_t index);

  // The places of neighbours in use; places that nothing leads to any more count until reclaim().
  [[nodiscard]] std::size_t in_use() const { return uses_.size() - fixed_ - free_.size(); }
  [[nodiscard]] std::optional<std::uint32_t> find(neighbour_key const& neighbour) const;
  // Visits the neighbours in the order of interfaces and addresses, from this one or the next after it, until `look`
  // returns false.
  template <class Look>
  void visit(neighbour_key const& from, Look const& look) const {
    for (auto at = by_neighbour_.lower_bound(from); at != by_neighbour_.end() && look(at->first, at->second);) ++at;
  }
  // For an index in use.
  [[nodiscard]] neighbour_key const& neighbour(std::uint32_t index) const { return uses_[index].neighbour; }
  [[nodiscard]] next_hop operator[](std::uint32_t index) const;
  // A MAC address of zero is unknown. Executors see the old address or the new one.
  void set_mac(std::uint32_t index, wire::mac_address const& mac);

  [[nodiscard]] next_hop const* host() const { return reinterpret_cast<next_hop const*>(words_.host()); }
  [[nodiscard]] next_hop const* copy(std::size_t n = 0) const {
    return reinterpret_cast<next_hop const*>(words_.copy(n));
  }
  // See lpm_table.
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
  shared_array<std::uint64_t> words_;  // two per next hop
  std::map<neighbour_key, std::uint32_t, neighbour_less> by_neighbour_;
  std::vector<use> uses_;            // by index
  std::vector<std::uint32_t> free_;  // indexes
  std::vector<std::uint32_t> left_;
  std::vector<std::uint32_t> settled_;
  std::size_t marked_{~std::size_t{0}};  // the number of settled_ ones at mark()
};

}  // namespace packetwarp
