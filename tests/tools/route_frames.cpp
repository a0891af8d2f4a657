// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include <array>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "control/control_plane.h"
#include "fixtures/eal_environment.h"
#include "fixtures/mbufs.h"
#include "fixtures/packet_builder.h"
#include "function/router/router.h"
#include "memory/eal_session.h"
#include "routing/router_table.h"

// Runs a router over frames, for tests that know the right output by other means. Reads JSON objects, one
// in a line, and writes a line for each; with "control", only one:
//   in:  {"interfaces": [{"mac", "mtu", "addresses": ["10.0.0.1/24", ...], "kernel": {"mac", "addresses": [...]}}],
//         "routes": [{"to": "10.1.0.0/16", "by": "10.0.0.2", "interface": 0}],  // "by" absent: on link;
//                                                                               // "interface" absent: discard
//         "source_routes": "pass",  // default: drop
//         "neighbours": [{"interface": 0, "address": "10.0.0.2", "mac": "..."}],
//         "control": {...},  // with a control plane; all settings are optional
//         "steps": [{"ingress": 0, "frame": "<hex>", "contiguous": 60},
//                   {"wait_ms": 1000},
//                   {"claim": ["10.0.0.9"]},  // claimed from then on
//                   {"link_up": 0}]}  // an interface's link
//   out: [[{"what": "forward", "to": 1, "why": "", "frame": "<hex>"}, ...] for each step]
// Without a control plane a step has one outcome: forward, drop or punt. With one, a punt is followed by the control
// plane's actions: send, put_back (and the router's next outcome), to_kernel, drop.
namespace packetwarp {
namespace {

using nlohmann::json;

[[nodiscard]] ip_address parse_address(std::string const& text) {
  if (auto const ipv4 = wire::parse_ipv4(text)) return *ipv4;
  return wire::parse_ipv6(text).value();
}
[[nodiscard]] ip_prefix parse_prefix(std::string const& text) {
  auto const slash = text.find('/');
  return {parse_address(text.substr(0, slash)), static_cast<unsigned>(std::stoul(text.substr(slash + 1)))};
}
[[nodiscard]] interface_index index_of(json const& one) { return static_cast<interface_index>(one.get<unsigned>()); }

[[nodiscard]] route_target target_of(json const& route) {
  if (!route.contains("interface")) return discard{};
  auto const interface = index_of(route.at("interface"));
  if (!route.contains("by")) return on_link{interface};
  return neighbour_key{interface, parse_address(route.at("by"))};
}

void set_up(router_table& table, json const& given) {
  if (given.value("source_routes", "drop") == "pass") table.set_source_routes(source_routes::pass);
  for (auto const& one : given.at("interfaces")) {
    auto const interface = table.add_interface(wire::parse_mac(one.at("mac").get<std::string>()).value(),
                                               one.value("mtu", std::uint16_t{1500}));
    for (auto const& address : one.value("addresses", json::array())) {
      table.add_address(interface, parse_prefix(address));
    }
    if (!one.contains("kernel")) continue;
    auto const& kernel = one.at("kernel");
    std::vector<ip_address> shared;
    for (auto const& address : kernel.at("addresses")) shared.push_back(parse_address(address));
    table.share_with_kernel(interface, wire::parse_mac(kernel.at("mac").get<std::string>()).value(), shared);
  }
  for (auto const& route : given.value("routes", json::array())) {
    table.set_route(parse_prefix(route.at("to")), target_of(route));
  }
}

[[nodiscard]] std::string why_of(verdict said) {
  if (said.what() == verdict::action::drop) return std::string{drop_name<router>(said.why())};
  if (said.what() == verdict::action::punt) return std::string{to_string(said.why_punted())};
  return {};
}
[[nodiscard]] json outcome_of(verdict said, std::span<std::byte const> frame) {
  constexpr std::array names{"forward", "drop", "punt"};
  json made{
      {"what", names.at(static_cast<std::size_t>(said.what()))}, {"why", why_of(said)}, {"frame", test::to_hex(frame)}};
  if (said.what() == verdict::action::forward) made["to"] = static_cast<unsigned>(said.to());
  return made;
}

// The router alone. Its frames lie in allocations of exactly their size, where AddressSanitizer sees accesses outside.
[[nodiscard]] json route_alone(router_table const& table, json const& step) {
  auto whole = test::from_hex(step.at("frame").get<std::string>());
  auto const contiguous = std::min(step.value("contiguous", whole.size()), whole.size());
  std::vector<std::byte> piece(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(contiguous));
  piece.shrink_to_fit();
  packet_view const view{piece.data(), static_cast<std::uint32_t>(contiguous),
                         static_cast<std::uint32_t>(whole.size())};
  auto const said = router::process(view, table.cpu(index_of(step.at("ingress"))));
  std::copy(piece.begin(), piece.end(), whole.begin());
  return json::array({outcome_of(said, whole)});
}

// The router and its control plane; it moves the packets between the two.
class whole_router {
 public:
  whole_router(router_table& table, json const& settings)
      : session_{arguments()},
        pool_{test::small_pool("frames")},
        table_{table},
        plane_{table, pool_.get(), read(settings)} {}
  whole_router(whole_router const&) = delete;
  whole_router& operator=(whole_router const&) = delete;
  ~whole_router() {
    control_actions rest;
    plane_.give_up(rest);
    for (auto const& action : rest) rte_pktmbuf_free(action.packet);
  }

