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
#include <vector>

#include "burst/punt_class.h"
#include "module/memory_row.h"

namespace packetwarp {
namespace {

using amount = memory_row::amount;

[[nodiscard]] json or_null(amount n) { return n ? json(*n) : json(nullptr); }

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

// The process's memory in RAM, without hugepages.
[[nodiscard]] amount resident_bytes() {
  std::uint64_t all = 0, resident = 0;
  if (!(std::ifstream{"/proc/self/statm"} >> all >> resident)) return std::nullopt;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

class memory_answer {
 public:
  explicit memory_answer(network& net) : net_{net} {
    for (auto const& one : net.modules()) modules_.push_back(one->memory(net));
  }

  // Each call counts one pool, or a slice of a module.
  [[nodiscard]] std::optional<std::string> step() {
    auto const& pools = net_.plane().pools();
    if (pool_ < pools.size()) {
      all_.push_back(row_of_pool(pools[pool_++]));
      return std::nullopt;
    }
    for (; module_ < modules_.size(); ++module_) {
      if (!modules_[module_](rows_)) return std::nullopt;
    }
    if (auto const* const payloads = net_.plane().payload_pool()) all_.push_back(row_of_pool(*payloads));
    add_pipeline_rows(all_, net_);
    for (auto const& one : rows_) all_.push_back(json_of(one));
    add_control_rows(all_, net_);
    all_.push_back(json_of({.what = "process", .unit = "in RAM, without hugepages", .bytes = resident_bytes()}));
    return success_line({{"memory", std::move(all_)}});
  }

 private:
  network& net_;
  std::size_t pool_{};
  std::vector<memory_work> modules_;
  std::size_t module_{};
  std::vector<memory_row> rows_;  // of modules
  json all_ = json::array();      // in braces it would be an array within another
};

}  // namespace

request_work show_memory(request const& asked, network& net) {
  asked.require_known({});
  return [answer = memory_answer{net}]() mutable { return answer.step(); };
}

}  // namespace packetwarp
