// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/show/memory.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "burst/punt_class.h"
#include "function/router/lpm_ref.h"
#include "module/nat44/session_tally.h"
#include "module/nat44/translation.h"
#include "module/rules/rules_module.h"

namespace packetwarp {
namespace {

using amount = std::optional<std::uint64_t>;

[[nodiscard]] json or_null(amount n) { return n ? json(*n) : json(nullptr); }

struct memory_row {
  std::string_view what;
  std::string of{};
  std::string_view unit{};
  amount used{};
  amount room{};
  amount bytes{};
  amount gpu_bytes{};
};

[[nodiscard]] json json_of(memory_row const& row) {
  return {{"what", row.what},
          {"of", row.of.empty() ? json(nullptr) : json(row.of)},
          {"used", or_null(row.used)},
          {"room", or_null(row.room)},
          {"unit", row.unit},
          {"bytes", or_null(row.bytes)},
          {"gpu_bytes", or_null(row.gpu_bytes)}};
}

[[nodiscard]] json row_of_pool(packet_pool const& pool) {
  auto const& config = pool.config();
  return json_of({.what = "packet pool",
                  .of = config.name,
                  .unit = "packets",
                  .used = config.packets - std::min(config.packets, pool.available()),
                  .room = config.packets,
                  .bytes = config.bytes(),
                  .gpu_bytes = config.gpu < 0 ? amount{} : config.gpu_bytes()});
}

void add_router_rows(json& all, network const& net) {
  auto const is = net.router().occupied();
  auto const copies = [&](std::uint64_t bytes) {
    return needs_gpu(net.config().plane.executor) ? amount{bytes} : amount{};
  };
  auto const add = [&](std::string_view what, std::string of, std::string_view unit, router_table::usage const& usage,
                       std::uint64_t bytes) {
    all.push_back(json_of({.what = what,
                           .of = std::move(of),
                           .unit = unit,
                           .used = usage.used,
                           .room = usage.room,
                           .bytes = bytes,
                           .gpu_bytes = copies(bytes)}));
  };
  // Prefixes share the room of groups, beside the root that every table has.
  auto const group = lpm_ref::group_size * sizeof(std::uint32_t);
  auto const root = lpm_ref::root_size * sizeof(std::uint32_t);
  all.push_back(json_of({.what = "routes", .of = "ipv4", .unit = "prefixes", .used = is.ipv4_routes}));
  all.push_back(json_of({.what = "routes", .of = "ipv6", .unit = "prefixes", .used = is.ipv6_routes}));
  add("route groups", "ipv4", "groups of 256", is.ipv4_groups, root + is.ipv4_groups.room * group);
  add("route groups", "ipv6", "groups of 256", is.ipv6_groups, root + is.ipv6_groups.room * group);
  add("next hops", "", "neighbours", is.next_hops, is.next_hops.room * sizeof(next_hop));
  // At most a quarter of a host table's slots is in use.
  add("hosts", "ipv4", "addresses", is.ipv4_hosts, is.ipv4_hosts.room * 4 * sizeof(std::uint64_t));
  add("hosts", "ipv6", "addresses", is.ipv6_hosts, is.ipv6_hosts.room * 4 * sizeof(ipv6_host));
  auto const& interfaces = net.config().interfaces;
  for (std::size_t n = 0; n < interfaces.size(); ++n) {
    all.push_back(json_of({.what = "neighbours learnt",
                           .of = interfaces[n].name,
                           .unit = "neighbours",
                           .used = net.neighbours().known(interface_index{static_cast<std::uint16_t>(n)}),
                           .room = net.neighbours().room()}));
  }
}

void add_control_rows(json& all, network& net) {
  auto const& planned = net.plane().planned().control;
  auto* const desk = net.plane().desk();
  if (!planned || desk == nullptr) return;
  for (std::size_t n = 0; n < punt_classes; ++n) {
    auto const kind = static_cast<punt_class>(n);
    all.push_back(json_of({.what = "punted packets",
                           .of = std::string{to_string(kind)},
                           .unit = "packets",
                           .used = desk->waiting(kind),
                           .room = control_desk::rooms[n]}));
  }
  auto const waiting = net.neighbours().held();
  auto const held = net.control().held();
  all.push_back(json_of(
      {.what = "packets that wait for a MAC address", .unit = "packets", .used = waiting, .room = planned->awaiting}));
  all.push_back(json_of({.what = "fragments",
                         .unit = "fragments",
                         .used = held - std::min(held, waiting),
                         .room = planned->fragments,
                         .bytes = planned->fragment_bytes}));
}

void add_pipeline_rows(json& all, network& net) {
  auto const& plan = net.plane().planned();
  for (auto const& p : net.plane().pipelines()) {
    auto const& planned = p.planned();
    all.push_back(json_of({.what = "pipeline",
                           .of = std::to_string(planned.id.value()),
                           .unit = "packets in flight",
                           .used = p.counters().in_flight(),
                           .room = std::uint64_t{planned.ring_slots} * plan.config.burst + planned.isolated_ring}));
  }
}

// What the process has in RAM, hugepages not among it.
[[nodiscard]] amount resident_bytes() {
  std::uint64_t all = 0, resident = 0;
  if (!(std::ifstream{"/proc/self/statm"} >> all >> resident)) return std::nullopt;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

class memory_answer {
 public:
  explicit memory_answer(network& net) : net_{net} {
    if (net.find<translation>() != nullptr) tally_.emplace(net.find<translation>()->table());
  }

  // A pool, or a slice of the sessions, a call.
  [[nodiscard]] std::optional<std::string> step() {
    auto const& pools = net_.plane().pools();
    if (pool_ < pools.size()) {
      all_.push_back(row_of_pool(pools[pool_++]));
      return std::nullopt;
    }
    if (tally_ && !sessions_ && !(sessions_ = tally_->step())) return std::nullopt;
    if (auto const* const payloads = net_.plane().payload_pool()) all_.push_back(row_of_pool(*payloads));
    add_pipeline_rows(all_, net_);
    if (net_.config().plane.function->has_stage(router::name)) add_router_rows(all_, net_);
    add_control_rows(all_, net_);
    add_function_rows();
    all_.push_back(json_of({.what = "process", .unit = "in RAM, without hugepages", .bytes = resident_bytes()}));
    return success_line({{"memory", std::move(all_)}});
  }

 private:
  void add_function_rows() {
    if (sessions_) {
      auto const bytes = net_.find<translation>()->table().size();
      bool const is_on_gpu = needs_gpu(net_.config().plane.executor);
      all_.push_back(json_of({.what = "nat44 sessions",
                              .unit = "sessions",
                              .used = sessions_->live(),
                              .room = sessions_->room,
                              .bytes = bytes,
                              .gpu_bytes = is_on_gpu ? amount{bytes} : amount{}}));
    }
    if (net_.find<rules_module>() != nullptr) {
      all_.push_back(
          json_of({.what = "flow rules", .unit = "rules", .used = net_.find<rules_module>()->tables().size()}));
    }
  }

  network& net_;
  std::size_t pool_{};
  std::optional<session_tally> tally_;
  std::optional<telemetry::nat_report> sessions_;
  json all_ = json::array();  // in braces it would be an array within another
};

}  // namespace

request_work show_memory(request const& asked, network& net) {
  asked.require_known({});
  return [answer = memory_answer{net}]() mutable { return answer.step(); };
}

}  // namespace packetwarp
