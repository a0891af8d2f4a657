// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/question/question_source.h"

#include "wire/checksum.h"
#include "wire/ipv4.h"
#include "wire/parse.h"

namespace packetwarp::traffic {
namespace {

constexpr std::size_t flow_label_at = 2;  // its last 16 bits

}  // namespace

void write_question_number(std::byte* packet, wire::layers const& found, std::uint16_t number) {
  auto* const ip = packet + found.l3_offset;
  if (found.l3 == wire::l3_kind::ipv6) {
    wire::store_be<std::uint16_t>(ip + flow_label_at, number);
    return;
  }
  wire::ipv4_view const header{ip};
  auto const sum = wire::checksum_update{}.replace16(header.identification(), number).apply(header.checksum());
  header.set_identification(number);
  header.set_checksum(sum);
}

std::uint16_t question_number(std::byte const* packet, wire::layers const& found) {
  auto const* const ip = packet + found.l3_offset;
  return found.l3 == wire::l3_kind::ipv6 ? wire::load_be<std::uint16_t>(ip + flow_label_at)
                                         : wire::ipv4_view{ip}.identification();
}

void question_source::write(std::uint64_t index, std::uint64_t ticks, std::byte* frame) const {
  write_bytes(index, frame);
  auto& place = (*slots_)[index % most_in_flight];
  place.ticks.store(ticks, std::memory_order_relaxed);
  place.index_plus_one.store(index + 1, std::memory_order_release);
}

void question_source::write_bytes(std::uint64_t index, std::byte* frame) const {
  auto const bytes = asked_->bytes(asked_->at(index));
  std::memcpy(frame, bytes.data(), bytes.size());
  write_question_number(frame, wire::parse(frame, bytes.size()), static_cast<std::uint16_t>(index));
}

std::optional<question_source::in_flight> question_source::find(std::uint16_t number) const {
  auto const& place = (*slots_)[number];
  auto const index = place.index_plus_one.load(std::memory_order_acquire);
  if (index == 0) return std::nullopt;
  return in_flight{index - 1, place.ticks.load(std::memory_order_relaxed)};
}

}  // namespace packetwarp::traffic
