// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/file/plane_section.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "cli/run/file/workers_section.h"
#include "file/values.h"

namespace packetwarp {
namespace {

constexpr std::array executors{choice{std::string_view{"cpu"}, executor_kind::cpu},
                               choice{std::string_view{"kernel"}, executor_kind::kernel},
                               choice{std::string_view{"persistent"}, executor_kind::persistent},
                               choice{std::string_view{"graph"}, executor_kind::graph}};
constexpr std::array placements{choice{std::string_view{"host"}, placement::host},
                                choice{std::string_view{"device"}, placement::device}};
constexpr std::array arrangements{choice{std::string_view{"run-to-completion"}, arrangement::run_to_completion},
                                  choice{std::string_view{"isolated-rx"}, arrangement::isolated_rx}};

// `workers` is a word, or a list of each worker's queues.
void read_workers(yaml_place const& section, std::span<std::string const> interfaces, data_plane_config& plane) {
  auto const at = section.find("workers");
  if (!at) return;
  if (!at->is_list()) {
    plane.workers = choice_at(*at, arrangements);
    return;
  }
  plane.workers = arrangement::listed;
  plane.listed = read_workers_section(*at, interfaces);
  for (auto const* key : {"pipelines", "isolated_ring"}) {
    if (auto const other = section.find(key)) other->refuse("the workers are listed, with their queues; leave it out");
  }
}

void read_gpus(yaml_place const& section, data_plane_config& plane) {
  auto const at = section.find("gpus");
  if (!at) return;
  plane.gpu.indexes.clear();
  if (at->items().empty()) at->refuse("give a GPU's number, such as [0]");
  for (auto const& one : at->items()) {
    auto const index = static_cast<int>(one.number(0, 255));
    if (std::ranges::find(plane.gpu.indexes, index) != plane.gpu.indexes.end()) {
      one.refuse(fmt::format("GPU {} is there twice", index));
    }
    plane.gpu.indexes.push_back(index);
  }
  if (needs_gpu(plane.executor)) return;
  at->refuse(
      fmt::format("executor {} has no use for GPUs; leave it out, or give 'executor': kernel, persistent or graph",
                  to_string(plane.executor)));
}

void read_gpu_timeout(yaml_place const& section, data_plane_config& plane) {
  auto const at = section.find("gpu_timeout");
  if (!at) return;
  plane.gpu.timeout = duration_at(*at, most_gpu_timeout);
  if (plane.gpu.timeout < least_gpu_timeout) at->refuse("a GPU needs some time for its work; 1ms to 1h are allowed");
  if (needs_gpu(plane.executor)) return;
  at->refuse(fmt::format("executor {} has no use for it; leave it out, or give 'executor': kernel, persistent or graph",
                         to_string(plane.executor)));
}

void read_isolated_ring(yaml_place const& section, data_plane_config& plane) {
  auto const at = section.find("isolated_ring");
  if (!at) return;
  plane.isolated_ring = static_cast<std::uint32_t>(at->number(least_isolated_ring, most_isolated_ring));
  if (plane.workers == arrangement::isolated_rx) return;
  at->refuse(fmt::format("workers {} have no such ring; leave it out, or give 'workers: isolated-rx'",
                         to_string(plane.workers)));
}

}  // namespace

void read_plane_section(yaml_place const& place, std::span<std::string const> interfaces, data_plane_config& plane) {
  place.require_keys({"executor", "placement", "gpus", "gpu_timeout", "burst", "pipelines", "workers", "isolated_ring",
                      "ring_slots", "descriptors", "packets", "loop_delay", "poll_sleep", "big_loop", "big_loop_master",
                      "message_timeout", "tx_timeout"});
  if (auto const at = place.find("executor")) plane.executor = choice_at(*at, executors);
  if (auto const at = place.find("placement")) {
    plane.where = choice_at(*at, placements);
    if (plane.where != placement::host && plane.executor == executor_kind::cpu) {
      at->refuse(
          "a CPU cannot touch packets in GPU memory; give 'executor: kernel', persistent or graph, or leave it out");
    }
  }
  read_workers(place, interfaces, plane);
  if (auto const at = place.find("burst")) plane.burst = static_cast<std::uint32_t>(at->number(1, max_burst_size));
  if (auto const at = place.find("pipelines")) plane.pipelines = static_cast<std::uint16_t>(at->number(1, 1024));
  read_isolated_ring(place, plane);
  if (auto const at = place.find("ring_slots")) {
    plane.ring_slots = static_cast<std::uint32_t>(at->number(1, most_ring_slots));
    if (!std::has_single_bit(plane.ring_slots)) at->refuse("not a power of two, such as 16");
  }
  if (auto const at = place.find("packets")) {
    plane.pool_packets = static_cast<std::uint32_t>(at->number(1, std::uint64_t{1} << 30));
  }
  if (auto const at = place.find("descriptors")) {
    plane.rx_descriptors = plane.tx_descriptors = static_cast<std::uint16_t>(at->number(64, 32768));
  }
  if (auto const at = place.find("loop_delay")) plane.loop_delay = duration_at(*at, std::chrono::seconds{1});
  if (auto const at = place.find("poll_sleep")) plane.poll_sleep = duration_at(*at, longest_poll_sleep);
  if (auto const at = place.find("big_loop")) plane.big_loop = duration_at(*at, std::chrono::hours{1});
  if (auto const at = place.find("big_loop_master")) plane.big_loop_master = duration_at(*at, std::chrono::hours{1});
  if (auto const at = place.find("message_timeout")) {
    plane.message_timeout = duration_at(*at, std::chrono::hours{1});
    if (plane.message_timeout.count() == 0) at->refuse("workers need some time to answer, such as 2ms");
  }
  if (auto const at = place.find("tx_timeout")) plane.tx_timeout = duration_at(*at, std::chrono::hours{1});
  read_gpus(place, plane);
  read_gpu_timeout(place, plane);
}

}  // namespace packetwarp
