// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/show/nouns.h"

#include <vector>

#include "module/client/cells.h"
#include "module/modules.h"
#include "telemetry/text_table.h"

namespace packetwarp {
namespace {

using telemetry::text_table;

[[nodiscard]] std::string interfaces_text(json const& said) {
  using align = text_table::align;
  text_table facts{{{"interface", align::left},
                    {"port"},
                    {"device", align::left},
                    {"state", align::left},
                    {"mac", align::left},
                    {"mtu"},
                    {"rxq"},
                    {"txq"},
                    {"kernel", align::left},
                    {"addresses", align::left}}};
  text_table counts{{{"interface", align::left},
                     {"rx packets"},
                     {"rx bytes"},
                     {"tx packets"},
                     {"tx bytes"},
                     {"punted"},
                     {"dropped"},
                     {"imissed"},
                     {"ierrors"},
                     {"oerrors"},
                     {"rx_nombuf"}}};
  for (auto const& one : rows_of(said, "interfaces")) {
    auto const number = [&](char const* key) { return count_of(one, key); };
    std::vector<std::string> addresses;
    for (auto const& address : one.at("addresses")) addresses.push_back(address.get<std::string>());
    auto const name = word_of(one, "name");
    facts.add_row({name, number("port"), word_of(one, "device"), word_of(one, "state"), word_of(one, "mac"),
                   number_of(one, "mtu"), number("rx_queues"), number("tx_queues"), word_of(one, "kernel"),
                   telemetry::with_commas(addresses)});
    counts.add_row({name, number("rx_packets"), number("rx_bytes"), number("tx_packets"), number("tx_bytes"),
                    number("punted"), number("dropped"), number("imissed"), number("ierrors"), number("oerrors"),
                    number("rx_nombuf")});
  }
  return facts.text() + '\n' + counts.text();
}

[[nodiscard]] std::string drops_text(json const& said) {
  using align = text_table::align;
  auto const& drops = rows_of(said, "drops");
  if (drops.empty()) return "no packet was dropped; --all lists the counters\n";
  text_table table{{{"stage", align::left}, {"drop", align::left}, {"interface", align::left}, {"port"}, {"packets"}}};
  for (auto const& one : drops) {
    table.add_row({word_of(one, "stage"), word_of(one, "drop"), word_of(one, "interface"), number_of(one, "port"),
                   count_of(one, "packets")});
  }
  return table.text();
}

[[nodiscard]] std::string memory_text(json const& said) {
  using align = text_table::align;
  text_table table{{{"what", align::left},
                    {"of", align::left},
                    {"used"},
                    {"room"},
                    {"unit", align::left},
                    {"bytes"},
                    {"GPU bytes"}}};
  for (auto const& one : rows_of(said, "memory")) {
    table.add_row({word_of(one, "what"), word_of(one, "of"), count_of(one, "used"), count_of(one, "room"),
                   word_of(one, "unit"), count_of(one, "bytes"), count_of(one, "gpu_bytes")});
  }
  return table.text();
}

}  // namespace

std::span<shown_noun const> shown_nouns() {
  static std::vector<shown_noun> const all = [] {
    std::vector<shown_noun> made{
        {.name = "interfaces",
         .help = "  interfaces               ports, addresses, link states, and packets received, sent, punted and "
                 "dropped\n",
         .text = interfaces_text}};
    for (auto const* const kind : module_kinds()) {
      auto const more = kind->facts().client.nouns;
      made.insert(made.end(), more.begin(), more.end());
    }
    made.push_back({.name = "drops",
                    .help = "  drops                    packets that did not leave, by stage, name and interface\n",
                    .text = drops_text,
                    .flag = "all"});
    made.push_back({.name = "memory",
                    .help = "  memory                   packet pools, tables and rings: the use and the room of each\n",
                    .text = memory_text});
    return made;
  }();
  return all;
}

}  // namespace packetwarp
