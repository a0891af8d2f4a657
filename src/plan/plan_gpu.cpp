// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/error.h"
#include "executor/gpu/joint/rooms.h"
#include "plan/plan_steps.h"

namespace packetwarp {
namespace {

// Hardware queues of a GPU (CUDA_DEVICE_MAX_CONNECTIONS): a kernel that never ends keeps one to itself.
constexpr std::size_t most_persistent_kernels = 32;

// The names of ports that cannot have packets in GPU memory; empty if all can.
[[nodiscard]] std::string ports_of_host_memory(plan const& p) {
  std::string all;
  for (auto const& port : p.ports) {
    if (port.facts.access != packet_access::host_only) continue;
    all += fmt::format("{}port {} ({})", all.empty() ? "" : ", ", port.facts.id.value(), port.facts.name);
    auto const& rule = port.facts.traits().access;
    if (rule.if_zero == packet_access::rdma)
      all += fmt::format(", which can with {}=0 after its address", rule.argument);
  }
  return all;
}

// The names of ports that do not receive a packet's header into host memory and its payload into a GPU's.
[[nodiscard]] std::string ports_that_do_not_split(plan const& p) {
  std::string all;
  for (auto const& port : p.ports) {
    if (splits_to_gpu(port.facts)) continue;
    all += fmt::format("{}port {} ({})", all.empty() ? "" : ", ", port.facts.id.value(), port.facts.name);
  }
  return all;
}

// Pipelines of the GPU that has the most.
[[nodiscard]] std::size_t pipelines_a_gpu(plan const& p) {
  auto const gpus = p.config.gpu.indexes.size();
  return (p.pipelines.size() + gpus - 1) / gpus;
}

// The number of the smallest GPU used; 0 if unknown.
[[nodiscard]] std::size_t multiprocessors_of_a_gpu(plan const& p) {
  auto const fewer = [](auto const& a, auto const& b) { return a.multiprocessors < b.multiprocessors; };
  return static_cast<std::size_t>(std::min_element(p.gpus.begin(), p.gpus.end(), fewer)->multiprocessors);
}

// Multiprocessors that persistent kernels leave free: if sessions age there, by kernels of their own, these kernels
// would never run on a GPU that is full for good.
[[nodiscard]] std::size_t multiprocessors_kept(plan const& p) {
  if (p.config.function->care != table_care::swept) return 0;
  constexpr std::size_t one_in = 32;
  return (multiprocessors_of_a_gpu(p) + one_in - 1) / one_in;
}

// The multiprocessors for persistent kernels; 0 if unknown.
[[nodiscard]] std::size_t multiprocessors_to_keep_busy(plan const& p) {
  return multiprocessors_of_a_gpu(p) - multiprocessors_kept(p);
}

// A GPU works on several bursts side by side: up to this number another burst does not delay the others. A block with
// joint work has one at a time while packets are few.
constexpr std::uint32_t least_bursts_at_once = 8;
[[nodiscard]] std::uint32_t bursts_at_once_of(plan const& p, std::uint32_t blocks) {
  return is_joint(p.config) ? std::max(least_bursts_at_once, blocks) : least_bursts_at_once;
}

// Each block of a persistent kernel has a multiprocessor to itself as long as the program runs.
[[nodiscard]] std::uint32_t blocks_of_a_pipeline(plan const& p) {
  if (p.config.gpu.blocks != 0) return p.config.gpu.blocks;
  // A single ring is fastest with twice the warps; with a packet time, the work suffices for as many. Joint work waits
  // for the memory of its state, and then other warps work; and where it is rare, a block has one burst at a time.
  bool const is_persistent = p.config.executor == executor_kind::persistent;
  bool const has_work = is_persistent && p.config.packet_time.count() != 0;
  std::size_t const for_joint_work = is_persistent ? 16 : 8;
  std::size_t const wanted = is_joint(p.config) ? for_joint_work : p.pipelines.size() == 1 || has_work ? 4 : 2;
  auto const all = multiprocessors_to_keep_busy(p);
  if (!is_persistent || multiprocessors_of_a_gpu(p) == 0) return static_cast<std::uint32_t>(wanted);
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(all / pipelines_a_gpu(p), 1, wanted));
}

void require_room_for_persistent_kernels(plan const& p) {
  auto const each = pipelines_a_gpu(p);
  if (each > most_persistent_kernels) {
    throw usage_error(fmt::format(
        "-p {}: a GPU runs at most {} persistent kernels side by side, one a pipeline; use fewer pipelines, "
        "more GPUs (-g 0,1) or -w kernel",
        p.pipelines.size(), most_persistent_kernels));
  }
  auto const all = multiprocessors_to_keep_busy(p);
  auto const kept = multiprocessors_kept(p);
  auto const blocks = p.pipelines.front().gpu_blocks;
  if (multiprocessors_of_a_gpu(p) != 0 && each * blocks > all) {
    throw usage_error(
        fmt::format("a persistent kernel keeps a multiprocessor for each of its blocks: {} pipelines x {} blocks are "
                    "{}, and the GPU has {}{}; use {}fewer pipelines (-p), more GPUs (-g 0,1) or -w kernel",
                    each, blocks, each * blocks, all,
                    kept == 0 ? std::string{} : fmt::format(" beside {} for aging NAT44's sessions", kept),
                    each <= all ? fmt::format("--gpu-blocks {}, ", all / each) : ""));
  }
}

// Decides which pipelines take packets from which others: each pipeline of a port and a GPU takes some of the port's.
void plan_handovers(plan& p) {
  auto const gpus = p.config.gpu.indexes.size();
  std::map<std::pair<port_id, std::size_t>, std::vector<std::size_t>> there;
  for (std::size_t n = 0; n < p.pipelines.size(); ++n) {
    there[{p.pipelines[n].rx_port, p.pipelines[n].gpu_position}].push_back(n);
  }
  std::map<port_id, std::size_t> of_port;
  for (auto& pipeline : p.pipelines) {
    auto const turn = of_port[pipeline.rx_port]++;
    for (std::size_t gpu = 0; gpu < gpus; ++gpu) {
      auto const& all = there[{pipeline.rx_port, gpu}];
      if (all.empty()) {
        throw usage_error(fmt::format(
            "{} GPUs, and {} RX queue{} of port {}: each GPU needs a pipeline of each port that receives, for "
            "sessions lie where their ports say; give {} pipelines or more",
            gpus, of_port.at(pipeline.rx_port), of_port.at(pipeline.rx_port) == 1 ? "" : "s", pipeline.rx_port.value(),
            gpus * p.ports.size()));
      }
      pipeline.hands_to.push_back(all[turn / gpus % all.size()]);
    }
  }
}

// A fault on a GPU that the run does not use would never come.
void require_gpu_of_fault(gpu_config const& gpu) {
  bool const is_used = std::find(gpu.indexes.begin(), gpu.indexes.end(), gpu.fault_gpu) != gpu.indexes.end();
  if (gpu.fault_gpu == -1 || is_used) return;
  throw usage_error(fmt::format("--inject-gpu-fault: the run does not use GPU {}; give one of {}", gpu.fault_gpu,
                                fmt::join(gpu.indexes, ", ")));
}

// Deals GPUs in rotation: over all pipelines, or over the pipelines of each port if packets of any port may have their
// state in any GPU.
void deal_pipelines(plan& p) {
  auto const& gpus = p.config.gpu.indexes;
  bool const is_divided = p.config.function->leaves == departure::by_any_port;
  std::map<port_id, std::size_t> of_port;
  for (std::size_t n = 0; n < p.pipelines.size(); ++n) {
    auto& pipeline = p.pipelines[n];
    auto const turn = is_divided ? of_port[pipeline.rx_port]++ : n;
    pipeline.gpu_position = static_cast<std::uint16_t>(turn % gpus.size());
    pipeline.gpu = gpus[pipeline.gpu_position];
  }
  if (gpus.size() > 1 && p.config.function->share == table_share::divided) plan_handovers(p);
}

// Counts the shared memory of a function that works on packets together. An executor refuses the function later if the
// memory of its GPU is not known here.
void plan_rooms(plan& p) {
  auto const& function = *p.config.function;
  if (function.room_bytes == 0) return;
  auto const threads = threads_of_block(p.config.executor, function);
  for (auto const& gpu : p.gpus) {
    if (gpu.shared_bytes != 0 && rooms_of_block(function.room_bytes, threads) > gpu.shared_bytes) {
      throw usage_error(fmt::format("GPU {}: {}", gpu.index,
                                    lack_of_room(function.name, function.room_bytes, threads, gpu.shared_bytes)));
    }
  }
  p.notices.push_back(
      fmt::format("{} works on packets together, in {} bytes of shared memory for each block of {} warps",
                  function.name, rooms_of_block(function.room_bytes, threads), threads / gpu_warp_size));
}

}  // namespace

