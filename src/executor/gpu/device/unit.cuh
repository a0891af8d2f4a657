// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include "executor/gpu/device/near_headers.cuh"
#include "executor/gpu/device/staging.cuh"
#include "executor/gpu/device/warp.cuh"
#include "executor/gpu/joint/warp_group.cuh"
#include "executor/gpu/offload/offload_ring.h"
#include "function/function.h"

namespace packetwarp::device {

// The verdict bits that are one, and above them the bits that are zero: packets have different verdicts exactly if some
// bit was seen as both.
[[nodiscard]] __device__ inline std::uint32_t bits_seen(verdict v) {
  return v.raw() | static_cast<std::uint32_t>(static_cast<std::uint16_t>(~v.raw())) << 16;
}
[[nodiscard]] __device__ inline burst_outcome outcome_of(std::uint32_t seen) {
  bool const differ = ((seen & 0xffff) & (seen >> 16)) != 0;
  return differ ? burst_outcome::mixed() : burst_outcome::uniform(verdict::from_raw(seen & 0xffff));
}

// Runs the function on one packet and takes at least the packet time. found: its annotation, if the function works on
// packets together.
template <packet_function F>
[[nodiscard]] __device__ verdict process_one(packet_view packet, auto const& tables, std::uint64_t clocks,
                                             auto const&... found) {
  auto const begin = clocks == 0 ? 0 : clock64();
  auto const v = F::process(packet, tables, found...);
  while (clocks != 0 && static_cast<std::uint64_t>(clock64() - begin) < clocks) {
  }
  return v;
}

// process_one() for a function that works on packets one by one: with its tables for the burst if it follows epochs.
template <packet_function F>
[[nodiscard]] __device__ verdict decide_alone(packet_view packet, typename F::ref const& tables, burst_facts facts,
                                              std::uint64_t clocks) {
  if constexpr (follows_epochs<F>) {
    typename taken_for_burst<F>::type const in_force = taken_for_burst<F>::of(tables, facts);
    return process_one<F>(packet, in_force, clocks);
  } else {
    return process_one<F>(packet, tables, clocks);
  }
}

// The source of a function's annotations when the warp itself does the joint work.
template <class F>
struct found_by_warp {};
template <works_jointly F>
struct found_by_warp<F> {
  // The annotations of the packets of this part of the unit. Called by all lanes. far: the packet where it lies; near:
  // the packet that the function works on.
  [[nodiscard]] __device__ __forceinline__ typename F::annotation operator()(unsigned, packet_view far,
                                                                             packet_view near, bool is_there,
                                                                             auto const& in_force) const {
    constexpr auto how = goes_in_step<F> ? stepping::in_step : stepping::alone;
    auto const packets = static_cast<unsigned>(__popc(__ballot_sync(whole_warp, is_there)));
    return work_together<F>(gathered_view_of_kept<F>(far, near), is_there, packets, in_force, how);
  }
};

// process_one() for a function that works on packets together. Called by all lanes. found: see found_by_warp.
template <works_jointly F>
[[nodiscard]] __device__ __forceinline__ verdict decide_together(unsigned part, packet_view far, packet_view near,
                                                                 bool is_there, typename F::ref const& tables,
                                                                 burst_facts facts, std::uint64_t clocks,
                                                                 auto const& found) {
  typename taken_for_burst<F>::type const in_force = taken_for_burst<F>::of(tables, facts);
  auto const annotation = found(part, far, near, is_there, in_force);
  return is_there ? process_one<F>(near, in_force, clocks, annotation) : verdict::from_raw(0);
}

// Tells the CPU that the burst at a position is finished, after all writes to its packets. Called by one lane.
__device__ inline void finish_burst(offload_ring_ref const& ring, std::uint64_t position, burst_outcome outcome) {
  auto const word = std::uint64_t{outcome.raw()} << 32 | static_cast<std::uint32_t>(position + 1);
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{ring.done[position & ring.mask].value}.store(
      word, cuda::memory_order_release);
}

// Counts one warp's part of a split burst as finished; the last warp tells the CPU. Called by one lane.
__device__ inline void finish_part(offload_ring_ref const& ring, std::uint64_t position, std::uint32_t seen) {
  auto& tally = ring.tallies[position & ring.mask];
  cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> all_seen{tally.seen};
  cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> finished{tally.finished};
  all_seen.fetch_or(seen, cuda::memory_order_relaxed);
  if (finished.fetch_add(1, cuda::memory_order_acq_rel) + 1 != ring.units) return;
  auto const outcome = outcome_of(all_seen.load(cuda::memory_order_relaxed));
  all_seen.store(0, cuda::memory_order_relaxed);
  finished.store(0, cuda::memory_order_relaxed);
  finish_burst(ring, position, outcome);
}

// The burst of a unit, and the unit's number in it, by its number in the ring. Few bursts have several units, and a
// division of 64 bits takes a GPU a hundred instructions.
struct unit_place {
  std::uint64_t position;
  std::uint32_t unit;
};
[[nodiscard]] __device__ inline unit_place place_of_unit(offload_ring_ref const& ring, std::uint64_t number) {
  if (ring.units == 1) return {number, 0};
  return {number / ring.units, static_cast<std::uint32_t>(number % ring.units)};
}

template <packet_function F>
inline constexpr unsigned packets_per_lane = unit_packets_of<F> / warp_size;

// The words that a lane reads about a unit before it touches a packet; the epoch, if F follows epochs.
template <packet_function F>
struct unit_work {
  slot_header header;
  packet_descriptor packets[packets_per_lane<F>];

