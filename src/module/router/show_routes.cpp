// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/router/show_routes.h"

#include <fmt/format.h>

#include "address/address_kind.h"
#include "base/error.h"
#include "function/router/router.h"
#include "module/router/router_module.h"
#include "module/router/show_neighbours.h"
#include "wire/address_text.h"

namespace packetwarp {
namespace {

// A loop iteration of the master takes some hundred microseconds for this many.
constexpr std::size_t routes_a_slice = 256;

// The tables of a run that routes.
class routed_run {
 public:
  routed_run(router_module const& of, run_view const& run) : of_{of}, run_{run} {}
  [[nodiscard]] network_config const& config() const { return run_.config(); }
  [[nodiscard]] std::uint64_t version() const { return run_.version(); }
  [[nodiscard]] bool is_changing() const { return run_.is_changing(); }
  [[nodiscard]] neighbour_cache const& neighbours() const { return run_.neighbours(); }
  [[nodiscard]] router_table const& router() const { return of_.table(); }
  [[nodiscard]] route_map const& routes() const { return of_.routes(); }

 private:
  router_module const& of_;
  run_view const& run_;
};

using names_of_interfaces = std::span<std::string const>;

[[nodiscard]] std::string const& name_of(names_of_interfaces names, interface_index interface) {
  return names[static_cast<std::size_t>(interface)];
}

// The kind of a route, in the words of its row.
struct route_words {
  std::string_view kind;
  std::optional<ip_address> via;
  std::optional<interface_index> interface;
};

[[nodiscard]] route_words words_of(route_target const& target) {
  if (auto const* const gateway = std::get_if<neighbour_key>(&target)) {
    return {"via", gateway->address, gateway->interface};
  }
  if (auto const* const link = std::get_if<on_link>(&target)) return {"connected", {}, link->interface};
  return {"discard", {}, {}};
}

[[nodiscard]] route_words words_of(router_table::route_found const& found) {
  if (found.kind == next_hop_kind::adjacent) return {"via", found.via, found.interface};
  if (found.kind == next_hop_kind::connected) return {"connected", {}, found.interface};
  return {"discard", {}, {}};
}

// line: of the file; 0: an interface's address is its origin; nothing: a change that is under way is.
[[nodiscard]] std::string row_of(ip_prefix const& to, route_words const& what, std::optional<int> line,
                                 names_of_interfaces names) {
  auto row = fmt::format(R"({{"prefix":"{}","kind":"{}")", to_text(without_host_bits(to)), what.kind);
  if (what.via) row += fmt::format(R"(,"via":"{}")", to_text(*what.via));
  if (what.interface) row += fmt::format(R"(,"interface":{})", name_of(names, *what.interface));
  row += fmt::format(R"(,"origin":"{}")", !line ? "change" : *line == 0 ? "address" : "file");
  if (line && *line != 0) row += fmt::format(R"(,"line":{})", *line);
  return row + '}';
}

[[nodiscard]] std::string row_of(router_table::route_found const& found, routed_run const& net,
                                 names_of_interfaces names) {
  auto const& routes = net.routes();
  auto const at = routes.find(found.to);
  return row_of(found.to, words_of(found), at == routes.end() ? std::nullopt : std::optional{at->second.line}, names);
}

[[nodiscard]] bool is_never_routed(ip_address const& to) {
  return std::visit(
      [](auto a) { return routing::is_link_local(a) || routing::is_martian_destination(a) || routing::is_group(a); },
      to);
}

// The fate of packets to an address, tested in the router's order.
[[nodiscard]] std::string_view fate_of(ip_address const& to, router_table const& router) {
  if (router.is_own(to)) return "own";
  if (is_never_routed(to)) return "never_routed";
  switch (router.kind_of(to)) {
    case next_hop_kind::none:
      return "none";
    case next_hop_kind::adjacent:
    case next_hop_kind::connected:
      break;
    case next_hop_kind::local:
      return "own";
    case next_hop_kind::broadcast:
      return "broadcast";
    case next_hop_kind::discard:
      return "discard";
  }
  auto const route = router.route_to(to);
  return route && route->via ? "via" : "connected";
}

[[nodiscard]] std::string next_hop_of(ip_address const& to, routed_run const& net, names_of_interfaces names) {
  auto const hop = net.router().resolve(to);
  if (!hop) return "null";
  auto const mac = net.neighbours().mac_of(*hop);
  auto const state = net.neighbours().state_of(*hop);
  return fmt::format(R"({{"interface":{},"address":"{}","mac":{},"state":"{}"}})", name_of(names, hop->interface),
                     to_text(hop->address), mac ? json_text(wire::to_text(*mac)) : "null",
                     state ? to_string(*state) : "unknown");
}

[[nodiscard]] std::string look_up(ip_address const& to, routed_run const& net) {
  auto const names = json_names(net.config());
  auto const fate = fate_of(to, net.router());
  bool const is_routed = fate == "via" || fate == "connected";
  auto const route = fate == "never_routed" ? std::nullopt : net.router().route_to(to);
  return success_line_of(fmt::format(R"({{"address":"{}","kind":"{}","route":{},"next_hop":{}}})", to_text(to), fate,
                                     route ? row_of(*route, net, names) : "null",
                                     is_routed ? next_hop_of(to, net, names) : "null"));
}

// Among the settings' routes: the longest one around the whole range of this prefix.
[[nodiscard]] std::string look_up(ip_prefix const& to, routed_run const& net) {
  auto const names = json_names(net.config());
  auto const& routes = net.routes();
  auto found = routes.end();
  for (auto length = to.length + 1; length-- > 0 && found == routes.end();) found = routes.find({to.address, length});
  auto const row = found == routes.end()
                       ? std::string{"null"}
                       : row_of(found->first, words_of(found->second.target), found->second.line, names);
  return success_line_of(fmt::format(R"({{"prefix":"{}","changing":{},"route":{}}})", to_text(without_host_bits(to)),
                                     net.is_changing(), row));
}

// Counted once for each answer.
struct route_counts {
  std::size_t connected{};  // by interfaces' addresses
  std::size_t own{};        // addresses of the router itself
};
[[nodiscard]] route_counts count_routes(routed_run const& net) {
  route_counts made;
  std::map<ip_prefix, int, prefix_less> seen;  // two addresses of a prefix make one route
  auto const& routes = net.routes();
  for (auto const& one : net.config().interfaces) {
    for (auto const& address : one.addresses) {
      auto const at = routes.find(address);
      if (at != routes.end() && at->second.line == 0 && seen.try_emplace(address).second) ++made.connected;
    }
  }
  for (std::size_t n = 0; n < net.router().interfaces(); ++n) {
    made.own += net.router().facts(interface_index{static_cast<std::uint16_t>(n)}).addresses.size();
  }
  return made;
}

class route_page {
 public:
  route_page(routed_run const& net, std::optional<ip_prefix> const& from, std::size_t most)
      : net_{net}, names_{json_names(net.config())}, from_{from}, most_{most} {
    begin();
  }

