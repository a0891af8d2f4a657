// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "feature/feature_state.h"

// How spread the packets of a thread are over records: whether most packets use the record of a flow that has had no
// packet in their epoch, a millisecond, before. Caches do not have these records, so a CPU fetches them ahead
// (feature/foresee.h). No row and no record depends on this.
namespace packetwarp::feature {

namespace detail {

// state_ref::spread is a mean over some thousands of packets: of 1 for a packet with a fresh record and
// of 0 for others, as a share of most_spread.
inline constexpr std::uint64_t most_spread = std::uint64_t{1} << 24;
inline constexpr unsigned spread_memory = 12;  // a packet counts for a 4,096th

// Notes the record of a packet, before the packet is added. A packet without a record counts as fresh. Threads of a GPU
// note nothing.
HOST_DEVICE inline void note_spread([[maybe_unused]] state_ref const& state, [[maybe_unused]] flow_record* record,
                                    [[maybe_unused]] std::uint64_t epoch) {
#if !defined(__CUDA_ARCH__)
  auto const is_first = [epoch](flow_record& of) {
    auto& traffic = of.adds(epoch).traffic;
    return (load(traffic[0]) | load(traffic[1])) == 0;
  };
  bool const is_fresh = record == nullptr || is_first(*record);
  auto& spread = *state.spread;
  spread += (is_fresh ? most_spread >> spread_memory : 0) - (spread >> spread_memory);
#endif
}

}  // namespace detail

// Whether at least half of the latest packets had a fresh record. Host code.
[[nodiscard]] inline bool are_spread(state_ref const& state) { return *state.spread >= detail::most_spread / 2; }

}  // namespace packetwarp::feature
