// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "burst/packet_view.h"
#include "burst/verdict.h"
#include "function/hook.h"
#include "wire/answer.h"
#include "wire/parse.h"

namespace packetwarp::detect_parts {

// The drop reason of a packet that must not be answered: the n-th after first_unanswerable, in the order of
// wire::unanswerable.
[[nodiscard]] HOST_DEVICE constexpr verdict drop_unanswerable(wire::unanswerable why,
                                                              std::uint16_t first_unanswerable) {
  constexpr auto first = static_cast<unsigned>(wire::unanswerable::fragment);
  return verdict::drop(
      function_drop(static_cast<std::uint16_t>(first_unanswerable + static_cast<unsigned>(why) - first)));
}

// Makes the packet its own answer and sends it back by the port that it came in by. Frames that are no question go to
// the next hook. ingress: the position of the port among the plan's.
[[nodiscard]] HOST_DEVICE inline verdict answer(packet_view packet, std::int32_t excess, std::uint16_t ingress,
                                                std::uint16_t first_unanswerable) {
  auto const found = wire::parse(packet.data, packet.contiguous, packet.length);
  auto const why = wire::why_unanswerable(packet.data, found);
  if (why == wire::unanswerable::other) return next_hook();
  if (why != wire::unanswerable::none) return drop_unanswerable(why, first_unanswerable);
  wire::make_answer(packet.data, packet.contiguous, found, excess);
  return verdict::forward(static_cast<egress_index>(ingress));
}

}  // namespace packetwarp::detect_parts