void plan_gpus(plan& p, machine_facts const& machine) {
  auto const& gpu = p.config.gpu;
  if (!needs_gpu(p.config.executor)) return;
  for (auto const index : gpu.indexes) {
    auto const found =
        std::find_if(machine.gpus.begin(), machine.gpus.end(), [&](auto const& one) { return one.index == index; });
    p.gpus.push_back(found != machine.gpus.end() ? *found : planned_gpu{.index = index});
  }
  require_gpu_of_fault(gpu);
  deal_pipelines(p);
  for (auto& pipeline : p.pipelines) {
    if (is_paired(p.config.workers)) pipeline.gives_apart = true;
    pipeline.gpu_blocks = blocks_of_a_pipeline(p);
    pipeline.bursts_at_once = bursts_at_once_of(p, pipeline.gpu_blocks);
  }
  if (p.config.function->has_own_kernels && p.config.executor == executor_kind::persistent) {
    throw usage_error(lack_of_launches(p.config.function->name));
  }
  plan_rooms(p);
  if (p.config.executor != executor_kind::persistent) return;
  require_room_for_persistent_kernels(p);
  auto const kept = multiprocessors_kept(p);
  if (multiprocessors_of_a_gpu(p) == 0 || kept == 0) return;
  auto const taken = pipelines_a_gpu(p) * p.pipelines.front().gpu_blocks;
  p.notices.push_back(fmt::format(
      "persistent kernels take {} of the GPU's {} multiprocessors for good; {} at least stay free, where NAT44's "
      "sessions age",
      taken, multiprocessors_of_a_gpu(p), kept));
}

