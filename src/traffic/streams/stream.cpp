// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0

#include "traffic/streams/stream.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/error.h"
#include "wire/checksum.h"
#include "wire/parse.h"

namespace packetwarp::traffic {
namespace {

using covered_by = bound_range::covered_by;

void check_sizes(stream_config const& config) {
  std::size_t const payload = config.signatures == signing::on ? signature_length : 0;
  frame_size const smallest = smallest_frame(config.description, payload);
  for (auto const& share : config.sizes.shares()) {
    if (share.size >= smallest) continue;
    auto const headers = header_length(config.description);
    if (config.signatures == signing::off) {
      throw usage_error{fmt::format("frame size {}: {} bytes of headers need {} or more", share.size.on_wire(), headers,
                                    smallest.on_wire())};
    }
    throw usage_error{fmt::format(
        "frame size {}: {} bytes of headers, a signature of {} and the check sequence need {} or more; without "
        "signatures packets are only counted",
        share.size.on_wire(), headers, signature_length, smallest.on_wire())};
  }
}

std::uint16_t transport_checksum_at(wire::layers const& found) {
  switch (found.l4) {
    case wire::l4_kind::udp:
      return static_cast<std::uint16_t>(found.l4_offset + 6);
    case wire::l4_kind::tcp:
      return static_cast<std::uint16_t>(found.l4_offset + 16);
    default:
      return static_cast<std::uint16_t>(found.l4_offset + 2);
  }
}

}  // namespace

stream::stream(stream_config config) : config_{std::move(config)}, flows_{config_.flows.flows} {
  if (flows_ == 0 || flows_ > pattern::most_flows) throw usage_error{"a stream has 1 to 4294967296 flows"};
  check_sizes(config_);
  for (field_range const& range : config_.flows.ranges) ranges_.emplace_back(range, config_.description);
  for (auto const& share : config_.sizes.shares()) {
    prototypes_.push_back(make_prototype(share.size));
    largest_length_ = std::max(largest_length_, prototypes_.back().length);
  }
  if (std::holds_alternative<ipv4_layer>(config_.description.ip)) {
    ip_checksum_at_ = static_cast<std::uint16_t>(14 + 4 * config_.description.vlans.size() + 10);
  }
}

stream::prototype stream::make_prototype(frame_size size) const {
  prototype made;
  made.bytes = build_frame(config_.description, size);
  made.length = size.in_memory();
  wire::layers const found = wire::parse(made.bytes.data(), made.bytes.size());
  made.checksum_at = transport_checksum_at(found);
  if (config_.signatures == signing::off) return made;
  made.signature_at = static_cast<std::uint16_t>(made.length - signature_length);
  made.signature_is_odd = (made.signature_at - found.l4_offset) % 2 != 0 ? 1 : 0;
  // Zeroes the signature's place and takes its old bytes out of the checksum.
  wire::checksum_update update;
  std::byte* const at = made.bytes.data() + made.signature_at;
  auto const was = wire::internet_sum{}.add(at, signature_length).folded();
  update.replace16(made.signature_is_odd != 0 ? wire::swap_bytes(was) : was, 0);
  std::fill_n(at, signature_length, std::byte{0});
  std::byte* const checksum = made.bytes.data() + made.checksum_at;
  wire::store_be<std::uint16_t>(checksum, update.apply(wire::load_be<std::uint16_t>(checksum)));
  return made;
}

void stream::write(std::uint64_t index, std::uint64_t ticks, std::byte* frame) const {
  prototype const& from = frame_of(index);
  std::memcpy(frame, from.bytes.data(), from.length);
  wire::checksum_update ip;
  wire::checksum_update transport;
  std::uint64_t const flow = flow_of(index);
  std::uint64_t rest = flow;  // the odometer's remainder for the next stepping field
  for (bound_range const& range : ranges_) {
    std::uint64_t value = 0;
    if (range.how() == progress::random) {
      value = range.random_value(config_.seed, flow);
    } else {
      value = range.flow_value(rest % range.count());
      rest /= range.count();
    }
    auto const covered = range.checksums();
    if (covered == covered_by::transport || covered == covered_by::ip_and_transport) {
      transport.replace64(range.read(frame), value);
    }
    if (covered == covered_by::ip || covered == covered_by::ip_and_transport) ip.replace64(range.read(frame), value);
    range.write(frame, value);
  }
  if (from.signature_at != 0) {
    std::byte* const at = frame + from.signature_at;
    write_signature(at, {config_.number, ticks, index}, key());
    std::uint16_t const sum = wire::internet_sum{}.add(at, signature_length).folded();
    transport.replace16(0, from.signature_is_odd != 0 ? wire::swap_bytes(sum) : sum);
  }
  if (ip_checksum_at_ != 0) {
    std::byte* const at = frame + ip_checksum_at_;
    wire::store_be<std::uint16_t>(at, ip.apply(wire::load_be<std::uint16_t>(at)));
  }
  std::byte* const at = frame + from.checksum_at;
  std::uint16_t const sum = transport.apply(wire::load_be<std::uint16_t>(at));
  bool const is_udp = std::holds_alternative<udp_layer>(config_.description.transport);
  wire::store_be<std::uint16_t>(at, is_udp ? wire::udp_checksum_to_send(sum) : sum);
}

}  // namespace packetwarp::traffic
