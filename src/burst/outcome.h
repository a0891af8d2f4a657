// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include "base/host_device.h"
#include "burst/verdict.h"

namespace packetwarp {

// What an executor says of a whole burst, beside the verdicts of its packets: one word, so that the TX job need not
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

// What is known of the verdicts of some packets without reading them again: whether they are one and the same.
class verdicts_seen {
 public:
  verdicts_seen() = default;
  [[nodiscard]] HOST_DEVICE static constexpr verdicts_seen from_raw(std::uint32_t raw) {
    verdicts_seen seen;
    seen.raw_ = raw;
    return seen;
  }
  HOST_DEVICE constexpr void add(verdict one) {
    raw_ |= one.raw() | static_cast<std::uint32_t>(static_cast<std::uint16_t>(~one.raw())) << 16;
  }
  HOST_DEVICE constexpr void add(verdicts_seen others) { raw_ |= others.raw_; }
  // Of one packet at least. Verdicts differ exactly if some bit was seen as both.
  [[nodiscard]] HOST_DEVICE constexpr burst_outcome outcome() const {
    bool const differ = ((raw_ & 0xffff) & (raw_ >> 16)) != 0;
    return differ ? burst_outcome::mixed() : burst_outcome::uniform(verdict::from_raw(raw_ & 0xffff));
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint32_t raw() const { return raw_; }

 private:
  std::uint32_t raw_{0};  // bits that were seen as one, and above them those that were seen as zero
};

// Laid out for CPU and GPU alike. Written by the executor when the burst in the slot is finished: the low 32 bits of
// its sequence number plus one, and the outcome above them. Sequence plus one, so that zeroed memory means "not done".
struct done_word {
  std::uint64_t value;
};
static_assert(sizeof(done_word) == 8 && std::is_trivially_copyable_v<done_word>);

}  // namespace packetwarp
