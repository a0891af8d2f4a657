// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/replay_check.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "traffic/streams/frame_size.h"
#include "traffic/streams/neighbours.h"
#include "traffic/streams/signature.h"
#include "wire/ethernet.h"
#include "wire/parse.h"

namespace packetwarp::traffic {
namespace {

std::uint64_t hash_of(std::span<std::byte const> bytes, std::uint64_t start = 0) {
  std::uint64_t hash = mix_bits(start + bytes.size() + 1);
  std::size_t at = 0;
  for (; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    hash = mix_bits(hash ^ word) + at;
  }
  std::uint64_t rest = 0;
  if (at < bytes.size()) std::memcpy(&rest, bytes.data() + at, bytes.size() - at);
  return mix_bits(hash ^ rest);
}

// The hash of a frame as a wire carries it: a NIC pads a shorter one with zeros.
std::uint64_t hash_on_wire(std::span<std::byte const> frame) {
  std::array<std::byte, frame_size{frame_size::smallest}.in_memory()> padded{};
  if (frame.size() >= padded.size()) return hash_of(frame);
  std::copy(frame.begin(), frame.end(), padded.begin());
  return hash_of(padded);
}

// Hashes the bytes that identify a packet's flow. Fragments are identified by addresses and protocol, because the later
// parts of a datagram carry no ports.
std::uint64_t flow_hash(std::span<std::byte const> frame) {
  wire::layers const found = wire::parse(frame.data(), frame.size());
  bool const has_ports = found.l4_offset != 0 && found.fragment == wire::fragment_kind::whole &&
                         (found.l4 == wire::l4_kind::udp || found.l4 == wire::l4_kind::tcp);
  auto const protocol = static_cast<std::uint64_t>(found.protocol);
  std::uint64_t const ports = has_ports ? hash_of(frame.subspan(found.l4_offset, 4)) : 0;
  if (found.error != wire::parse_error::none) return hash_of(frame.first(14));
  if (found.l3 == wire::l3_kind::ipv4) return hash_of(frame.subspan(found.l3_offset + 12U, 8), ports ^ protocol);
  if (found.l3 == wire::l3_kind::ipv6) return hash_of(frame.subspan(found.l3_offset + 8U, 32), ports ^ protocol);
  return hash_of(frame.first(14));
}

}  // namespace

replay_check::replay_check(capture const& sent, transform expected) {
  std::unordered_map<std::uint64_t, std::uint32_t> flows;
  std::vector<std::byte> frame;
  for (capture::packet const& packet : sent.packets()) {
    auto const bytes = sent.bytes(packet);
    frame.assign(bytes.begin(), bytes.end());
    sends_as_neighbour_ |= is_of_neighbours(frame);
    auto const flow = flows.try_emplace(flow_hash(frame), static_cast<std::uint32_t>(flows.size())).first->second;
    if (expected != transform::same) wire::ethernet_view{frame.data()}.swap_addresses();
    auto const hash = hash_on_wire(frame);
    auto& of = by_hash_.try_emplace(hash, content{.received = 0, .index = hashes_.size(), .alike = 0, .flow = flow})
                   .first->second;
    ++of.alike;
    hashes_.push_back(hash);
  }
  latest_in_flow_.resize(flows.size());
}

bool replay_check::receive(std::span<std::byte const> frame) {
  auto const found = by_hash_.find(hash_on_wire(frame));
  if (found == by_hash_.end()) {
    counts_.unknown += !sends_as_neighbour_ && is_of_neighbours(frame) ? 0U : 1U;
    return false;
  }
  ++counts_.received;
  counts_.bytes += frame.size();
  ++found->second.received;
  if (found->second.alike == 1) check_order(found->second);
  return true;
}

// A packet of the capture is sent once per round. It does not carry its round: it counts for the round that puts it
// nearest to the latest packet of all.
void replay_check::check_order(content const& of) {
  std::uint64_t const round = hashes_.size();
  if (latest_ == 0) latest_ = round + of.index;
  std::uint64_t const ahead = (of.index + round - latest_ % round) % round;
  std::uint64_t const position = latest_ + ahead - (ahead > round / 2 ? round : 0);
  latest_ = std::max(latest_, position);
  std::uint64_t& in_flow = latest_in_flow_[of.flow];
  if (position < in_flow) ++counts_.reordered;
  in_flow = std::max(in_flow, position);
}

replay_check::outcome replay_check::after(std::uint64_t sent) const {
  std::uint64_t const rounds = sent / hashes_.size();
  std::unordered_map<std::uint64_t, std::uint64_t> in_last_round;
  for (std::uint64_t i = 0; i < sent % hashes_.size(); ++i) ++in_last_round[hashes_[i]];
  outcome sum;
  for (auto const& [hash, of] : by_hash_) {
    auto const extra = in_last_round.find(hash);
    std::uint64_t const due = rounds * of.alike + (extra == in_last_round.end() ? 0 : extra->second);
    if (of.received < due) sum.lost += due - of.received;
    if (of.received > due) sum.duplicates += of.received - due;
  }
  return sum;
}

}  // namespace packetwarp::traffic
