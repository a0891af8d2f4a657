// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/host_device.h"

namespace packetwarp {

// An egress, to which a function may send a packet: a position in its pipeline's list of egress queues, not a port
// number, so that a verdict means the same on every worker.
enum class egress_index : std::uint16_t {};
inline constexpr std::uint16_t max_egresses = 1024;

// The reason why a packet did not leave. The first sixteen are the data path's own; a function's own follow, in the
// order of its drop_names. Every reason is a named counter.
enum class drop_reason : std::uint16_t {
  tx_full,              // the transmit queue accepted nothing for --tx-timeout
  tx_chained,           // in more mbufs than the port can send as one packet
  no_kernel_interface,  // punted, and the port has no kernel interface
  shutdown,             // still in flight when the user asked twice to stop
  gpu_failed,           // given to a GPU that failed before it had finished: its bytes may be half changed
  punt_full,            // punted, and the control plane's ring was full
  kernel_full,          // for the kernel interface, and its worker's ring was full
  isolated_full,        // from an isolated receiver that also polls for the kernel's packets: its ring was full
  punt_limited,         // punted, and its port punts more of its kind than the limit allows
  gpu_handover_full,    // for another GPU's sessions, and that GPU's pipeline has no room left
  tx_too_long,          // longer than the kernel interface takes, by which it would leave
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
    case drop_reason::punt_full:
      return "punt_full";
    case drop_reason::kernel_full:
      return "kernel_full";
    case drop_reason::isolated_full:
      return "isolated_full";
    case drop_reason::punt_limited:
      return "punt_limited";
    case drop_reason::gpu_handover_full:
      return "gpu_handover_full";
    case drop_reason::tx_too_long:
      return "tx_too_long";
    default:
      return {};
  }
}

// A function's own n-th reason; n is the position in its drop_names.
[[nodiscard]] HOST_DEVICE constexpr drop_reason function_drop(std::uint16_t n) {
  return static_cast<drop_reason>(static_cast<std::uint16_t>(drop_reason::first_of_function) + n);
}

// The reason why the data path does not finish a packet: the work that the control plane has to do. The control plane
// may answer by a packet of its own, put the packet back in front of the function, or hand it to the port's kernel
// interface.
enum class punt_reason : std::uint16_t {
  to_kernel,            // for this machine: an address of its own, a broadcast, a protocol it does not know
  arp,                  // a request to answer, a reply to learn from
  neighbour_discovery,  // the same for IPv6 (RFC 4861)
  neighbour_unknown,    // routed, and the next hop's MAC address must be asked for
  ttl_exceeded,         // answered by ICMP time exceeded (RFC 792, RFC 4443)
  unreachable,          // no route: answered by ICMP destination unreachable
  too_big,              // longer than the MTU of its egress, and not to be fragmented: answered by ICMP
  fragment,             // cannot be processed before the datagram is complete
  needs_fragmentation   // as it leaves, but longer than the MTU of its egress: all other work on it is done
};
inline constexpr std::size_t punt_reasons = 9;

[[nodiscard]] constexpr std::string_view to_string(punt_reason reason) {
  constexpr std::array<std::string_view, punt_reasons> names{
      "to_kernel", "arp",      "neighbour_discovery", "neighbour_unknown", "ttl_exceeded", "unreachable",
      "too_big",   "fragment", "needs_fragmentation"};
  auto const n = static_cast<std::size_t>(reason);
  return n < names.size() ? names[n] : std::string_view{};
}

// The place of a packet's first byte when its function has finished: a VLAN tag is pushed into the headroom, or popped.
// The bytes are in place already; the TX job moves the packet's start, also of a packet that it drops: a capture shows
// it.
enum class front_move : std::uint16_t { none = 0, push_4 = 1, push_8 = 2, pop_4 = 3, pop_8 = 4 };

// Bytes by which a packet gets longer at its front; negative if it gets shorter.
[[nodiscard]] HOST_DEVICE constexpr int bytes_pushed(front_move move) {
  switch (move) {
    case front_move::push_4:
      return 4;
    case front_move::push_8:
      return 8;
    case front_move::pop_4:
      return -4;
    case front_move::pop_8:
      return -8;
    default:
      return 0;
  }
}

// The opposite, for at most two tags.
[[nodiscard]] HOST_DEVICE constexpr front_move front_move_by(int pushed) {
  switch (pushed) {
    case 4:
      return front_move::push_4;
    case 8:
      return front_move::push_8;
    case -4:
      return front_move::pop_4;
    case -8:
      return front_move::pop_8;
    default:
      return front_move::none;
  }
}

// The position of a GPU in the config's list, if several GPUs divide a function's state.
enum class gpu_position : std::uint16_t {};

