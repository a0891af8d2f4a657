// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "base/host_device.h"
#include "inspect/compiled/ruleset.h"
#include "inspect/language/rule.h"

namespace packetwarp::inspect {

// A word of a flow's bits. Threads of the CPU, or of one GPU, read and change it side by side.
using flowbit_word = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_device>;

// Whether the flow's bits are as the rule asks. bits: null if the packet has no flow; neither bit is known then.
[[nodiscard]] HOST_DEVICE inline bool has_bits(ruleset_ref rules, compiled_rule const& rule, std::uint64_t* bits) {
  auto const* uses = rules.at<compiled_bit_use>(rules.header().bit_uses) + rule.bit_uses.offset;
  for (std::uint32_t i = 0; i < rule.bit_uses.count; ++i) {
    auto const what = static_cast<flowbit_operation>(uses[i].what);
    if (what != flowbit_operation::is_set && what != flowbit_operation::is_not_set) continue;
    if (bits == nullptr) return false;
    auto const* numbers = rules.at<std::uint32_t>(rules.header().bit_numbers) + uses[i].numbers.offset;
    bool const wanted = what == flowbit_operation::is_set;
    bool has_one = false;
    for (std::uint32_t n = 0; n < uses[i].numbers.count && !has_one; ++n) {
      has_one = ((flowbit_word{bits[numbers[n] / 64]}.load(cuda::memory_order_relaxed) >> (numbers[n] % 64) & 1) !=
                 0) == wanted;
    }
    if (!has_one) return false;
  }
  return true;
}

HOST_DEVICE inline void change_bits(ruleset_ref rules, compiled_rule const& rule, std::uint64_t* bits) {
  if (bits == nullptr) return;
  auto const* uses = rules.at<compiled_bit_use>(rules.header().bit_uses) + rule.bit_uses.offset;
  for (std::uint32_t i = 0; i < rule.bit_uses.count; ++i) {
    auto const bit = rules.at<std::uint32_t>(rules.header().bit_numbers)[uses[i].numbers.offset];
    flowbit_word const word{bits[bit / 64]};
    auto const mask = std::uint64_t{1} << (bit % 64);
    switch (static_cast<flowbit_operation>(uses[i].what)) {
      case flowbit_operation::set:
        word.fetch_or(mask, cuda::memory_order_relaxed);
        break;
      case flowbit_operation::unset:
        word.fetch_and(~mask, cuda::memory_order_relaxed);
        break;
      case flowbit_operation::toggle:
        word.fetch_xor(mask, cuda::memory_order_relaxed);
        break;
      default:
        break;
    }
  }
}

// A flow begins in this place.
HOST_DEVICE inline void clear_bits(std::uint64_t* bits, std::uint32_t words) {
  for (std::uint32_t i = 0; i < words; ++i) {
    flowbit_word const word{bits[i]};
    if (word.load(cuda::memory_order_relaxed) != 0) word.store(0, cuda::memory_order_relaxed);
  }
}

}  // namespace packetwarp::inspect
