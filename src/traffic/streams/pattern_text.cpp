// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "traffic/scanner.h"
#include "traffic/streams/pattern.h"
#include "wire/address_text.h"

namespace packetwarp::traffic {
namespace {

enum class form : std::uint8_t { mac, vlan, ipv4, ipv6, port };

struct field_kind {
  std::string_view name;
  field what;
  form written_as;
};

constexpr field_kind field_kinds[] = {
    {"eth.src", field::eth_src, form::mac},      {"eth.dst", field::eth_dst, form::mac},
    {"vlan.id", field::vlan_id, form::vlan},     {"ipv4.src", field::ipv4_src, form::ipv4},
    {"ipv4.dst", field::ipv4_dst, form::ipv4},   {"ipv6.src", field::ipv6_src, form::ipv6},
    {"ipv6.dst", field::ipv6_dst, form::ipv6},   {"udp.sport", field::udp_sport, form::port},
    {"udp.dport", field::udp_dport, form::port}, {"tcp.sport", field::tcp_sport, form::port},
    {"tcp.dport", field::tcp_dport, form::port}, {"icmp.id", field::icmp_id, form::port},
};

field_kind const& kind_of(field what) {
  return *std::find_if(std::begin(field_kinds), std::end(field_kinds), [&](auto const& k) { return k.what == what; });
}

struct value {
  std::uint64_t low;
  std::uint64_t high{};
};

std::optional<value> parse_value(form written_as, std::string_view text) {
  switch (written_as) {
    case form::mac:
      if (auto const mac = wire::parse_mac(text)) return value{mac->number()};
      return std::nullopt;
    case form::ipv4:
      if (auto const ip = wire::parse_ipv4(text)) return value{ip->number};
      return std::nullopt;
    case form::ipv6:
      if (auto const ip = wire::parse_ipv6(text)) return value{ip->low, ip->high};
      return std::nullopt;
    default:
      if (auto const number = parse_number(text, written_as == form::vlan ? 4095 : 65535)) return value{*number};
      return std::nullopt;
  }
}

std::string_view expected_value(form written_as) {
  switch (written_as) {
    case form::mac:
      return "a MAC address or first..last";
    case form::ipv4:
      return "an IPv4 address or first..last";
    case form::ipv6:
      return "an IPv6 address or first..last";
    case form::vlan:
      return "a number from 0 to 4095 or first..last";
    default:
      return "a number from 0 to 65535 or first..last";
  }
}

std::string value_text(form written_as, std::uint64_t low, std::uint64_t high) {
  switch (written_as) {
    case form::mac:
      return wire::to_text(wire::mac_address::from_number(low));
    case form::ipv4:
      return wire::to_text(wire::ipv4_address{static_cast<std::uint32_t>(low)});
    case form::ipv6:
      return wire::to_text(wire::ipv6_address{high, low});
    default:
      return fmt::format("{}", low);
  }
}

progress take_progress(std::string_view& text) {
  for (auto const& [suffix, how] : {std::pair{std::string_view{":random"}, progress::random},
                                    std::pair{std::string_view{":step"}, progress::step}}) {
    if (!text.ends_with(suffix)) continue;
    text.remove_suffix(suffix.size());
    return how;
  }
  return progress::step;
}

// The value that begins at `begin` of the text is none. If another word than "step" or "random" follows a value and a
// colon, that word is named. text_at: the text's own place.
[[noreturn]] void refuse_value(scanner const& in, form written_as, std::string_view text, std::size_t text_at,
                               std::size_t begin) {
  std::size_t const colon = text.rfind(':');
  if (colon != text.npos && colon >= begin && parse_value(written_as, text.substr(begin, colon - begin))) {
    in.fail("step or random", text_at + colon + 1);
  }
  in.fail(expected_value(written_as), text_at + begin);
}

field_range take_range(scanner& in, field_kind const& kind) {
  std::size_t const at = in.position();
  std::string_view text = in.until(",");
  progress const how = take_progress(text);
  std::size_t const dots = text.find("..");
  auto const first = parse_value(kind.written_as, text.substr(0, dots));
  auto const last = dots == text.npos ? first : parse_value(kind.written_as, text.substr(dots + 2));
  if (!first) refuse_value(in, kind.written_as, text, at, 0);
  if (!last) refuse_value(in, kind.written_as, text, at, dots + 2);
  if (last->high != first->high) in.fail("a last address that shares its first 64 bits", at + dots + 2);
  if (last->low < first->low) in.fail("a last value that is not below the first", at + dots + 2);
  if (last->low - first->low >= pattern::most_flows) in.fail("at most 4294967296 values", at + dots + 2);
  return {kind.what, first->low, last->low, how, first->high};
}

std::uint64_t combinations(std::vector<field_range> const& ranges) {
  std::uint64_t product = 1;
  for (field_range const& one : ranges) {
    product *= std::min(one.count(), pattern::most_flows_unasked);
    product = std::min(product, pattern::most_flows_unasked);
  }
  return product;
}

}  // namespace

std::string_view name_of(field what) { return kind_of(what).name; }

pattern parse_pattern(std::string_view text, std::string_view option) {
  scanner in{text, option};
  pattern made;
  std::uint64_t flows = 0;
  while (!in.at_end()) {
    if (in.position() != 0) in.expect(',');
    std::size_t const name_at = in.position();
    std::string_view const name = in.until("=,");
    if (name == "flows" && flows == 0) {
      in.expect('=');
      std::size_t const number_at = in.position();
      flows = parse_number(in.until(","), pattern::most_flows).value_or(0);
      if (flows == 0) in.fail("a number of flows from 1 to 4294967296", number_at);
      continue;
    }
    auto const kind = std::find_if(std::begin(field_kinds), std::end(field_kinds), [&](auto const& k) {
      return k.name == name &&
             std::none_of(made.ranges.begin(), made.ranges.end(), [&](auto const& r) { return r.what == k.what; });
    });
    if (kind == std::end(field_kinds)) {
      in.fail(
          "a field not named yet: eth.src eth.dst vlan.id ipv4.src ipv4.dst ipv6.src ipv6.dst udp.sport udp.dport "
          "tcp.sport tcp.dport icmp.id flows",
          name_at);
    }
    in.expect('=');
    made.ranges.push_back(take_range(in, *kind));
  }
  made.flows = flows != 0 ? flows : combinations(made.ranges);
  return made;
}

std::string to_text(pattern const& flows) {
  std::string made;
  for (field_range const& one : flows.ranges) {
    form const written_as = kind_of(one.what).written_as;
    made += fmt::format("{}={}..{}:{},", name_of(one.what), value_text(written_as, one.first, one.high),
                        value_text(written_as, one.last, one.high), one.how == progress::step ? "step" : "random");
  }
  return made + fmt::format("flows={}", flows.flows);
}

}  // namespace packetwarp::traffic
