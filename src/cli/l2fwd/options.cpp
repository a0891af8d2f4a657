// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/l2fwd/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/units.h"
#include "cli/gpu_fault_option.h"
#include "cli/option_values.h"
#include "cli/replay_option.h"
#include "executor/gpu/offload/offload_ring.h"
#include "function/function_facts.h"
#include "plan/plan.h"

namespace packetwarp {
namespace {

// The options as typed; std::nullopt is "not given".
struct typed_options {
  std::optional<std::string> burst, data_room, gpu, memory, pipelines, packet_time, packets, workload, warmup;
  std::optional<std::string> burst_timeout, until_idle, duration, stats_period, report_age, workers, isolated_ring, rxd,
      txd;
  std::optional<std::string> tx_timeout, poll_sleep, port_map, function, mtu, pool_cache, pool_packets, ring_slots,
      gpu_timeout, gpu_blocks, gpu_fault;
  bool nvtx{}, split{}, launch_per_burst{}, keeps_privileges{};
  std::vector<std::string> replays;
  std::string json, control;
  observer_options observers;
};

void declare(CLI::App& app, typed_options& typed) {
  app.add_option("-b,--burst", typed.burst);
  app.add_option("-d,--data-room", typed.data_room);
  app.add_option("-g,--gpu", typed.gpu);
  app.add_option("-m,--memory", typed.memory);
  app.add_flag("-n,--nvtx", typed.nvtx);
  app.add_option("-p,--pipelines", typed.pipelines);
  app.add_flag("-s,--split", typed.split);
  app.add_option("-t,--packet-time", typed.packet_time);
  app.add_option("-v,--packets", typed.packets);
  app.add_option("-w,--workload", typed.workload);
  app.add_option("-z,--warmup", typed.warmup);
  app.add_option("--burst-timeout", typed.burst_timeout);
  app.add_option("--tx-timeout", typed.tx_timeout);
  app.add_option("--poll-sleep", typed.poll_sleep);
  app.add_option("--until-idle", typed.until_idle);
  app.add_option("--duration", typed.duration);
  app.add_option("--stats-period", typed.stats_period);
  app.add_option("--workers", typed.workers);
  app.add_option("--isolated-ring", typed.isolated_ring);
  app.add_option("--rxd", typed.rxd);
  app.add_option("--txd", typed.txd);
  app.add_option("--portmap", typed.port_map);
  app.add_option("--function", typed.function);
  app.add_option("--mtu", typed.mtu);
  app.add_option("--mbcache", typed.pool_cache);
  app.add_option("--total-num-mbufs", typed.pool_packets);
  app.add_option("--ring-slots", typed.ring_slots);
  app.add_option("--gpu-timeout", typed.gpu_timeout);
  app.add_option("--gpu-blocks", typed.gpu_blocks);
  app.add_option("--inject-gpu-fault", typed.gpu_fault);
  app.add_flag("--launch-per-burst", typed.launch_per_burst);
  app.add_option("--replay", typed.replays)->allow_extra_args(false);
  app.add_option("--json", typed.json);
  app.add_option("--control", typed.control);
  app.add_option("--metrics", typed.observers.metrics);
  app.add_option("--event-log", typed.observers.event_log);
  app.add_option("--report-age", typed.report_age);
  app.add_flag("--keep-privileges", typed.keeps_privileges);
}

template <class E>
using choices = std::span<std::pair<std::string_view, E> const>;

template <class E>
void take_word(std::optional<std::string> const& text, std::string_view what, choices<E> words, E& into) {
  if (!text) return;
  std::string allowed;
  for (auto const& [word, meaning] : words) {
    if (*text == word) {
      into = meaning;
      return;
    }
    allowed.append(allowed.empty() ? "" : ", ").append(word);
  }
  throw usage_error(fmt::format("{}: '{}' is not one of {}", what, *text, allowed));
}
template <class E, std::size_t N>
void take_word(std::optional<std::string> const& text, std::string_view what,
               std::array<std::pair<std::string_view, E>, N> const& words, E& into) {
  take_word<E>(text, what, choices<E>{words}, into);
}

// Functions for ports without a network's tables.
[[nodiscard]] std::vector<std::pair<std::string_view, function_facts const*>> functions_without_tables() {
  std::vector<std::pair<std::string_view, function_facts const*>> all;
  for (auto const* const one : compiled_function_facts()) {
    if (!one->needs_tables()) all.emplace_back(one->name, one);
  }
  return all;
}

// The function whose effect shows on split packets.
[[nodiscard]] function_facts const* function_on_payloads() {
  for (auto const& [name, one] : functions_without_tables()) {
    if (one->reach == payload_reach::payload) return one;
  }
  throw usage_error("-s: no function that reaches payloads is compiled");
}

// "0" or "0,1"; each index may be given once.
[[nodiscard]] std::vector<int> parse_gpus(std::string const& text) {
  std::vector<int> indexes;
  for (std::size_t begin = 0; begin <= text.size();) {
    auto const end = std::min(text.find(',', begin), text.size());
    int index = -1;
    auto const [rest, error] = std::from_chars(text.data() + begin, text.data() + end, index);
    if (error != std::errc{} || rest != text.data() + end || index < 0) {
      throw usage_error(fmt::format("-g: '{}' is not a list of GPU numbers such as 0 or 0,1", text));
    }
    if (std::find(indexes.begin(), indexes.end(), index) != indexes.end()) {
      throw usage_error(fmt::format("-g: GPU {} is listed twice", index));
    }
    indexes.push_back(index);
    begin = end + 1;
  }
  return indexes;
}

void take_gpu_timeout(std::optional<std::string> const& text, gpu_config& gpu) {
  take_duration(text, "--gpu-timeout", gpu.timeout);
  if (gpu.timeout >= least_gpu_timeout && gpu.timeout <= most_gpu_timeout) return;
  throw usage_error(fmt::format("--gpu-timeout: {} is out of range; allowed are 1ms to 1h", *text));
}

// "stall" or "error@1000": the fault, and the bursts of a pipeline before it.
void take_gpu(typed_options const& typed, gpu_config& gpu) {
  if (typed.gpu_fault) take_gpu_fault(*typed.gpu_fault, gpu);
  gpu.trace = typed.nvtx;
  if (typed.gpu) gpu.indexes = parse_gpus(*typed.gpu);
  take_gpu_timeout(typed.gpu_timeout, gpu);
  take_count(typed.gpu_blocks, "--gpu-blocks", 1, max_polling_blocks, gpu.blocks);
  if (typed.launch_per_burst) gpu.launches = launch_policy::per_burst;
}

// Refuses options that have no meaning for the executor.
void require_gpu_sense(typed_options const& typed, data_plane_config const& plane) {
  auto const only_for = [&](bool given, std::string_view option, bool fits, std::string_view who) {
    if (given && !fits) {
      throw usage_error(
          fmt::format("{}: -w {} has no use for it; it goes with {}", option, to_string(plane.executor), who));
    }
  };
  bool const on_gpu = needs_gpu(plane.executor);
  only_for(typed.gpu.has_value(), "-g", on_gpu || plane.where != placement::host, "-w kernel, persistent or graph");
  only_for(typed.gpu_timeout.has_value(), "--gpu-timeout", on_gpu, "-w kernel, persistent or graph");
  only_for(typed.gpu_fault.has_value(), "--inject-gpu-fault", on_gpu, "-w kernel, persistent or graph");
  only_for(typed.nvtx, "-n", on_gpu, "-w kernel, persistent or graph");
  only_for(typed.gpu_blocks.has_value(), "--gpu-blocks",
           plane.executor == executor_kind::persistent || plane.executor == executor_kind::graph,
           "-w persistent or graph");
  only_for(typed.launch_per_burst, "--launch-per-burst", plane.executor == executor_kind::kernel, "-w kernel");
}

void take_plane(typed_options const& typed, data_plane_config& plane) {
  take_count(typed.burst, "-b", 1, max_burst_size, plane.burst);
  if (typed.data_room) {
    auto const size = parse_size(*typed.data_room, "-d");
    constexpr std::uint64_t least = 128, most = 65535 - RTE_PKTMBUF_HEADROOM;
    if (size < least || size > most) {
      throw usage_error(
          fmt::format("-d: {} is out of range; allowed are {} to {} bytes", *typed.data_room, least, most));
    }
    plane.data_room = static_cast<std::uint32_t>(size);
  }
  using enum executor_kind;
  take_word<executor_kind, 10>(typed.workload, "-w",
                               {{{"none", none},
                                 {"cpu", cpu},
                                 {"kernel", kernel},
                                 {"persistent", persistent},
                                 {"graph", graph},
                                 {"0", none},
                                 {"1", cpu},
                                 {"2", kernel},
                                 {"3", persistent},
                                 {"4", graph}}},
                               plane.executor);
  take_word<placement, 4>(
      typed.memory, "-m",
      {{{"host", placement::host}, {"device", placement::device}, {"0", placement::host}, {"1", placement::device}}},
      plane.where);
  if (typed.split) {
    // l2fwd-nv's -s chooses its function, too. Its -m chooses the place of payloads; the default is the GPU.
    plane.where = typed.memory && plane.where == placement::host ? placement::host : placement::split;
    plane.function = function_on_payloads();
  }
  take_word<function_facts const*>(typed.function, "--function", functions_without_tables(), plane.function);
  take_word<arrangement, 4>(typed.workers, "--workers",
                            {{{"run-to-completion", arrangement::run_to_completion},
                              {"pair", arrangement::pair},
                              {"pair-cpu", arrangement::pair_cpu},
                              {"isolated-rx", arrangement::isolated_rx}}},
                            plane.workers);
  take_count(typed.pipelines, "-p", 1, 1024, plane.pipelines);
  if (auto const& time = typed.packet_time) {
    // A number without a unit is l2fwd-nv's -t, in nanoseconds.
    bool const is_bare = time->find_first_not_of("0123456789") == std::string::npos;
    plane.packet_time = parse_packet_time(is_bare ? *time + "ns" : *time, "-t");
  }
  take_duration(typed.burst_timeout, "--burst-timeout", plane.burst_timeout);
  take_duration(typed.tx_timeout, "--tx-timeout", plane.tx_timeout);
  take_duration(typed.poll_sleep, "--poll-sleep", plane.poll_sleep);
  take_count(typed.isolated_ring, "--isolated-ring", 64, 1u << 30, plane.isolated_ring);
  take_count(typed.rxd, "--rxd", 1, 32768, plane.rx_descriptors);
  take_count(typed.txd, "--txd", 1, 32768, plane.tx_descriptors);
  take_count(typed.mtu, "--mtu", 68, 65535, plane.mtu);
  take_count(typed.ring_slots, "--ring-slots", 1, most_ring_slots, plane.ring_slots);
  if (plane.ring_slots != 0 && !std::has_single_bit(plane.ring_slots)) {
    throw usage_error(fmt::format("--ring-slots: {} is not a power of two", plane.ring_slots));
  }
  take_count(typed.pool_cache, "--mbcache", 0, RTE_MEMPOOL_CACHE_MAX_SIZE, plane.pool_cache);
  take_count(typed.pool_packets, "--total-num-mbufs", 1, std::uint64_t{1} << 30, plane.pool_packets);
  if (typed.port_map) plane.port_map = parse_port_map(*typed.port_map);
  plane.replays = parse_replays(typed.replays);
}

void require_sense(typed_options const& typed, data_plane_config const& plane) {
  if (plane.executor == executor_kind::none && plane.packet_time.count() != 0) {
    throw usage_error("-t: workload none does no work per packet to take time for; use -w cpu");
  }
  if (typed.isolated_ring && plane.workers != arrangement::isolated_rx) {
    throw usage_error(fmt::format("--isolated-ring: workers {} have no such ring; use --workers isolated-rx",
                                  to_string(plane.workers)));
  }
  if (plane.poll_sleep > longest_poll_sleep) {
    throw usage_error(
        fmt::format("--poll-sleep: {} is too long for the queues that must hold the packets meanwhile; at most {}ms",
                    *typed.poll_sleep, longest_poll_sleep / std::chrono::milliseconds{1}));
  }
  require_reachable_packets(plane);
  require_writable_packets(plane);
}

}  // namespace

l2fwd_options parse_l2fwd_options(invocation const& call) {
  typed_options typed;
  CLI::App app;
  declare(app, typed);
  parse_options(app, call);
  l2fwd_options options;
  take_plane(typed, options.plane);
  take_gpu(typed, options.plane.gpu);
  require_gpu_sense(typed, options.plane);
  require_sense(typed, options.plane);
  take_count(typed.packets, "-v", 0, std::numeric_limits<std::uint64_t>::max() / 2, options.limits.packets);
  take_count(typed.warmup, "-z", 0, std::numeric_limits<std::uint64_t>::max() / 2, options.limits.warmup);
  take_duration(typed.until_idle, "--until-idle", options.limits.until_idle);
  take_duration(typed.duration, "--duration", options.limits.duration);
  if (::isatty(STDERR_FILENO) != 0) options.limits.stats_period = std::chrono::seconds{1};
  take_duration(typed.stats_period, "--stats-period", options.limits.stats_period);
  options.json = typed.json;
  options.control = typed.control;
  options.observers = typed.observers;
  if (typed.keeps_privileges) options.rights = privileges::kept;
  take_report_age(typed.report_age, options.observers);
  require_listen_address(options.observers.metrics);
  return options;
}

}  // namespace packetwarp
