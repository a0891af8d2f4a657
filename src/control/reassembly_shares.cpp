// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "control/reassembly_shares.h"

#include <algorithm>

namespace packetwarp {

reassembly_shares::place reassembly_shares::enter(datagram_key const& which) {
  auto& of = shares_[which.ingress];
  auto const [at, is_new] = of.destinations.try_emplace(which.destination);
  if (is_new) of.by_bytes.emplace(0, which.destination);
  return {of.by_age.insert(of.by_age.end(), which), at->second.by_age.insert(at->second.by_age.end(), which)};
}

void reassembly_shares::add(datagram_key const& which, std::size_t bytes) {
  auto& of = shares_.at(which.ingress);
  auto& held = of.destinations.at(which.destination);
  recount(of, which.destination, held, held.bytes + bytes);
}

void reassembly_shares::leave(datagram_key const& which, place const& at, std::size_t bytes) {
  auto& of = shares_.at(which.ingress);
  auto const destination = of.destinations.find(which.destination);
  auto& held = destination->second;
  recount(of, which.destination, held, held.bytes - bytes);
  of.by_age.erase(at.of_interface);
  held.by_age.erase(at.of_destination);
  if (!held.by_age.empty()) return;
  of.by_bytes.erase({held.bytes, which.destination});
  of.destinations.erase(destination);
}

void reassembly_shares::recount(share& of, std::uint32_t destination, bucket& held, std::size_t bytes) {
  of.by_bytes.erase({held.bytes, destination});
  of.bytes = of.bytes - held.bytes + bytes;
  held.bytes = bytes;
  of.by_bytes.emplace(bytes, destination);
}

std::optional<datagram_key> reassembly_shares::victim() const {
  auto const greediest = std::ranges::max_element(
      shares_, [](auto const& one, auto const& other) { return one.second.bytes < other.second.bytes; });
  if (greediest == shares_.end() || greediest->second.by_age.empty()) return std::nullopt;
  auto const& of = greediest->second;
  auto const& [most, destination] = *of.by_bytes.rbegin();
  bool const is_too_much = most > of.bytes / 4;
  return is_too_much ? of.destinations.at(destination).by_age.front() : of.by_age.front();
}

std::list<datagram_key> reassembly_shares::oldest() const {
  std::list<datagram_key> all;
  for (auto const& [interface, of] : shares_) {
    if (!of.by_age.empty()) all.push_back(of.by_age.front());
  }
  return all;
}

}  // namespace packetwarp
