// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/host_device.h"

namespace packetwarp {

// Where a function may send a packet: a position in its pipeline's list of egress queues, not a port number, so that
// a verdict means the same on every worker.
enum class egress_index : std::uint16_t {};

// Why a packet did not leave. The first sixteen are the data path's own; a function's own follow, in the order of its
// drop_names. Every reason is a named counter.
enum class drop_reason : std::uint16_t {
  tx_full,              // the transmit queue took nothing for --tx-timeout
  tx_chained,           // in several mbufs, and longer than the port can send so
  no_kernel_interface,  // punted, and the port has no kernel interface
  shutdown,             // still in flight when the user asked twice to stop
  gpu_failed,           // given to a GPU that failed before it had finished: its bytes may be half changed
  first_of_function = 16
};
inline constexpr std::uint16_t max_drop_reasons = 64;

[[nodiscard]] constexpr std::string_view data_path_drop_name(drop_reason reason) {
  switch (reason) {
    case drop_reason::tx_full:
      return "tx_full";
    case drop_reason::tx_chained:
      return "tx_chained";
    case drop_reason::no_kernel_interface:
      return "no_kernel_interface";
    case drop_reason::shutdown:
      return "shutdown";
    case drop_reason::gpu_failed:
      return "gpu_failed";
    default:
      return {};
  }
}

// A function's own n-th reason, n being the position in its drop_names.
[[nodiscard]] HOST_DEVICE constexpr drop_reason function_drop(std::uint16_t n) {
  return static_cast<drop_reason>(static_cast<std::uint16_t>(drop_reason::first_of_function) + n);
}

// What happens to a packet: 2 bits of action, 14 bits of where or why. Written by an executor, read by the TX job.
class verdict {
 public:
  enum class action : std::uint16_t { forward = 0, drop = 1, punt = 2 };

  verdict() = default;
  [[nodiscard]] HOST_DEVICE static constexpr verdict forward(egress_index to) {
    return verdict{action::forward, static_cast<std::uint16_t>(to)};
  }
  [[nodiscard]] HOST_DEVICE static constexpr verdict drop(drop_reason why) {
    return verdict{action::drop, static_cast<std::uint16_t>(why)};
  }
  // To the kernel interface.
  [[nodiscard]] HOST_DEVICE static constexpr verdict punt() { return verdict{action::punt, 0}; }
  [[nodiscard]] HOST_DEVICE static constexpr verdict from_raw(std::uint16_t raw) {
    verdict v;
    v.raw_ = raw;
    return v;
  }

  [[nodiscard]] HOST_DEVICE constexpr action what() const { return static_cast<action>(raw_ >> 14); }
  // Only for forward.
  [[nodiscard]] HOST_DEVICE constexpr egress_index to() const { return static_cast<egress_index>(raw_ & 0x3fff); }
  // Only for drop.
  [[nodiscard]] HOST_DEVICE constexpr drop_reason why() const { return static_cast<drop_reason>(raw_ & 0x3fff); }
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t raw() const { return raw_; }
  friend constexpr bool operator==(verdict, verdict) = default;

 private:
  HOST_DEVICE constexpr verdict(action a, std::uint16_t argument)
      : raw_{static_cast<std::uint16_t>(static_cast<unsigned>(a) << 14 | argument)} {}
  std::uint16_t raw_;
};
static_assert(std::is_trivially_copyable_v<verdict> && sizeof(verdict) == 2);

}  // namespace packetwarp