  [[nodiscard]] __device__ static constexpr burst_facts facts() { return {}; }
};
template <packet_function F>
requires follows_epochs<F>
struct unit_work<F> {
  slot_header header;
  packet_descriptor packets[packets_per_lane<F>];
  slot_epoch epoch;

  [[nodiscard]] __device__ burst_facts facts() const { return {.epoch = epoch.epoch()}; }
};

// For a burst that has been given. A lane's descriptors are fetched together with the header, because a slot has room
// for all of them: this saves a trip over PCIe. The epoch lies in the header's line.
template <packet_function F>
[[nodiscard]] __device__ unit_work<F> load_unit(offload_ring_ref const& ring, std::uint64_t position,
                                                std::uint32_t unit) {
  auto const* const descriptors = ring.descriptors(position) + unit * unit_packets_of<F> + lane();
  unit_work<F> work;
#pragma unroll
  for (unsigned i = 0; i < packets_per_lane<F>; ++i) {
    work.packets[i] = packet_descriptor::from_raw(descriptors[i * warp_size]);
  }
  if constexpr (follows_epochs<F>) work.epoch = slot_epoch::from_raw(ring.epoch(position));
  work.header = slot_header::from_raw(ring.header(position));
  return work;
}

[[nodiscard]] __device__ inline std::uint64_t load(std::uint64_t& word, cuda::memory_order order) {
  return cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{word}.load(order);
}

// Tests whether a burst has been given, by its slot itself. The slot's front is read by one access over PCIe, a word a
// lane: its words may be read in any order, and each says whether it is of this lap. Called by all lanes.
template <packet_function F>
[[nodiscard]] __device__ bool try_load_unit(offload_ring_ref const& ring, std::uint64_t position, std::uint32_t unit,
                                            unit_work<F>& work) {
  constexpr unsigned first_descriptor = slot_front_words - front_descriptors;
  auto* const words = reinterpret_cast<std::uint64_t*>(ring.slot(position));
  auto const turn = turn_of(position, ring.mask);
  auto const front = lane() < slot_front_words ? load(words[lane()], cuda::memory_order_acquire) : 0;
  work.header = slot_header::from_raw(__shfl_sync(whole_warp, front, 0));
  bool is_there = work.header.is_of(position);
  if constexpr (follows_epochs<F>) {
    work.epoch = slot_epoch::from_raw(__shfl_sync(whole_warp, front, 1));
    is_there = is_there && work.epoch.turn() == turn;
  }
  if (!is_there) return false;
  // The header was written last, and one lane has acquired it: from here on all lanes see what was written before it.
  __syncwarp();
  auto const in_front = packet_descriptor::from_raw(__shfl_sync(whole_warp, front, lane() + first_descriptor));
  auto const* const descriptors = ring.descriptors(position) + unit * unit_packets_of<F> + lane();
  bool is_of_lap = true;
#pragma unroll
  for (unsigned i = 0; i < packets_per_lane<F>; ++i) {
    auto const n = unit * unit_packets_of<F> + i * warp_size + lane();
    if (n >= work.header.size()) continue;
    bool const was_read = n < front_descriptors;
    work.packets[i] = was_read ? in_front : packet_descriptor::from_raw(descriptors[i * warp_size]);
    is_of_lap = is_of_lap && work.packets[i].turn() == turn;
  }
  return __all_sync(whole_warp, is_of_lap);
}

// The view that a function gets of a packet that lies where its port put it.
template <packet_function F>
[[nodiscard]] __device__ packet_view view_of(offload_ring_ref const& ring, std::uint64_t position, std::uint32_t n,
                                             unit_work<F> const& work, unsigned of_lane) {
  auto const packet = work.packets[of_lane];
  packet_view view{packet.data(), packet.contiguous(), packet.contiguous()};
  if (!work.header.has_chained()) return view;
  view.length = ring.lengths_of(position)[n];
  if constexpr (reaches_payload<F>) {
    auto const rest = ring.rests_of(position)[n];
    view.rest = rest.data();
    view.rest_contiguous = rest.contiguous();
  }
  return view;
}

// The packets of a unit that this lane has. first: the position of its first one in the burst.
template <packet_function F>
__device__ void show_packets(offload_ring_ref const& ring, std::uint64_t position, std::uint32_t first,
                             unit_work<F> const& work, packet_view (&views)[packets_per_lane<F>]) {
#pragma unroll
  for (unsigned i = 0; i < packets_per_lane<F>; ++i) {
    auto const n = first + i * warp_size;
    if (n < work.header.size()) views[i] = view_of<F>(ring, position, n, work, i);
  }
}

// How often the code that works on a lane's packet is in a kernel: once if packets are worked on together, because much
// of a warp's time then goes into waiting for instructions.
template <packet_function F>
inline constexpr unsigned copies_of_work = works_jointly<F> ? 1 : packets_per_lane<F>;

// The position of no burst: a warp without one goes in step with the others.
inline constexpr std::uint64_t no_position = ~std::uint64_t{0};
template <packet_function F>
[[nodiscard]] __device__ unit_work<F> no_unit() {
  unit_work<F> work{};
  work.header = slot_header{no_position, 0, 0};
  return work;
}

// A warp works on a unit: `unit_packets_of` packets, or as many as the burst has. found: the source of the
// annotations of packets that are worked on together. It is in a kernel once, and copied, as all that leads from there
// to the work is: HOST_DEVICE_COPIED (base/host_device.h) says why.
template <packet_function F, packet_route Route, class Found = found_by_warp<F>>
__device__ __forceinline__ void run_unit(offload_ring_ref const& ring, std::uint64_t position, std::uint32_t unit,
                                         unit_work<F> const& work, typename F::ref const& tables,
                                         Found const& found = {}) {
  auto const first = unit * unit_packets_of<F> + lane();
  auto const size = work.header.size();
  packet_view views[packets_per_lane<F>];
  show_packets<F>(ring, position, first, work, views);
  unit_staging<Route, packets_per_lane<F>> staging{ring, position, first, size, views};

  auto const facts = work.facts();
  verdict verdicts[packets_per_lane<F>];
  std::uint32_t seen = 0;
  constexpr auto copies = copies_of_work<F>;
#pragma unroll copies
  for (unsigned i = 0; i < packets_per_lane<F>; ++i) {
    // All lanes take part or none: they fetch each other's headers. In step, warps with fewer packets do, too.
    if (!goes_in_step<F> && unit * unit_packets_of<F> + i * warp_size >= size) break;
    bool const is_there = first + i * warp_size < size;
    near_headers<F> headers{views[i], is_there};
    if constexpr (works_jointly<F>) {
      verdicts[i] = decide_together<F>(i, views[i], headers.view(), is_there, tables, facts, ring.packet_clocks, found);
    } else {
      if (is_there) verdicts[i] = decide_alone<F>(headers.view(), tables, facts, ring.packet_clocks);
    }
    if (is_there) seen |= bits_seen(verdicts[i]);
    headers.put_back(views[i], verdicts[i]);
    if (is_there && !verdicts[i].needs_bytes()) staging.forget(i);
  }
  staging.copy_back();
  if (goes_in_step<F> && position == no_position) return;
  seen = or_of_warp(seen);
  bool const is_split = ring.units > 1;
  if (is_split || !outcome_of(seen).is_uniform()) {
#pragma unroll
    for (unsigned i = 0; i < packets_per_lane<F>; ++i) {
      auto const n = first + i * warp_size;
      if (n < size) ring.verdicts_of(position)[n] = verdicts[i];
    }
  }
  __syncwarp();
  if (lane() != 0) return;
  if (is_split) {
    finish_part(ring, position, seen);
  } else {
    finish_burst(ring, position, outcome_of(seen));
  }
}

}  // namespace packetwarp::device