  [[nodiscard]] std::optional<std::string> step() {
    // A reload has ended meanwhile: a page is of one version.
    if (version_ != net_.version()) begin();
    auto const slice = std::min(routes_a_slice, most_ - rows_.count());
    at_ = add_routes(net_.routes(), names_, at_, slice, rows_);
    if (at_ && rows_.count() < most_) return std::nullopt;
    auto const counts = count_routes(net_);
    auto text = fmt::format(R"({{"version":{},"changing":{},"total":{},"connected":{},"own":{},"routes":{})", version_,
                            net_.is_changing(), net_.routes().size(), counts.connected, counts.own, rows_.array());
    if (at_) text += fmt::format(R"(,"next":"{}")", to_text(without_host_bits(*at_)));
    return success_line_of(text + '}');
  }

 private:
  void begin() {
    version_ = net_.version();
    rows_.clear();
    at_ = from_;
  }

  routed_run net_;
  std::vector<std::string> names_;
  std::optional<ip_prefix> from_;
  std::size_t most_;
  std::optional<ip_prefix> at_;
  std::uint64_t version_{};
  json_rows rows_;
};

void require_routes(routed_run const& net) {
  if (net.config().plane.function->has_stage(router::name)) return;
  throw usage_error("show routes: the running network does not route: its file has rules and no 'routes'");
}

[[nodiscard]] request_work answer_look_up(std::string const& text, routed_run const& net) {
  auto const address = parse_address(text);
  auto const prefix = parse_prefix(text);
  if (!address && !prefix) {
    throw usage_error(
        fmt::format("show routes '{}': give an address, such as 192.0.2.1, or a prefix, such as 192.0.2.0/24", text));
  }
  return [address, prefix, net] { return std::optional{address ? look_up(*address, net) : look_up(*prefix, net)}; };
}

}  // namespace

std::optional<ip_prefix> add_routes(route_map const& routes, std::span<std::string const> names,
                                    std::optional<ip_prefix> const& from, std::size_t most, json_rows& into) {
  auto at = from ? routes.lower_bound(*from) : routes.begin();
  for (; most != 0 && at != routes.end(); ++at, --most) {
    into.add(row_of(at->first, words_of(at->second.target), at->second.line, names));
  }
  return at == routes.end() ? std::nullopt : std::optional{at->first};
}

request_work show_routes(request const& asked, router_module& routes, run_view& run) {
  routed_run const net{routes, run};
  asked.require_known({"from", "limit", "to"});
  require_routes(net);
  if (auto const to = asked.find("to")) {
    if (asked.find("from") || asked.find("limit")) {
      throw usage_error("show routes: 'to' asks for one route: leave 'from' and 'limit' out");
    }
    return answer_look_up(*to, net);
  }
  auto const text = asked.find("from");
  auto const from = text ? parse_prefix(*text) : std::nullopt;
  if (text && !from) {
    throw usage_error(fmt::format("--from '{}': give the prefix to begin with, such as 192.0.2.0/24", *text));
  }
  return [page = route_page{net, from, rows_of_a_page(asked)}]() mutable { return page.step(); };
}

}  // namespace packetwarp