// The fate of a packet: 2 bits of action, a bit that asks for a copy, and 13 bits of the place or the reason (for a
// forwarded or dropped packet 3 bits of its front's move and 10 of the egress or the reason). Written by an executor,
// read by the TX job. A pipeline of the other GPU that receives from the same port passes handed-over packets to the
// function again.
class verdict {
 public:
  enum class action : std::uint16_t { forward = 0, drop = 1, punt = 2, hand_over = 3 };

  verdict() = default;
  [[nodiscard]] HOST_DEVICE static constexpr verdict forward(egress_index to, front_move move = front_move::none) {
    return verdict{action::forward, with_move(static_cast<std::uint16_t>(to), move)};
  }
  [[nodiscard]] HOST_DEVICE static constexpr verdict drop(drop_reason why, front_move move = front_move::none) {
    return verdict{action::drop, with_move(static_cast<std::uint16_t>(why), move)};
  }
  [[nodiscard]] HOST_DEVICE static constexpr verdict punt(punt_reason why = punt_reason::to_kernel) {
    return verdict{action::punt, static_cast<std::uint16_t>(why)};
  }
  [[nodiscard]] HOST_DEVICE static constexpr verdict hand_over(gpu_position to) {
    return verdict{action::hand_over, static_cast<std::uint16_t>(to)};
  }
  [[nodiscard]] HOST_DEVICE static constexpr verdict from_raw(std::uint16_t raw) {
    verdict v;
    v.raw_ = raw;
    return v;
  }
  // The same fate, and a copy of the packet as it was received leaves by the mirror port.
  [[nodiscard]] HOST_DEVICE constexpr verdict with_copy() const {
    return from_raw(static_cast<std::uint16_t>(raw_ | copy_bit));
  }
  // The same fate without a copy.
  [[nodiscard]] HOST_DEVICE constexpr verdict without_copy() const {
    return from_raw(static_cast<std::uint16_t>(raw_ & ~copy_bit));
  }

  [[nodiscard]] HOST_DEVICE constexpr action what() const { return static_cast<action>(raw_ >> 14); }
  [[nodiscard]] HOST_DEVICE constexpr bool has_copy() const { return (raw_ & copy_bit) != 0; }
  // Only for forward.
  [[nodiscard]] HOST_DEVICE constexpr egress_index to() const {
    return static_cast<egress_index>(raw_ & (max_egresses - 1));
  }
  // A packet that is punted or handed over begins where it did.
  [[nodiscard]] HOST_DEVICE constexpr front_move move() const {
    bool const may_move = what() == action::forward || what() == action::drop;
    return may_move ? static_cast<front_move>((raw_ & argument_bits) >> egress_bits) : front_move::none;
  }
  // Whether the packet's bytes are read again: of a dropped packet only if its front has moved, because the packet, as
  // it was received, does not begin where the verdict says.
  [[nodiscard]] HOST_DEVICE constexpr bool needs_bytes() const {
    return what() != action::drop || move() != front_move::none;
  }
  // Only for hand_over.
  [[nodiscard]] HOST_DEVICE constexpr gpu_position to_gpu() const {
    return static_cast<gpu_position>(raw_ & argument_bits);
  }
  // Only for drop.
  [[nodiscard]] HOST_DEVICE constexpr drop_reason why() const {
    return static_cast<drop_reason>(raw_ & (max_egresses - 1));
  }
  // Only for punt.
  [[nodiscard]] HOST_DEVICE constexpr punt_reason why_punted() const {
    return static_cast<punt_reason>(raw_ & argument_bits);
  }
  [[nodiscard]] HOST_DEVICE constexpr std::uint16_t raw() const { return raw_; }
  friend constexpr bool operator==(verdict, verdict) = default;

 private:
  static constexpr unsigned copy_bit = 0x2000;
  static constexpr unsigned argument_bits = copy_bit - 1;
  static constexpr unsigned egress_bits = 10;
  static_assert(max_drop_reasons <= max_egresses && max_egresses == 1U << egress_bits);
  [[nodiscard]] HOST_DEVICE static constexpr std::uint16_t with_move(std::uint16_t place, front_move move) {
    return static_cast<std::uint16_t>(static_cast<unsigned>(move) << egress_bits | place);
  }
  HOST_DEVICE constexpr verdict(action a, std::uint16_t argument)
      : raw_{static_cast<std::uint16_t>(static_cast<unsigned>(a) << 14 | argument)} {}
  std::uint16_t raw_;
};
static_assert(std::is_trivially_copyable_v<verdict> && sizeof(verdict) == 2);

}  // namespace packetwarp