void require_reachable_packets(data_plane_config const& config) {
  if (config.where == placement::host || config.executor != executor_kind::cpu) return;
  bool const splits = config.where == placement::split;
  throw usage_error(
      fmt::format("{}: the CPU cannot touch packets in GPU memory; use -w kernel, persistent or graph, or {}",
                  splits ? "-s" : "-m device", splits ? "leave -s out" : "-m host"));
}

void plan_placement(plan& p) {
  auto const& config = p.config;
  if (config.where == placement::host) return;
  auto const option = config.where == placement::split ? "-s" : "-m device";
  require_reachable_packets(config);
  auto const others = config.where == placement::split ? ports_that_do_not_split(p) : ports_of_host_memory(p);
  p.route = others.empty() ? packet_route::direct : packet_route::staged;
  for (auto& pipeline : p.pipelines) pipeline.route = p.route;
  if (p.route == packet_route::staged) {
    if (config.executor == executor_kind::none) {
      throw usage_error(
          fmt::format("{}: {} cannot write there, and -w none has no use for a copy in GPU memory; use -w kernel, "
                      "persistent or graph, or -m host",
                      option, others));
    }
    bool const moves_nothing = config.where == placement::split && config.function->reach == payload_reach::header;
    p.notices.push_back(
        moves_nothing
            ? fmt::format("payloads stay in pinned host memory: {} cannot write to a GPU's, and forward reaches none",
                          others)
            : fmt::format("{} in GPU memory go through pinned host memory: {} cannot write there",
                          config.where == placement::split ? "payloads" : "packets", others));
    return;
  }
  if (config.gpu.indexes.size() > 1) {
    throw usage_error(fmt::format(
        "{}: ports that write to GPU memory write to one GPU's, and -g lists {}; give one, or a run for each", option,
        config.gpu.indexes.size()));
  }
}

}  // namespace packetwarp