  [[nodiscard]] json step(json const& given) {
    json outcomes = json::array();
    if (given.contains("claim")) {
      std::vector<wire::ipv4_address> claimed;
      for (auto const& one : given.at("claim")) claimed.push_back(wire::parse_ipv4(one.get<std::string>()).value());
      plane_.claim(claimed);
      return outcomes;
    }
    if (given.contains("link_up")) {
      plane_.announce(index_of(given.at("link_up")));
      return outcomes;
    }
    if (given.contains("wait_ms")) {
      now_ += std::chrono::milliseconds{given.at("wait_ms").get<long>()};
      control_actions actions;
      plane_.tick(now_, actions);
      carry_out(actions, outcomes);
      return outcomes;
    }
    auto* const packet = test::make_packet(pool_, test::from_hex(given.at("frame").get<std::string>()));
    route(packet, index_of(given.at("ingress")), outcomes);
    return outcomes;
  }
  void add_neighbour(neighbour_key const& neighbour, wire::mac_address const& mac) {
    control_actions none;
    plane_.add_neighbour(neighbour, mac, none);
  }
  // Packets that have been taken from the pool and not returned.
  [[nodiscard]] std::size_t missing() const { return rte_mempool_in_use_count(&pool_.get()) - plane_.mbufs_held(); }

 private:
  [[nodiscard]] static eal_arguments arguments() {
    return {.words = {"route_frames", "--no-huge", "--no-shconf", "--no-pci", "--log-level=*:error", "-m", "64",
                      test::lcores_on_any_cpu(1)},
            .notices = {}};
  }
  [[nodiscard]] static control_settings read(json const& given) {
    control_settings settings;
    settings.icmp_errors_per_second = given.value("icmp_errors_per_second", settings.icmp_errors_per_second);
    settings.icmp_errors_at_once = given.value("icmp_errors_at_once", settings.icmp_errors_at_once);
    settings.neighbours.held_each = given.value("held_each", settings.neighbours.held_each);
    settings.announcements.per_second = given.value("announcements_per_second", settings.announcements.per_second);
    settings.announcements.at_once = given.value("announcements_at_once", settings.announcements.at_once);
    for (auto const& one : given.value("with_kernel", json::array())) settings.with_twin.push_back(index_of(one));
    return settings;
  }

  void route(rte_mbuf* packet, interface_index ingress, json& outcomes) {
    packet_view const view{rte_pktmbuf_mtod(packet, std::byte*), packet->data_len, packet->pkt_len};
    auto const said = router::process(view, table_.cpu(ingress));
    outcomes.push_back(outcome_of(said, test::bytes_of(*packet)));
    if (said.what() != verdict::action::punt) return rte_pktmbuf_free(packet);
    control_actions actions;
    plane_.handle(packet, said.why_punted(), ingress, now_, actions);
    carry_out(actions, outcomes);
  }
  void carry_out(control_actions const& actions, json& outcomes) {
    constexpr std::array names{"send", "put_back", "to_kernel", "drop"};
    for (auto const& action : actions) {
      json made{{"what", names.at(static_cast<std::size_t>(action.what))},
                {"why", action.what == control_action::kind::drop ? std::string{to_string(action.why)} : ""},
                {"frame", test::to_hex(test::bytes_of(*action.packet))},
                {"to", static_cast<unsigned>(action.interface)}};
      outcomes.push_back(std::move(made));
      if (action.what == control_action::kind::put_back) {
        route(action.packet, action.interface, outcomes);
      } else {
        rte_pktmbuf_free(action.packet);
      }
    }
  }

  eal_session session_;
  packet_pool pool_;
  router_table& table_;
  control_plane plane_;
  control_time now_{};
};

[[nodiscard]] json run(json const& given) {
  router_table table;
  set_up(table, given);
  std::unique_ptr<whole_router> all;
  if (given.contains("control")) all = std::make_unique<whole_router>(table, given.at("control"));
  for (auto const& one : given.value("neighbours", json::array())) {
    neighbour_key const neighbour{index_of(one.at("interface")), parse_address(one.at("address"))};
    auto const mac = wire::parse_mac(one.at("mac").get<std::string>()).value();
    if (all) {
      all->add_neighbour(neighbour, mac);
    } else if (!table.set_neighbour(neighbour, mac)) {
      throw failure("no room for the neighbours");
    }
  }
  json outcomes = json::array();
  for (auto const& step : given.at("steps")) outcomes.push_back(all ? all->step(step) : route_alone(table, step));
  if (all && all->missing() != 0) throw failure("packets were lost: " + std::to_string(all->missing()));
  return outcomes;
}

}  // namespace
}  // namespace packetwarp

int main() try {
  // The EAL of a control plane is started once in a process: each has one of its own.
  for (std::string line; std::getline(std::cin, line);)
    std::cout << packetwarp::run(nlohmann::json::parse(line)) << std::endl;
  return 0;
} catch (std::exception const& error) {
  std::cerr << "route_frames: " << error.what() << '\n';
  return 1;
}
