// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/error.h"
#include "function/function_facts.h"
#include "gpu/gpu.h"

namespace packetwarp::traffic {
namespace {

constexpr auto wires = loop::wires;

// A wire takes nothing while the system keeps its verifier from running; that is not the network's fault.
constexpr std::chrono::nanoseconds wire_patience = std::chrono::seconds{2};

std::uint16_t queues_for(data_plane_config const& config) {
  return std::max<std::uint16_t>(1, static_cast<std::uint16_t>((config.pipelines + wires - 1) / wires));
}

// The number of workers that the data plane wants.
std::size_t workers_of(data_plane_config const& config) {
  auto const pipelines = config.pipelines == 0 ? std::size_t{wires} : config.pipelines;
  switch (config.workers) {
    case arrangement::run_to_completion:
      return pipelines;
    case arrangement::pair_cpu:
      return 3 * pipelines;
    default:
      return 2 * pipelines;
  }
}

// Throws usage_error for a function whose effect on packets a verifier cannot know.
transform transform_by(function_facts const& function) {
  switch (function.change) {
    case frame_change::none:
      return transform::same;
    case frame_change::macs_swapped:
      return transform::mac_swapped;
    case frame_change::payload_swapped:
      return transform::payload_swapped;
    case frame_change::by_tables:
      break;
  }
  throw usage_error(
      fmt::format("function {}: its tables say what becomes of a packet, and a loop has none", function.name));
}

}  // namespace

loop::loop(std::string const& name, exchange_config config, data_plane_config plane) {
  if (!plane.port_map.empty()) throw usage_error("--portmap: the wires' ports are peers already");
  plane.tx_timeout = std::max(plane.tx_timeout, wire_patience);
  for (std::uint16_t i = 0; i < wires; ++i) {
    wires_.emplace_back(fmt::format("{}{}", name, i), queues_for(plane), wire_depth);
    plane.ports.push_back(wires_.back().right());
  }
  config.expected = plane.executor == executor_kind::none ? transform::same : transform_by(*plane.function);
  make_plan_of(std::move(plane));
  config.extra_packets += packets_under_way();
  // The wires pass pointers: packets that the data plane must find in GPU memory are made there.
  config.gpu = plan_.pool.gpu;
  if (config.gpu >= 0) (void)open_gpu(config.gpu);
  exchange_.emplace(std::move(config), directions(), lcores_);
  plane_.emplace(plan_);
  exchange_->deal(plane_->workers(), own_lcores_);
}

// The data plane has all the workers that it wants if one lcore is left for the generator; on few lcores they share.
void loop::make_plan_of(data_plane_config config) {
  auto machine = read_machine();
  lcores_ = machine.others.size() + 1;
  auto const all = machine.others;
  if (all.size() >= 2) {
    auto const its = std::min(workers_of(config), all.size() - 1);
    machine.others.resize(its);
    for (std::size_t i = its; i < all.size(); ++i) own_lcores_.push_back(all[i].id);
  } else {
    own_lcores_.push_back(all.empty() ? machine.main.id : all.front().id);
  }
  plan_ = make_plan(std::move(config), machine);
}

port_id loop::outer_end(port_id inner) const {
  return std::find_if(wires_.begin(), wires_.end(), [&](auto const& w) { return w.right() == inner; })->left();
}

std::vector<direction> loop::directions() const {
  std::map<port_id, direction> by_port;
  for (auto const& p : plan_.pipelines) {
    auto const from = outer_end(p.rx_port);
    auto const found = by_port.try_emplace(from, direction{from, outer_end(p.egresses.front().port), 0}).first;
    ++found->second.queues;
  }
  std::vector<direction> all;
  all.reserve(by_port.size());
  for (auto const& [from, one] : by_port) all.push_back(one);
  return all;
}

std::uint32_t loop::packets_under_way() const {
  std::uint32_t packets = 0;
  for (auto const& p : plan_.pipelines) {
    packets += 2 * wire_depth + plan_.config.burst * (p.ring_slots + 2);
    if (plan_.config.workers == arrangement::isolated_rx) packets += plan_.config.isolated_ring;
  }
  return packets;
}

exchange_result loop::run(referee::timing const& times, referee::period_callback on_period) {
  supervisor drains{*plane_, run_limits{}, [](measurement const&) {}};
  referee master{*exchange_, plane_->workers(), times, std::move(on_period), &drains};
  plane_->run(master, std::chrono::seconds{2});
  if (plane_->runs_on()) exchange_->abandon();
  cause_ = master.cause();
  return exchange_->result();
}

}  // namespace packetwarp::traffic
