// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "routing/next_hop_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace packetwarp {
namespace {

static_assert(std::endian::native == std::endian::little, "a next hop's words hold bytes in the order they are sent");

[[nodiscard]] next_hop make_hop(next_hop_kind kind, next_hop_table::link const& by, wire::mac_address const& to) {
  std::byte bytes[sizeof(next_hop)]{};
  wire::store_mac(bytes, to);
  wire::store_mac(bytes + sizeof to.octets, by.mac);
  next_hop made;
  std::memcpy(&made, bytes, sizeof made);
  made.second |= static_cast<std::uint64_t>(kind) << 60 | static_cast<std::uint64_t>(by.interface) << 48 |
                 std::uint64_t{by.mtu} << 32;
  return made;
}

}  // namespace

next_hop_table::next_hop_table(table_places const& copies, std::uint32_t fixed, std::uint32_t neighbours)
    : fixed_{fixed}, words_{copies, (std::size_t{fixed} + neighbours) * 2}, uses_(std::size_t{fixed} + neighbours) {
  for (auto n = fixed + neighbours; n-- > fixed;) free_.push_back(n);
}

void next_hop_table::set_fixed(std::uint32_t index, next_hop_kind kind, link const& by) { store(index, kind, by); }

std::optional<std::uint32_t> next_hop_table::hold(neighbour_key const& neighbour, link const& by) {
  auto const [at, is_new] = by_neighbour_.try_emplace(neighbour, 0);
  if (is_new && free_.empty()) {
    by_neighbour_.erase(at);
    return std::nullopt;
  }
  if (is_new) {
    at->second = free_.back();
    free_.pop_back();
    uses_[at->second] = {.neighbour = neighbour};
    store(at->second, next_hop_kind::adjacent, by);
  }
  hold(at->second);
  return at->second;
}

void next_hop_table::release(std::uint32_t index) {
  if (index < fixed_ || --uses_[index].count != 0) return;
  by_neighbour_.erase(uses_[index].neighbour);
  left_.push_back(index);
}

std::optional<std::uint32_t> next_hop_table::find(neighbour_key const& neighbour) const {
  auto const found = by_neighbour_.find(neighbour);
  return found == by_neighbour_.end() ? std::nullopt : std::optional{found->second};
}

next_hop next_hop_table::operator[](std::uint32_t index) const {
  return {words_[std::size_t{index} * 2], words_[std::size_t{index} * 2 + 1]};
}

void next_hop_table::set_mac(std::uint32_t index, wire::mac_address const& mac) {
  // Its word also holds two bytes of the interface's own address.
  constexpr std::uint64_t own = 0xffffULL << 48;
  auto const first = std::size_t{index} * 2;
  words_.set(first, (words_[first] & own) | (make_hop(next_hop_kind::adjacent, {}, mac).first & ~own));
}

void next_hop_table::commit() {
  words_.commit();
  settled_.insert(settled_.end(), left_.begin(), left_.end());
  left_.clear();
}

void next_hop_table::reclaim() {
  auto const end = settled_.begin() + static_cast<std::ptrdiff_t>(std::min(marked_, settled_.size()));
  free_.insert(free_.end(), settled_.begin(), end);
  settled_.erase(settled_.begin(), end);
  marked_ = ~std::size_t{0};
}

// The kind is written last: until then the record is no route.
void next_hop_table::store(std::uint32_t index, next_hop_kind kind, link const& by) {
  auto const hop = make_hop(kind, by, {});
  words_.set(std::size_t{index} * 2, hop.first);
  words_.set(std::size_t{index} * 2 + 1, hop.second);
}

}  // namespace packetwarp
