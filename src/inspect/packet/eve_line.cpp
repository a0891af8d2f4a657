// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/packet/eve_line.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <span>
#include <utility>

#include "inspect/language/coverage.h"
#include "inspect/language/source_text.h"
#include "wire/address_text.h"

namespace packetwarp::inspect {
namespace {

using json = nlohmann::ordered_json;

[[nodiscard]] std::string time_text(std::uint64_t nanoseconds) {
  auto const seconds = static_cast<std::time_t>(nanoseconds / 1'000'000'000);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06}+0000", fmt::gmtime(seconds), nanoseconds / 1'000 % 1'000'000);
}

[[nodiscard]] std::string address_text(wire::ipv6_address const& address, std::uint8_t ip_version) {
  if (ip_version == 4) return wire::to_text(wire::ipv4_address{static_cast<std::uint32_t>(address.low)});
  return wire::to_text(address);
}

[[nodiscard]] std::string dump(json const& line) { return line.dump(-1, ' ', false, json::error_handler_t::replace); }

// IANA's protocols, as Suricata 7.0.10 calls them.
constexpr std::array<std::string_view, 144> protocol_names{
    "HOPOPT",      "ICMP",       "IGMP",        "GGP",        "IP-in-IP",
    "ST",          "TCP",        "CBT",         "EGP",        "IGP",
    "BBN-RCC-MON", "NVP-II",     "PUP",         "ARGUS",      "EMCON",
    "XNET",        "CHAOS",      "UDP",         "MUX",        "DCN-MEAS",
    "HMP",         "PRM",        "XNS-IDP",     "TRUNK-1",    "TRUNK-2",
    "LEAF-1",      "LEAF-2",     "RDP",         "IRTP",       "ISO-TP4",
    "NETBLT",      "MFE-NSP",    "MERIT-INP",   "DCCP",       "3PC",
    "IDPR",        "XTP",        "DDP",         "IDPR-CMTP",  "TP++",
    "IL",          "IPv6",       "SDRP",        "IPv6-Route", "IPv6-Frag",
    "IDRP",        "RSVP",       "GRE",         "DSR",        "BNA",
    "ESP",         "AH",         "I-NLSP",      "SwIPe",      "NARP",
    "MOBILE",      "TLSP",       "SKIP",        "IPv6-ICMP",  "IPv6-NoNxt",
    "IPv6-Opts",   "Any",        "CFTP",        "Any",        "SAT-EXPAK",
    "KRYPTOLAN",   "RVD",        "IPPC",        "Any",        "SAT-MON",
    "VISA",        "IPCU",       "CPNX",        "CPHB",       "WSN",
    "PVP",         "BR-SAT-MON", "SUN-ND",      "WB-MON",     "WB-EXPAK",
    "ISO-IP",      "VMTP",       "SECURE-VMTP", "VINES",      "TTP",
    "NSFNET-IGP",  "DGP",        "TCF",         "EIGRP",      "OSPF",
    "Sprite-RPC",  "LARP",       "MTP",         "AX.25",      "OS",
    "MICP",        "SCC-SP",     "ETHERIP",     "ENCAP",      "Any",
    "GMTP",        "IFMP",       "PNNI",        "PIM",        "ARIS",
    "SCPS",        "QNX",        "A/N",         "IPComp",     "SNP",
    "Compaq-Peer", "IPX-in-IP",  "VRRP",        "PGM",        "Any",
    "L2TP",        "DDX",        "IATP",        "STP",        "SRP",
    "UTI",         "SMP",        "SM",          "PTP",        "IS-IS",
    "FIRE",        "CRTP",       "CRUDP",       "SSCOPMCE",   "IPLT",
    "SPS",         "PIPE",       "SCTP",        "FC",         "RSVP-E2E-IGNORE",
    "Mobility",    "UDPLite",    "MPLS-in-IP",  "manet",      "HIP",
    "Shim6",       "WESP",       "ROHC",        "Ethernet"};

// A rule's pairs of a key and a value, by key; a word alone is left out, as in Suricata.
[[nodiscard]] json metadata_of(rule const& one) {
  json made = json::object();
  for (auto const& list : one.metadata) {
    for (auto const part : split(list, ',')) {
      auto const end = part.find(' ');
      if (end != part.npos) made[std::string{part.substr(0, end)}].push_back(trimmed(part.substr(end)));
    }
  }
  return made;
}

// Readers of JSON keep 53 bits of a number.
constexpr unsigned bits_kept_from_readers = 64 - 53;

}  // namespace

std::string protocol_text(std::uint8_t protocol) {
  return protocol < protocol_names.size() ? std::string{protocol_names[protocol]} : fmt::format("{}", protocol);
}

json alert_field(rule const& one, std::string_view action) {
  constexpr std::uint32_t default_severity = 3;  // Suricata's own for a rule without one
  json made{{"action", action},
            {"gid", one.gid},
            {"signature_id", one.sid},
            {"rev", one.revision},
            {"signature", one.message},
            {"category", one.classtype},
            {"severity", one.priority.value_or(default_severity)}};
  if (auto metadata = metadata_of(one); !metadata.empty()) made["metadata"] = std::move(metadata);
  return made;
}

std::string alert_line(rule_set const& rules, inspect_alert const& alert) {
  auto const& packet = alert.packet;
  json line{{"timestamp", time_text(alert.time)}};
  if (alert.flow != 0) line["flow_id"] = alert.flow >> bits_kept_from_readers;
  line["pcap_cnt"] = alert.number;
  line["event_type"] = "alert";
  if (alert.vlans.count != 0) {
    auto const& identifiers = alert.vlans.identifiers;
    line["vlan"] = std::span{identifiers.data(), alert.vlans.count};
  }
  line["src_ip"] = address_text(packet.source, packet.ip_version);
  bool const has_ports = packet.has_transport && packet.kind != packet_kind::icmp;
  if (has_ports) line["src_port"] = packet.source_port;
  line["dest_ip"] = address_text(packet.destination, packet.ip_version);
  if (has_ports) line["dest_port"] = packet.destination_port;
  line["proto"] = protocol_text(alert.protocol);
  if (packet.kind == packet_kind::icmp && packet.has_transport) {
    line["icmp_type"] = packet.icmp_type;
    line["icmp_code"] = packet.icmp_code;
  }
  // A capture's packets have gone: nothing is blocked.
  line["alert"] = alert_field(rules.rules[alert.rule], "allowed");
  if (packet.has_flow) line["direction"] = packet.is_to_server ? "to_server" : "to_client";
  return dump(line);
}

std::string stats_line(rule_set const& rules, inspector const& of) {
  auto const& counts = of.counts();
  auto const cover = coverage_of(rules);
  json by_rule = json::array();
  for (std::size_t i = 0; i < rules.rules.size(); ++i) {
    auto const& counted = of.by_rule()[i];
    if (counted.matches == 0) continue;
    auto const& one = rules.rules[i];
    by_rule.push_back({{"gid", one.gid}, {"sid", one.sid}, {"matches", counted.matches}, {"alerts", counted.alerts}});
  }
  auto const& segments = of.segments();
  auto const& judged = of.judged();
  auto const& messages = judged.messages;
  auto const& fragments = of.fragments().counts();
  json line{{"event_type", "stats"}};
  line["stats"] = {{"rules_read", cover.rules},
                   {"rules_used", cover.usable},
                   {"packets", counts.packets},
                   {"packets_without_ip", counts.without_ip},
                   {"fragments_by_header_only", counts.fragments},
                   {"datagrams_put_together", fragments.datagrams},
                   {"fragments_unsound", fragments.unsound},
                   {"fragments_repeated", fragments.repeated},
                   {"fragments_given_up", fragments.given_up + of.fragments().held()},
                   {"packets_with_unread_extensions", counts.unread_extensions},
                   {"packets_cut_short", counts.cut_short + fragments.cut_short},
                   {"packets_with_wrong_checksums", counts.wrong_checksums},
                   {"packets_without_flow_place", counts.without_flow},
                   {"flows_bypassed", counts.flows_bypassed},
                   {"packets_bypassed", counts.bypassed},
                   {"segments_out_of_order", segments.out_of_order},
                   {"segments_never_in_order", of.streams().never_in_order()},
                   {"segments_too_far_ahead", segments.too_far_ahead},
                   {"segments_discarded", segments.discarded},
                   {"segments_repeated", segments.repeated},
                   {"segments_differing", segments.differing},
                   {"segments_without_begin", segments.without_begin},
                   {"segments_of_given_up_streams", segments.given_up},
                   {"streams_given_up", segments.given_up_for_places + segments.given_up_for_bytes},
                   {"stream_gaps", segments.gaps},
                   {"stream_literals_not_kept", judged.literals_not_kept},
                   {"http_messages", messages.messages},
                   {"http_unreadable", messages.unreadable},
                   {"http_heads_too_long", messages.heads_too_long},
                   {"http_bodies_encoded", messages.bodies_encoded},
                   {"http_bodies_decoded", messages.bodies_decoded},
                   {"http_bodies_cut_short", messages.bodies_cut_short},
                   {"http_requests_not_known", messages.requests_not_known},
                   {"http_body_bytes_compared", judged.body_bytes},
                   {"candidates", judged.candidates},
                   {"rules_out_of_steps", judged.out_of_steps},
                   {"rules_out_of_bytes", judged.out_of_bytes},
                   {"regexes_out_of_bound", of.regexes_out_of_bound()},
                   {"rates_without_place", of.rates_without_place()},
                   {"by_rule", by_rule}};
  return dump(line);
}

}  // namespace packetwarp::inspect
