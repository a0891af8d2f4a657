// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/inspection/alert_line.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

#include "inspect/packet/eve_line.h"
#include "wire/address_text.h"

namespace packetwarp {
namespace {

using inspection_parts::alert;
namespace flag = inspection_parts::alert_flag;

// "2026-11-24T16:07:57.123456+0000".
[[nodiscard]] std::string alert_time_text(std::chrono::system_clock::time_point when) {
  auto const since = when.time_since_epoch();
  auto const seconds = std::chrono::duration_cast<std::chrono::seconds>(since);
  auto const rest = std::chrono::duration_cast<std::chrono::microseconds>(since - seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}+0000", fmt::gmtime(static_cast<std::time_t>(seconds.count())),
                     rest.count());
}

[[nodiscard]] std::string address_text_of(wire::ipv6_address const& address, std::uint8_t ip_version) {
  if (ip_version == 4) return wire::to_text(wire::ipv4_address{static_cast<std::uint32_t>(address.low)});
  return wire::to_text(address);
}

// RFC 4648, 4.
[[nodiscard]] std::string base64_of(std::span<std::byte const> bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string made;
  made.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    auto const count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t word = 0;
    for (std::size_t n = 0; n < 3; ++n)
      word = word << 8 | (n < count ? std::to_integer<std::uint32_t>(bytes[at + n]) : 0);
    for (std::size_t n = 0; n < 4; ++n) made.push_back(n <= count ? letters[word >> (18 - 6 * n) & 63] : '=');
  }
  return made;
}

// Readers of JSON keep 53 bits of a number.
constexpr unsigned flow_bits_kept_from_readers = 64 - 53;

}  // namespace

std::string_view to_string(inspect::rule_action action) {
  constexpr std::array<std::string_view, 4> words{"alert", "drop", "reject", "pass"};
  return words[static_cast<std::size_t>(action)];
}

std::string alert_line(alert const& seen, inspect::rule_set const& rules, std::string_view interface,
                       std::chrono::system_clock::time_point now, std::span<std::byte const> packet) {
  auto const has = [&seen](std::uint8_t bit) { return (seen.flags & bit) != 0; };
  nlohmann::ordered_json line{{"timestamp", alert_time_text(now)}};
  if (seen.flow != 0) line["flow_id"] = seen.flow >> flow_bits_kept_from_readers;
  line["in_iface"] = interface;
  line["event_type"] = "alert";
  line["src_ip"] = address_text_of(seen.source, seen.ip_version);
  if (has(flag::has_ports)) line["src_port"] = seen.source_port;
  line["dest_ip"] = address_text_of(seen.destination, seen.ip_version);
  if (has(flag::has_ports)) line["dest_port"] = seen.destination_port;
  line["proto"] = inspect::protocol_text(seen.protocol);
  if (has(flag::has_icmp)) {
    line["icmp_type"] = seen.icmp_type;
    line["icmp_code"] = seen.icmp_code;
  }
  line["alert"] = inspect::alert_field(rules.rules[seen.rule], has(flag::blocked) ? "blocked" : "allowed");
  if (has(flag::has_flow)) line["direction"] = has(flag::to_server) ? "to_server" : "to_client";
  if (!packet.empty()) {
    constexpr unsigned ethernet = 1;  // LINKTYPE_ETHERNET
    line["packet"] = base64_of(packet);
    line["packet_info"] = {{"linktype", ethernet}};
  }
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace packetwarp
