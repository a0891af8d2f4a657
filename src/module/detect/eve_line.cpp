// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/detect/eve_line.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "module/detect/detect_config.h"
#include "wire/address_text.h"
#include "wire/ip_protocol.h"

namespace packetwarp {
namespace {

// "2026-11-24T16:07:57.123456+0000".
[[nodiscard]] std::string time_text(std::chrono::system_clock::time_point when) {
  auto const since = when.time_since_epoch();
  auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
  auto const rest = std::chrono::duration_cast<std::chrono::microseconds>(since - seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}+0000", fmt::gmtime(static_cast<std::time_t>(seconds.count())),
                     rest.count());
}

// Readers of JSON keep 53 bits of a number.
constexpr unsigned bits_kept_from_readers = 64 - 53;

}  // namespace

std::string address_text(wire::ipv6_address const& address, std::uint8_t ip_version) {
  if (ip_version == 4) return wire::to_text(wire::ipv4_address{static_cast<std::uint32_t>(address.low)});
  return ip_version == 6 ? wire::to_text(address) : std::string{};
}

std::string protocol_text(detect_parts::anomaly const& seen) {
  switch (wire::ip_protocol{seen.protocol}) {
    case wire::ip_protocol::tcp:
      return "TCP";
    case wire::ip_protocol::udp:
      return "UDP";
    case wire::ip_protocol::icmp:
      return "ICMP";
    case wire::ip_protocol::icmpv6:
      return "IPv6-ICMP";
    default:
      return fmt::format("{:03}", seen.protocol);
  }
}

std::string eve_line(detect_parts::anomaly const& seen, std::string_view interface, deciding_model const& by,
                     std::chrono::system_clock::time_point now) {
  nlohmann::ordered_json line{{"timestamp", time_text(now)},
                              {"flow_id", seen.flow >> bits_kept_from_readers},
                              {"in_iface", interface},
                              {"event_type", "anomaly"}};
  if (seen.ip_version != 0) {
    line["src_ip"] = address_text(seen.source, seen.ip_version);
    if (seen.has_ports != 0) line["src_port"] = seen.source_port;
    line["dest_ip"] = address_text(seen.destination, seen.ip_version);
    if (seen.has_ports != 0) line["dest_port"] = seen.destination_port;
    line["proto"] = protocol_text(seen);
  }
  bool const is_by_large = (seen.set & detect_parts::anomaly::by_large) != 0;
  line["anomaly"] = {{"type", "model"},           {"event", is_by_large ? "large_model" : "score_above_threshold"},
                     {"model", by.file},          {"score", score_of(seen, by)},
                     {"threshold", by.threshold}, {"action", to_string(by.action)}};
  if (is_by_large) line["anomaly"]["large"] = by.large;
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace packetwarp
