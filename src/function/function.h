// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/group.h"
#include "function/held_tables.h"

namespace packetwarp {

// Whether F reads data after the header, which lies in a piece of its own where packets are split. F says so by a
// member of this name.
template <class F>
inline constexpr bool reaches_payload = false;
template <class F>
requires requires { F::reaches_payload; }
inline constexpr bool reaches_payload<F> = F::reaches_payload;

enum class payload_reach : std::uint8_t { header, payload };

// The ports by which a function's packets may leave.
enum class departure : std::uint8_t {
  by_peer,     // by the peer of the port they came in by: egress 0
  by_any_port  // by any port: egress i is the i-th of the plan's ports
};
// F declares it by a member `leaves`.
template <class F>
inline constexpr departure departs = departure::by_peer;
template <class F>
requires requires { F::leaves; }
inline constexpr departure departs<F> = F::leaves;

// Whether F's tables need work on a GPU from time to time, by CUDA kernels of their own beside the packets'. F says so
// by a member `care`.
enum class table_care : std::uint8_t { none, swept };
template <class F>
inline constexpr table_care care_of = table_care::none;
template <class F>
requires requires { F::care; }
inline constexpr table_care care_of<F> = F::care;

// How several GPUs of a run hold a function's tables: each GPU has a copy, or each has a part of the entries that
// packets make. A packet whose entry another GPU has is handed over to that GPU.
enum class table_share : std::uint8_t { copied, divided };
template <class F>
inline constexpr table_share share_of = table_share::copied;
template <class F>
requires requires { F::share; }
inline constexpr table_share share_of<F> = F::share;

// The change that F makes to a frame that it forwards. F says so by a member `change` if the change follows from the
// frame alone. A function with this member needs no tables: its ref is the egress of its packets.
enum class frame_change : std::uint8_t {
  by_tables,
  none,
  macs_swapped,    // destination and source
  payload_swapped  // the MAC addresses, and the payload's first six bytes with the next six, if it has them
};
template <class F>
inline constexpr frame_change change_of = frame_change::by_tables;
template <class F>
requires requires { F::change; }
inline constexpr frame_change change_of<F> = F::change;
template <class F>
inline constexpr bool has_no_tables = change_of<F> != frame_change::by_tables;

// Whether F reads and changes no more than the first near_bytes of some packets (burst/near_header.h), and writes no
// more than near_headroom before them. stays_near(packet) says of which packets, and itself reads no further. The
// packet's lengths are the whole packet's.
template <class F>
concept has_stays_near = requires(packet_view packet) {
  { F::stays_near(packet) } -> std::same_as<bool>;
};

inline constexpr std::size_t room_alignment = 16;

// Whether F, a function or a stage of a chain, works on packets together before it decides on each of them. The packets
// of a group (group.h) gather the data that the work needs in a room that they share, the group works on it, and each
// packet's annotation is read from it. All of this precedes the first of a packet's hooks: the work sees packets as
// they were received, also packets that an earlier stage is going to drop, and changes none.
//
//   room           the memory that a group shares, without constructor; it is shared memory on a GPU, so it is counted
//                  for each warp of a block, and a GPU that has less refuses the function by name
//   gather()       called by the lane that has packet n of its group. A function that reaches the payload gets the
//                  packet where it lies, possibly with a nearer copy of its headers, or a copy of all of it that stays
//                  until work() has ended; another function gets no more of a packet that stays near than process()
//                  sees
//   work()         called by all lanes of the group
//   annotation_of  the result for packet n; trivially copyable, and small: it travels in registers
template <class F>
concept has_joint_work = requires(packet_view packet, unsigned n, typename taken_for_burst<F>::type tables,
                                  typename F::room& room, lone_lane const& group) {
  F::gather(packet, n, tables, room);
  F::work(group, tables, room);
  { F::annotation_of(n, room) } -> std::same_as<typename F::annotation>;
}
&&std::is_trivially_copyable_v<typename F::annotation>&& std::is_trivially_default_constructible_v<typename F::room>&&
        std::is_trivially_destructible_v<typename F::room> &&
    alignof(typename F::room) <= room_alignment;

// Whether a CPU can fetch the memory of F's gather() for a group's packets before it gathers the first one; foresees()
// says whether that pays now. foresee() reads a packet's header and fetches the memory that leads to its tables.
// foresee_further() reads it, fetches what it leads to, and may note in the foresight where that is. Neither changes a
// table, and gather() gives the same room with their result for a packet as without it. Host code.
template <class F>
concept gathers_ahead = has_joint_work<F> &&
    requires(packet_view packet, unsigned n, typename taken_for_burst<F>::type tables, typename F::room& room,
             typename F::foresight& seen) {
  { F::foresees(tables) } -> std::same_as<bool>;
  F::foresee(packet, tables, seen);
  F::foresee_further(seen, tables);
  F::gather(packet, n, tables, room, seen);
};

// Bytes of a room, rounded up so that the next room is aligned; 0 for a function without joint work.
template <class F>
inline constexpr std::size_t room_bytes_of = 0;
template <has_joint_work F>
inline constexpr std::size_t room_bytes_of<F> =
    (sizeof(typename F::room) + room_alignment - 1) / room_alignment* room_alignment;

// Whether the joint work needs kernels of its own on a GPU: a library's, or more than a warp. The rooms of all groups
// that were taken together then lie in GPU memory, between one kernel that gathers and one that decides
// (executor/gpu/joint/own_kernels.cuh); a persistent kernel cannot do that. F says so by a member of this name.
template <class F>
inline constexpr bool has_own_kernels = false;
template <class F>
requires requires { F::has_own_kernels; }
inline constexpr bool has_own_kernels<F> = F::has_own_kernels;

// Bytes of a warp's room in shared memory.
template <class F>
inline constexpr std::size_t shared_room_bytes_of = has_own_kernels<F> ? 0 : room_bytes_of<F>;

// A function with joint work that decides on a packet by its annotation.
template <class F>
concept works_jointly = has_joint_work<F> &&
    requires(packet_view packet, typename taken_for_burst<F>::type tables, typename F::annotation const& annotation) {
  { F::process(packet, tables, annotation) } -> std::same_as<verdict>;
};
// Whether the warps of a GPU's block go through F's joint work in step: its code is longer than the caches of
// instructions, and warps that are at the same part of it share what is fetched. F::work then calls meet() equally
// often for each group, also for one without packets. F says so by a member of this name.
template <class F>
inline constexpr bool goes_in_step = false;
template <class F>
requires requires { F::goes_in_step; }
inline constexpr bool goes_in_step<F> = F::goes_in_step;
// Whether a GPU works on F's units of packets in rounds, one unit for each warp of a block: all functions with joint
// work, except in kernels of their own. Groups that go in step need it, and others gain: see
// executor/gpu/device/rounds.cuh.
template <class F>
inline constexpr bool works_in_rounds = works_jointly<F> && !has_own_kernels<F>;
// Whether a GPU's kernel has copies of all code that F runs for usual packets, and no calls of it, so that it can read
// F's tables where the kernel has them (executor/gpu/device/kernels.cuh): all functions that work in rounds, and
// functions with a member of this name.
template <class F>
inline constexpr bool is_copied = works_in_rounds<F>;
template <class F>
requires requires { F::is_copied; }
inline constexpr bool is_copied<F> = F::is_copied;

// A function that needs no more than the packet and, if it follows epochs, the epoch.
template <class F>
concept works_in_any_epoch = !follows_epochs<F> && requires(packet_view packet, typename F::ref const& tables) {
  { F::process(packet, tables) } -> std::same_as<verdict>;
};
template <class F>
concept works_in_an_epoch = follows_epochs<F> &&
    requires(packet_view packet, typename taken_for_burst<F>::type tables) {
  { F::process(packet, tables) } -> std::same_as<verdict>;
};
template <class F>
concept works_alone = works_in_any_epoch<F> || works_in_an_epoch<F>;

// A network function as an executor sees it: a name, the names of its own drop reasons, a trivially-copyable reference
// to its tables, and one call that works on a packet in place, alone or with the group's annotation. Its reasons fit
// the counters. All of it is HOST_DEVICE, so the CPU and every GPU executor run the same code; it must not allocate,
// block or keep state outside of the tables. follows_from_header: whether the change of a packet follows from its first
// 128 bytes and the tables as they are, so that a repetition on a copy of these bytes shows whether the change was
// made; not for a function that follows epochs.
template <class F>
concept packet_function = requires {
  { F::name } -> std::convertible_to<std::string_view>;
  { F::follows_from_header } -> std::convertible_to<bool>;
  { F::drop_names[0] } -> std::convertible_to<std::string_view>;
}
&&(works_alone<F> || works_jointly<F>)&&!(follows_epochs<F> && F::follows_from_header) &&
    std::is_trivially_copyable_v<typename F::ref> &&
    std::size(F::drop_names) <= max_drop_reasons - static_cast<std::size_t>(drop_reason::first_of_function);

// Whether F can have a CPU fetch the memory that a packet needs while earlier packets are worked on: look_ahead() reads
// the packet's header and fetches the memory that leads to its tables, look_further() reads that memory and fetches the
// memory it leads to. Neither changes anything, and process() gives the same result with their result for the same
// packet as without it.
template <class F>
concept looks_ahead = packet_function<F> &&
    requires(packet_view packet, typename taken_for_burst<F>::type tables, typename F::outlook& seen) {
  { F::look_ahead(packet, tables) } -> std::same_as<typename F::outlook>;
  F::look_further(seen, tables);
  { F::process(packet, tables, seen) } -> std::same_as<verdict>;
};

// Whether looking ahead brings F anything with these tables: F can say that it does not by gains_ahead(), for all
// packets of a burst.
template <class F>
[[nodiscard]] bool gains_by_looking_ahead(typename taken_for_burst<F>::type const& tables) {
  if constexpr (requires {
                  { F::gains_ahead(tables) } -> std::same_as<bool>;
                })
    return F::gains_ahead(tables);
  return true;
}

// looks_ahead for a function that works on packets together: the result of look_ahead() comes after the annotation.
template <class F>
concept looks_ahead_jointly = works_jointly<F> &&
    requires(packet_view packet, typename taken_for_burst<F>::type tables, typename F::annotation const& annotation,
             typename F::outlook& seen) {
  { F::look_ahead(packet, tables) } -> std::same_as<typename F::outlook>;
  F::look_further(seen, tables);
  { F::process(packet, tables, annotation, seen) } -> std::same_as<verdict>;
};

// The name of any drop reason that function F can give or its data path adds.
template <packet_function F>
[[nodiscard]] constexpr std::string_view drop_name(drop_reason reason) {
  if (reason < drop_reason::first_of_function) return data_path_drop_name(reason);
  auto const own = static_cast<std::size_t>(reason) - static_cast<std::size_t>(drop_reason::first_of_function);
  return own < std::size(F::drop_names) ? F::drop_names[own] : std::string_view{};
}
// The same for F with these tables, which may switch off some stages of a chain: their reasons have no name.
template <packet_function F>
[[nodiscard]] std::string_view drop_name(drop_reason reason, typename F::ref const& tables) {
  auto const name = drop_name<F>(reason);
  if constexpr (requires { F::gives(std::size_t{}, tables); }) {
    if (reason < drop_reason::first_of_function || name.empty()) return name;
    auto const own = static_cast<std::size_t>(reason) - static_cast<std::size_t>(drop_reason::first_of_function);
    return F::gives(own, tables) ? name : std::string_view{};
  } else {
    return name;
  }
}

}  // namespace packetwarp
