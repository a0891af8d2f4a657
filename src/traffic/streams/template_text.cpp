// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "base/error.h"
#include "traffic/scanner.h"
#include "traffic/streams/template.h"
#include "wire/address_text.h"
#include "wire/layers.h"

namespace packetwarp::traffic {
namespace {

// The layers that the parser builds; a parameter belongs to the layer begun last.
using target = packet_template;

template <class T>
bool take(std::string_view text, T& into, std::uint64_t largest = std::numeric_limits<T>::max()) {
  auto const number = parse_number(text, largest);
  if (number) into = static_cast<T>(*number);
  return number.has_value();
}
template <class T>
bool take(std::optional<T> const& value, T& into) {
  if (value) into = *value;
  return value.has_value();
}

ipv4_layer& ipv4(target& t) { return std::get<ipv4_layer>(t.ip); }
ipv6_layer& ipv6(target& t) { return std::get<ipv6_layer>(t.ip); }
udp_layer& udp(target& t) { return std::get<udp_layer>(t.transport); }
tcp_layer& tcp(target& t) { return std::get<tcp_layer>(t.transport); }
icmp_layer& icmp(target& t) { return std::get<icmp_layer>(t.transport); }

constexpr std::string_view flag_letters = "FSRPAUEC";  // from the lowest bit up, in scapy's notation

bool take_flags(std::string_view text, std::uint8_t& into) {
  unsigned flags = 0;
  for (char letter : text) {
    std::size_t const bit = flag_letters.find(letter);
    if (bit == std::string_view::npos) return false;
    flags |= 1U << bit;
  }
  into = static_cast<std::uint8_t>(flags);
  return true;
}

bool take_tag_type(std::string_view text, wire::ether_type& into) {
  if (text != "0x8100" && text != "0x88a8") return false;
  into = text == "0x8100" ? wire::ether_type::vlan : wire::ether_type::service_vlan;
  return true;
}

struct parameter {
  std::string_view name;
  std::string_view expects;
  bool (*set)(target&, std::string_view);
};

using word = std::string_view;
constexpr std::string_view mac_form = "a MAC address such as 02:00:00:00:00:01";
constexpr std::string_view ipv4_form = "an IPv4 address such as 10.0.0.1";
constexpr std::string_view ipv6_form = "an IPv6 address such as 2001:db8::1";
constexpr std::string_view byte_form = "a number from 0 to 255";
constexpr std::string_view word_form = "a number from 0 to 65535";
constexpr std::string_view long_form = "a number from 0 to 4294967295";

constexpr parameter eth_parameters[] = {
    {"src", mac_form, [](target& t, word v) { return take(wire::parse_mac(v), t.ethernet.source); }},
    {"dst", mac_form, [](target& t, word v) { return take(wire::parse_mac(v), t.ethernet.destination); }},
};
constexpr parameter vlan_parameters[] = {
    {"id", "a number from 0 to 4095", [](target& t, word v) { return take(v, t.vlans.back().id, 4095); }},
    {"prio", "a number from 0 to 7", [](target& t, word v) { return take(v, t.vlans.back().priority, 7); }},
    {"type", "0x8100 or 0x88a8", [](target& t, word v) { return take_tag_type(v, t.vlans.back().type); }},
};
constexpr parameter ipv4_parameters[] = {
    {"src", ipv4_form, [](target& t, word v) { return take(wire::parse_ipv4(v), ipv4(t).source); }},
    {"dst", ipv4_form, [](target& t, word v) { return take(wire::parse_ipv4(v), ipv4(t).destination); }},
    {"ttl", byte_form, [](target& t, word v) { return take(v, ipv4(t).ttl); }},
    {"dscp", "a number from 0 to 63", [](target& t, word v) { return take(v, ipv4(t).dscp, 63); }},
    {"id", word_form, [](target& t, word v) { return take(v, ipv4(t).identification); }},
};
constexpr parameter ipv6_parameters[] = {
    {"src", ipv6_form, [](target& t, word v) { return take(wire::parse_ipv6(v), ipv6(t).source); }},
    {"dst", ipv6_form, [](target& t, word v) { return take(wire::parse_ipv6(v), ipv6(t).destination); }},
    {"hlim", byte_form, [](target& t, word v) { return take(v, ipv6(t).hop_limit); }},
    {"tc", byte_form, [](target& t, word v) { return take(v, ipv6(t).traffic_class); }},
    {"fl", "a number from 0 to 1048575", [](target& t, word v) { return take(v, ipv6(t).flow_label, 0xfffff); }},
};
constexpr parameter udp_parameters[] = {
    {"sport", word_form, [](target& t, word v) { return take(v, udp(t).source_port); }},
    {"dport", word_form, [](target& t, word v) { return take(v, udp(t).destination_port); }},
};
constexpr parameter tcp_parameters[] = {
    {"sport", word_form, [](target& t, word v) { return take(v, tcp(t).source_port); }},
    {"dport", word_form, [](target& t, word v) { return take(v, tcp(t).destination_port); }},
    {"seq", long_form, [](target& t, word v) { return take(v, tcp(t).sequence); }},
    {"ack", long_form, [](target& t, word v) { return take(v, tcp(t).acknowledgment); }},
    {"window", word_form, [](target& t, word v) { return take(v, tcp(t).window); }},
    {"flags", "letters of FSRPAUEC", [](target& t, word v) { return take_flags(v, tcp(t).flags); }},
};
constexpr parameter icmp_parameters[] = {
    {"id", word_form, [](target& t, word v) { return take(v, icmp(t).identifier); }},
    {"seq", word_form, [](target& t, word v) { return take(v, icmp(t).sequence); }},
};

enum class stage : std::uint8_t { ethernet, vlan, ip, transport, done };

struct layer_kind {
  std::string_view name;
  stage at;
  std::span<parameter const> parameters;
  void (*begin)(target&);
};

constexpr layer_kind layer_kinds[] = {
    {"eth", stage::ethernet, eth_parameters, [](target&) {}},
    {"vlan", stage::vlan, vlan_parameters, [](target& t) { t.vlans.emplace_back(); }},
    {"ipv4", stage::ip, ipv4_parameters, [](target& t) { t.ip = ipv4_layer{}; }},
    {"ipv6", stage::ip, ipv6_parameters, [](target& t) { t.ip = ipv6_layer{}; }},
    {"udp", stage::transport, udp_parameters, [](target& t) { t.transport = udp_layer{}; }},
    {"tcp", stage::transport, tcp_parameters, [](target& t) { t.transport = tcp_layer{}; }},
    {"icmp", stage::transport, icmp_parameters, [](target& t) { t.transport = icmp_layer{}; }},
};

struct preset {
  std::string_view name;
  std::string_view text;
};
constexpr preset presets[] = {
    {"udp", "ipv4/udp"}, {"tcp", "ipv4/tcp"}, {"icmp", "ipv4/icmp"}, {"udp6", "ipv6/udp"}, {"vlan", "vlan/ipv4/udp"},
};

constexpr std::string_view expected_at(stage next) {
  switch (next) {
    case stage::ethernet:
      return "eth, vlan, ipv4, ipv6, or alone udp, tcp, icmp, udp6";
    case stage::vlan:
      return "vlan, ipv4 or ipv6";
    case stage::ip:
      return "ipv4 or ipv6";
    default:
      return "udp, tcp or icmp";
  }
}

layer_kind const& take_layer_name(scanner& in, stage next, target const& made) {
  std::size_t const at = in.position();
  std::string_view const name = in.until("(/)");
  for (layer_kind const& kind : layer_kinds) {
    // VLAN tags may repeat; Ethernet and VLAN may be left out, IP and transport may not.
    bool const in_order = kind.at == next || (next <= stage::vlan && kind.at > next && kind.at <= stage::ip);
    if (kind.name != name || !in_order) continue;
    if (kind.at == stage::vlan && made.vlans.size() == wire::max_vlan_tags) in.fail("at most 4 vlan layers", at);
    return kind;
  }
  in.fail(expected_at(next), at);
}

std::string expected_parameter(std::string const& left, std::string_view layer, std::size_t given) {
  if (left.empty()) return fmt::format("')', because all parameters of {} are given", layer);
  return fmt::format("{} of {}{}", left, layer, given == 0 ? "" : ", the ones not given yet");
}

void take_parameters(scanner& in, layer_kind const& kind, target& made) {
  if (!in.accept('(') || in.accept(')')) return;
  std::vector<parameter const*> given;
  do {
    std::size_t const name_at = in.position();
    std::string_view const name = in.until("=,)");
    parameter const* found = nullptr;
    std::string names;
    for (parameter const& one : kind.parameters) {
      if (std::find(given.begin(), given.end(), &one) != given.end()) continue;
      if (one.name == name) found = &one;
      names += fmt::format("{}{}=", names.empty() ? "" : ", ", one.name);
    }
    if (found == nullptr) in.fail(expected_parameter(names, kind.name, given.size()), name_at);
    given.push_back(found);
    in.expect('=');
    std::size_t const value_at = in.position();
    if (!found->set(made, in.until(",)"))) in.fail(found->expects, value_at);
  } while (in.accept(','));
  in.expect(')');
}

}  // namespace

packet_template parse_template(std::string_view text, std::string_view option) {
  for (preset const& one : presets) {
    if (text == one.name) return parse_template(one.text, option);
  }
  scanner in{text, option};
  packet_template made;
  bool has_parameters = false;  // the layer before
  for (stage next = stage::ethernet; next != stage::done;) {
    if (in.position() != 0 && !in.accept('/')) in.fail(has_parameters ? "'/'" : "'/' or '('");
    layer_kind const& kind = take_layer_name(in, next, made);
    kind.begin(made);
    std::size_t const name_end = in.position();
    take_parameters(in, kind, made);
    has_parameters = in.position() != name_end;
    next = kind.at == stage::vlan ? stage::vlan : static_cast<stage>(static_cast<int>(kind.at) + 1);
  }
  if (!in.at_end()) in.fail("the end");
  return made;
}

namespace {

std::string layer_text(ipv4_layer const& l) {
  return fmt::format("ipv4(src={},dst={},ttl={},dscp={},id={})", wire::to_text(l.source), wire::to_text(l.destination),
                     l.ttl, l.dscp, l.identification);
}
std::string layer_text(ipv6_layer const& l) {
  return fmt::format("ipv6(src={},dst={},hlim={},tc={},fl={})", wire::to_text(l.source), wire::to_text(l.destination),
                     l.hop_limit, l.traffic_class, l.flow_label);
}
std::string layer_text(udp_layer const& l) {
  return fmt::format("udp(sport={},dport={})", l.source_port, l.destination_port);
}
std::string layer_text(tcp_layer const& l) {
  std::string flags;
  for (std::size_t bit = 0; bit < flag_letters.size(); ++bit) {
    if ((l.flags >> bit & 1U) != 0) flags += flag_letters[bit];
  }
  return fmt::format("tcp(sport={},dport={},seq={},ack={},window={},flags={})", l.source_port, l.destination_port,
                     l.sequence, l.acknowledgment, l.window, flags);
}
std::string layer_text(icmp_layer const& l) { return fmt::format("icmp(id={},seq={})", l.identifier, l.sequence); }

}  // namespace

std::string to_text(packet_template const& description) {
  std::string made = fmt::format("eth(src={},dst={})/", wire::to_text(description.ethernet.source),
                                 wire::to_text(description.ethernet.destination));
  for (vlan_layer const& tag : description.vlans) {
    made += fmt::format("vlan(id={},prio={},type=0x{:04x})/", tag.id, tag.priority, static_cast<unsigned>(tag.type));
  }
  auto const print = [](auto const& layer) { return layer_text(layer); };
  return made + std::visit(print, description.ip) + "/" + std::visit(print, description.transport);
}

std::string template_help() {
  std::string made = "[eth(..)/][vlan(..)/]..{ipv4|ipv6}(..)/{udp|tcp|icmp}(..)\n";
  for (layer_kind const& kind : layer_kinds) {
    for (parameter const& one : kind.parameters) {
      made += fmt::format("  {}({}=..)  {}\n", kind.name, one.name, one.expects);
    }
  }
  made += "or a preset:\n";
  for (preset const& one : presets) made += fmt::format("  {}  {}\n", one.name, one.text);
  return made;
}

}  // namespace packetwarp::traffic
