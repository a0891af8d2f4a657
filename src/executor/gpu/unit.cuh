// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include "executor/gpu/near_headers.cuh"
#include "executor/gpu/offload_ring.h"
#include "executor/gpu/staging.cuh"
#include "executor/gpu/warp.cuh"
#include "function/function.h"

namespace packetwarp::device {

// Runs the function on one packet and stays with it for the time asked.
template <packet_function F>
[[nodiscard]] __device__ verdict process_one(packet_view packet, typename F::ref const& tables, std::uint64_t clocks) {
  auto const begin = clocks == 0 ? 0 : clock64();
  auto const v = F::process(packet, tables);
  while (clocks != 0 && static_cast<std::uint64_t>(clock64() - begin) < clocks) {
  }
  return v;
}

// What a lane knows of a unit before it touches a packet.
struct unit_work {
  slot_header header;
  packet_descriptor packet;  // the lane's, if the burst has one for it
};

// Of a burst that has been given. A lane's packet is fetched together with the header, for a slot has room for all of
// them: that saves a trip over PCIe.
[[nodiscard]] __device__ inline unit_work load_unit(offload_ring_ref const& ring, std::uint64_t position,
                                                    std::uint32_t unit) {
  unit_work work;
  work.packet = packet_descriptor::from_raw(ring.descriptors(position)[unit * packets_per_unit + lane()]);
  work.header = slot_header::from_raw(ring.header(position));
  return work;
}

[[nodiscard]] __device__ inline std::uint64_t load(std::uint64_t& word) {
  return cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{word}.load(cuda::memory_order_relaxed);
}

// Looks whether a burst has been given, in its slot itself, for its first unit: what was read is good if it is of this
// lap. Both reads are under way together. All lanes.
[[nodiscard]] __device__ inline bool try_load_first_unit(offload_ring_ref const& ring, std::uint64_t position,
                                                         unit_work& work) {
  work.packet = packet_descriptor::from_raw(load(ring.descriptors(position)[lane()]));
  work.header = slot_header::from_raw(load(ring.header(position)));
  bool const is_good = work.header.is_of(position) && work.packet.turn() == turn_of(position, ring.mask);
  if (!__all_sync(whole_warp, is_good)) return false;
  cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_system);
  return true;
}

// What a function sees of a packet that lies where its port put it. n: its number in the burst.
template <packet_function F>
[[nodiscard]] __device__ packet_view view_of(offload_ring_ref const& ring, std::uint64_t position, std::uint32_t n,
                                             unit_work const& work) {
  packet_view view{work.packet.data(), work.packet.contiguous(), work.packet.contiguous()};
  if (!work.header.has_chained()) return view;
  view.length = ring.lengths_of(position)[n];
  if constexpr (reaches_payload<F>) {
    auto const rest = ring.rests_of(position)[n];
    view.rest = rest.data();
    view.rest_contiguous = rest.contiguous();
  }
  return view;
}

// The unit is finished: tells the CPU, after everything that was written to its packets. One lane.
__device__ inline void finish_unit(offload_ring_ref const& ring, std::uint64_t position, std::uint32_t unit,
                                   verdicts_seen seen) {
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{ring.done_of(position)[unit]}.store(
      unit_done{position, seen}.raw(), cuda::memory_order_release);
}

// One warp works on one unit: `packets_per_unit` packets, or what the burst has of them. All lanes.
template <packet_function F, packet_route Route>
__device__ void run_unit(offload_ring_ref const& ring, std::uint64_t position, std::uint32_t unit,
                         unit_work const& work, typename F::ref const& tables) {
  if (unit * packets_per_unit >= work.header.size()) {
    if (lane() == 0) finish_unit(ring, position, unit, {});
    return;
  }
  auto const n = unit * packets_per_unit + lane();
  bool const is_there = n < work.header.size();
  packet_view view;
  if (is_there) view = view_of<F>(ring, position, n, work);
  unit_staging<Route> staging{ring, position, n, is_there, view};
  near_headers<F> headers{view, is_there};
  verdict said{};
  verdicts_seen seen;
  if (is_there) {
    said = process_one<F>(headers.view(), tables, ring.packet_clocks);
    seen.add(said);
  }
  headers.put_back(view, said);
  // Nobody looks at the bytes of what is dropped.
  if (is_there && said.what() == verdict::action::drop) staging.forget();
  staging.copy_back();
  seen = verdicts_seen::from_raw(or_of_warp(seen.raw()));
  if (is_there && !seen.outcome().is_uniform()) ring.verdicts_of(position)[n] = said;
  __syncwarp();
  if (lane() == 0) finish_unit(ring, position, unit, seen);
}

}  // namespace packetwarp::device
