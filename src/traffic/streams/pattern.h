// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "traffic/streams/signature.h"
#include "traffic/streams/template.h"

namespace packetwarp::traffic {

// The header fields that may differ from flow to flow.
enum class field : std::uint8_t {
  eth_src,
  eth_dst,
  vlan_id,
  ipv4_src,
  ipv4_dst,
  ipv6_src,
  ipv6_dst,
  udp_sport,
  udp_dport,
  tcp_sport,
  tcp_dport,
  icmp_id
};

// How a field takes its values: `step` goes through them one by one, `random` draws one per flow from the seed.
enum class progress : std::uint8_t { step, random };

// The values of one field, in the machine's order. IPv6 addresses: the low 64 bits, and `high` the others.
struct field_range {
  field what{};
  std::uint64_t first{};
  std::uint64_t last{};  // first <= last, at most 2^32 values
  progress how{progress::step};
  std::uint64_t high{};

  [[nodiscard]] std::uint64_t count() const { return last - first + 1; }
  friend bool operator==(field_range const&, field_range const&) = default;
};

// The flows of a stream, as passive data. Packet i belongs to flow i % flows. Stepping fields run like an odometer, the
// first one fastest; a random field's value is a function of seed, field and flow, so two flows may draw the same
// value.
struct pattern {
  static constexpr std::uint64_t most_flows = std::uint64_t{1} << 32;
  static constexpr std::uint64_t most_flows_unasked = std::uint64_t{1} << 20;

  std::vector<field_range> ranges;
  std::uint64_t flows{1};  // 1 to most_flows
  friend bool operator==(pattern const&, pattern const&) = default;
};

// "udp.sport=1000..1999", "ipv4.src=10.0.0.1..10.0.3.254:random,flows=5000": ranges and, at most once, the number of
// flows, separated by commas. A single value stands for itself. Without flows= the pattern has one flow per combination
// of values, but no more than most_flows_unasked. Empty text is a single flow. Throws usage_error.
[[nodiscard]] pattern parse_pattern(std::string_view text, std::string_view option = "--pattern");

// The inverse: parse_pattern(to_text(p)) == p.
[[nodiscard]] std::string to_text(pattern const& flows);

// The name that users type, such as "udp.sport".
[[nodiscard]] std::string_view name_of(field what);

// A range bound to the place of its field in the frames of one template.
class bound_range {
 public:
  // Throws usage_error if the template has no such field. Writes `high` into the template's address.
  bound_range(field_range const& range, packet_template& description);

  [[nodiscard]] std::uint64_t flow_value(std::uint64_t digit) const { return first_ + digit; }
  [[nodiscard]] std::uint64_t random_value(std::uint64_t seed, std::uint64_t flow) const {
    std::uint64_t const draw = mix_bits(mix_bits(seed + offset_) ^ flow) >> 32;
    return first_ + (draw * count_ >> 32);
  }
  [[nodiscard]] std::uint64_t count() const { return count_; }
  [[nodiscard]] progress how() const { return how_; }

  enum class covered_by : std::uint8_t { nothing, transport, ip_and_transport, ip };
  [[nodiscard]] covered_by checksums() const { return covered_by_; }

  // The field's bytes in a frame. For a VLAN tag, write() keeps the priority and read() includes it.
  [[nodiscard]] std::uint64_t read(std::byte const* frame) const;
  void write(std::byte* frame, std::uint64_t value) const;

 private:
  std::uint64_t first_;
  std::uint64_t count_;
  std::uint16_t offset_{};
  std::uint8_t width_{};  // bytes: 2, 4, 6 or 8
  progress how_;
  covered_by covered_by_{};
};

}  // namespace packetwarp::traffic
