// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <rte_ring.h>

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "base/error.h"
#include "plan/plan_steps.h"
#include "twin/twin_job.h"

namespace packetwarp {
namespace {

// For a pipeline of a GPU that takes about 8 us for a burst and 40 million packets per second from each of eight.
constexpr std::uint32_t gpu_packets_in_flight = 2048;

// For a GPU whose function works on packets together, which takes tens of microseconds for a burst.
constexpr std::uint32_t joint_packets_in_flight = 16384;
// The same if each warp works by itself: this many keep the GPU busy, and with more, headers are no longer in the CPU's
// caches (docs/performance/gpu-latency.md, "Fewer packets in flight").
constexpr std::uint32_t by_warps_in_flight = 8192;

// For a pipeline whose packets pass from one worker to another: enough that headers come from the cache that all
// workers share, not from the other's own (docs/performance/gpu.md).
constexpr std::uint32_t paired_packets_in_flight = 16384;

// Bursts in flight in a pipeline.
[[nodiscard]] std::uint32_t slots_for(data_plane_config const& config) {
  auto const hold = [&](std::uint32_t packets, std::uint32_t most) {
    return std::clamp(std::bit_ceil(packets / config.burst), 16u, most);
  };
  if (is_paired(config.workers, config.listed)) return hold(paired_packets_in_flight, 1024);
  // A GPU takes a few microseconds for a burst: this many packets keep it busy for this time.
  if (needs_gpu(config.executor)) {
    if (!is_joint(config)) return hold(gpu_packets_in_flight, 256);
    auto const& function = *config.function;
    bool const is_by_warps = function.room_bytes != 0 && !function.goes_in_step;
    return hold(is_by_warps ? by_warps_in_flight : joint_packets_in_flight, 256);
  }
  // A worker that does all jobs empties each burst before the next: few slots, so that they stay in its L1 cache.
  return 4;
}

// Packets that other GPUs' pipelines have handed over to a pipeline, until it takes them.
[[nodiscard]] std::uint64_t packets_handed_over(planned_pipeline const& pipeline) {
  return pipeline.hands_to.empty() ? 0 : handover_room;
}

// Whether the CPU goes on with packets once a GPU is lost: it reaches the bytes that their function needs (the same
// condition as cpu_reaches_packets(), src/executor/make.h).
[[nodiscard]] bool cpu_takes_over(plan const& p) {
  auto const& config = p.config;
  if (!needs_gpu(config.executor)) return false;
  if (config.where == placement::host || p.route == packet_route::staged) return true;
  return config.where == placement::split && config.function->reach == payload_reach::header;
}

// Packets that a lost GPU may still write to, until it has ended (held_packets.h): all of the ring at most. The ring
// fills again meanwhile.
[[nodiscard]] std::uint64_t packets_held(plan const& p, planned_pipeline const& pipeline) {
  return cpu_takes_over(p) ? std::uint64_t{p.config.burst} * pipeline.ring_slots : 0;
}

// Packets that a pipeline can have at once, beside queues: in the ring, held for a lost GPU, and waiting for its TX
// queues.
[[nodiscard]] std::uint64_t packets_on_the_way(plan const& p, planned_pipeline const& pipeline) {
  auto const& config = p.config;
  auto const waiting = egress::waiting_bursts * pipeline.egresses.size();
  auto const copies = config.mirror_to ? egress::copies_at_once : 0;  // not yet taken by the mirror port's queue
  return config.burst * (pipeline.ring_slots + waiting) + packets_held(p, pipeline) + pipeline.isolated_ring +
         packets_handed_over(pipeline) + copies;
}

// A cache may hold one and a half times its size before it gives packets back.
[[nodiscard]] std::uint64_t packets_in_caches(data_plane_config const& config, std::size_t workers) {
  return workers * config.pool_cache * 3 / 2;
}

// Packets beside a kernel interface: handed over, waiting for either side, and in its driver's two rings.
constexpr std::uint64_t packets_of_twin = twin_link::room + 2 * twin_job::waiting_packets + 2 * 1024;

// The control plane's packets may all come from one pool: it is unknown which pipeline's packets are punted.
[[nodiscard]] std::uint64_t packets_of_control(plan const& p) { return p.control ? p.control->packets() : 0; }

// The packets of a single pool for everything.
[[nodiscard]] std::uint64_t packets_of_all(plan const& p) {
  std::uint64_t packets = p.config.extra_packets + packets_in_caches(p.config, p.workers.size());
  for (auto const& port : p.ports) {
    packets += std::uint64_t{port.config.rx_queues} * port.config.rx_descriptors;
    packets += std::uint64_t{port.config.tx_queues} * port.config.tx_descriptors;
  }
  for (auto const& pipeline : p.pipelines) packets += packets_on_the_way(p, pipeline);
  packets += p.twins.size() * packets_of_twin;
  return packets + packets_of_control(p);
}

// The packets of a pipeline's own pool: the receiver, the sender and one more worker may keep some in a cache.
[[nodiscard]] std::uint64_t packets_of_one(plan const& p) {
  std::uint64_t most = 0;
  for (auto const& pipeline : p.pipelines) most = std::max(most, packets_on_the_way(p, pipeline));
  return most + p.config.extra_packets + p.config.rx_descriptors + p.config.tx_descriptors +
         packets_in_caches(p.config, 3) + packets_of_control(p);
}

// The configured number of packets, but at least the number that queues, bursts, caches and the control plane hold
// without isolated rings. If the rings find too few packets, they never fill, and packets that a port misses count as
// rx_nombuf.
[[nodiscard]] std::uint64_t asked_or_needed(plan& p, std::uint64_t needed) {
  auto const asked = p.config.pool_packets;
  if (asked == 0) return needed;
  std::uint64_t in_rings = 0;
  for (auto const& pipeline : p.pipelines) in_rings += pipeline.isolated_ring;
  auto const least = needed - std::min(needed, in_rings);
  if (asked < least) {
    p.notices.push_back(fmt::format("packet pool: {} packets asked for; queues, bursts{} caches{} alone hold {}", asked,
                                    p.control ? "," : " and", p.control ? " and the control plane" : "", least));
  }
  return std::max<std::uint64_t>(asked, least);
}

// Whether all packets that any one TX queue sends come from one pool, including packets of the control plane and the
// kernel, which come from the first. Another owner's packets come by rings that are ports.
[[nodiscard]] sent_pools pools_sent_by_a_queue(plan const& p) {
  if (!p.payload_pool.name.empty()) return sent_pools::several;
  if (std::any_of(p.ports.begin(), p.ports.end(),
                  [](auto const& port) { return port.facts.traits().receives_foreign_packets; })) {
    return sent_pools::several;
  }
  if (p.pools == 1) return sent_pools::one;
  std::set<std::pair<port_id, queue_id>> queues;
  for (auto const& pipeline : p.pipelines) {
    for (auto const& to : pipeline.egresses) {
      if (!queues.insert({to.port, to.queue}).second) return sent_pools::several;
    }
  }
  // Packets that the control plane puts back may go to another pipeline of their port.
  return p.config.function->leaves == departure::by_peer ? sent_pools::one : sent_pools::several;
}

// A CPU copies packets for a mirror port.
void require_copied_packets(plan const& p) {
  if (!p.config.mirror_to || (p.pool.gpu < 0 && p.payload_pool.name.empty())) return;
  throw usage_error(
      fmt::format("placement {}: no CPU can copy packets in GPU memory for a mirror port; take placement host, or no "
                  "'action: mirror'",
                  to_string(p.config.where)));
}

}  // namespace

void plan_memory(plan& p) {
  auto const& config = p.config;
  for (auto& pipeline : p.pipelines) {
    pipeline.ring_slots = config.ring_slots != 0 ? config.ring_slots : slots_for(config);
  }
  // If one worker allocates and another frees, every packet goes through the pool's ring: pipelines that share a pool
  // would contend for it.
  if (is_paired(config.workers, config.listed) && config.where == placement::host) {
    p.pools = static_cast<std::uint16_t>(p.pipelines.size());
  }
  auto const packets = asked_or_needed(p, p.pools == 1 ? packets_of_all(p) : packets_of_one(p));
  constexpr std::uint64_t most = RTE_RING_SZ_MASK;  // free packets are kept in a ring
  if (packets > most) {
    throw usage_error(
        fmt::format("packet pool: {} packets needed, a pool holds at most {}; use fewer pipelines (-p), descriptors "
                    "(--rxd, --txd), "
                    "a smaller burst (-b) or --isolated-ring",
                    packets, most));
  }
  // A mempool's ring stores one packet less than a power of two without waste.
  auto const total = std::bit_ceil(std::max<std::uint64_t>(packets, 2048) + 1) - 1;
  p.pool = {.name = "packetwarp_packets",
            .packets = static_cast<std::uint32_t>(total),
            .data_room = config.data_room,
            .cache = config.pool_cache,
            .socket = -1,
            .gpu = config.where == placement::device && p.route == packet_route::direct ? config.gpu.indexes[0] : -1};
  if (config.where == placement::split && p.route == packet_route::direct) {
    p.payload_pool = p.pool;
    p.payload_pool.name = "packetwarp_payloads";
    p.payload_pool.gpu = config.gpu.indexes[0];
    p.pool.data_room = split_header_bytes;
  }
  require_copied_packets(p);
  for (auto& port : p.ports) port.config.sends_of = pools_sent_by_a_queue(p);
}

}  // namespace packetwarp
