// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/function.h"

// A stage of a chain (function/chain.h): a name, drop names, tables (`ref`), and any of these hooks. All are
// HOST_DEVICE and static; none allocates, blocks, or keeps state outside its tables. `tables` is a stage's tables for a
// burst: its ref, or the result of hold() for that ref (held_tables.h). Route hooks take the ref in either case.
//
//   ingress     the packet as it was received: passes(), assume_passes() and ingress() below
//   pre_route   an IPv4 or IPv6 packet that the router may forward (route_hooks.h)
//   routed      the same packet with its next hop, before the router checks whether the packet can go by it
//   post_route  the same packet, if it will go: the only one of the route hooks that may write to the packet, and the
//               last one that may refuse it
//   egress      a packet that leaves by a port, as it leaves: has_egress() and egress() below
//
// A hook answers next_hook(), or a verdict with which the packet is done: no later hook sees it, except the egress
// hooks of earlier stages, which see all forwarded packets. A drop reason is the stage's own: function_drop() of a
// position in its drop_names. A packet that a hook punts is as it was received; one that it hands over to another GPU
// may have another Ethernet source address.
//
// Hooks see a packet's first piece. In a chain that reaches payloads, this piece has all of the headers even if a port
// has split the packet (joined_header.h); payloads are for joint work.
//
// The ingress and route hooks of a stage that works on packets together may take one more argument, the last: the
// stage's annotation of the packet.
namespace packetwarp {

// The answer of a hook that leaves the packet to the hooks after it; a whole function never gives it as a verdict.
[[nodiscard]] HOST_DEVICE constexpr verdict next_hook() { return verdict::from_raw(0xffff); }

// Whether S has ingress hooks that take these arguments after its tables: none, or its annotation.
template <class S, class... Found>
concept has_ingress_by = requires(packet_view packet, typename taken_for_burst<S>::type tables, Found const&... found) {
  { S::passes(packet, tables, found...) } -> std::same_as<bool>;
  { S::ingress(packet, tables, found...) } -> std::same_as<verdict>;
  S::assume_passes(packet);
};
template <class S>
concept has_joint_ingress = has_joint_work<S> && has_ingress_by<S, typename S::annotation>;

// passes(): whether ingress() would answer next_hook(), as far as a cheap test can tell; false is never wrong.
// assume_passes() tells the compiler the facts that follow from passes() returning true.
template <class S>
concept has_ingress = has_ingress_by<S> || has_joint_ingress<S>;

// asks_for_copy(): whether a copy of the packet, as it was received, leaves by the mirror port. The chain asks once per
// packet that met the stage's ingress hook and was not finished by it, after all later hooks.
template <class S>
concept has_copies = has_joint_ingress<S> &&
    requires(typename taken_for_burst<S>::type tables, typename S::annotation const& found) {
  { S::asks_for_copy(tables, found) } -> std::same_as<bool>;
};

// has_egress(): whether any packet of the burst can meet the hook. said: the verdict of the stages after it, always
// forward; the answer replaces it.
template <class S>
concept has_egress = requires(packet_view packet, typename taken_for_burst<S>::type tables, verdict said) {
  { S::has_egress(tables) } -> std::same_as<bool>;
  { S::egress(packet, tables, said) } -> std::same_as<verdict>;
};

}  // namespace packetwarp
