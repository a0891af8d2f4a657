// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "burst/verdict.h"

namespace packetwarp {

// An executor's answer for a whole burst, beside the verdicts of its packets: one word, so that the TX job need not
// read the verdicts of a burst whose packets all go the same way.
class burst_outcome {
 public:
  [[nodiscard]] HOST_DEVICE static constexpr burst_outcome uniform(verdict all) {
    return burst_outcome{std::uint32_t{1} << 16 | all.raw()};
  }
  [[nodiscard]] HOST_DEVICE static constexpr burst_outcome mixed() { return burst_outcome{0}; }
  [[nodiscard]] HOST_DEVICE static constexpr burst_outcome from_raw(std::uint32_t raw) { return burst_outcome{raw}; }
  [[nodiscard]] HOST_DEVICE constexpr bool is_uniform() const { return (raw_ >> 16) != 0; }
  // Only if uniform.
  [[nodiscard]] HOST_DEVICE constexpr verdict of_all() const {
    return verdict::from_raw(static_cast<std::uint16_t>(raw_ & 0xffff));
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t raw() const { return raw_; }

 private:
  HOST_DEVICE constexpr explicit burst_outcome(std::uint32_t raw) : raw_{raw} {}
  std::uint32_t raw_;
};

// Laid out for CPU and GPU alike. Written by the executor when the burst in the slot is finished: the low 32 bits of
// its sequence number plus one, and the outcome above them. The plus one makes zeroed memory mean "not done".
struct done_word {
  std::uint64_t value;
};
static_assert(sizeof(done_word) == 8 && std::is_trivially_copyable_v<done_word>);

}  // namespace packetwarp
