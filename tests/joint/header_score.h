// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "base/host_device.h"
#include "function/function.h"
#include "function/hook.h"
#include "function/matrix_8bit.h"

namespace packetwarp::test {

// An example of a joint stage that computes: 32 bytes of each packet's headers are a row, and the rows of a group are
// multiplied by one 8-bit matrix, on a GPU by a warp's tensor cores. A packet's class is the column of its largest
// score, the first one if several are equal. A single class is dropped; as a function of its own it writes the others'
// class into the last byte of their destination address.
struct header_score {
  static constexpr unsigned inputs = 32;
  static constexpr unsigned classes = 8;
  struct ref {
    std::int8_t const* weights;  // classes x inputs, where the executor reads them
    std::uint8_t dropped;
    egress_index egress;
  };
  struct alignas(16) room {
    std::int8_t rows[joint_packets * inputs];
    std::int32_t scores[joint_packets * classes];
  };
  using annotation = std::uint8_t;

  static constexpr std::string_view name = "header_score";
  static constexpr std::array<std::string_view, 2> drop_names{"runt", "bad_class"};
  static constexpr bool follows_from_header = false;
  static constexpr std::uint16_t runt = 0;
  static constexpr std::uint16_t bad_class = 1;
  static constexpr std::uint32_t first_byte = 14;  // after both addresses and the type

  [[nodiscard]] HOST_DEVICE static bool stays_near(packet_view) { return true; }

  // A byte that a packet does not have is 0.
  HOST_DEVICE static void gather(packet_view packet, unsigned n, ref const&, room& shared) {
    for (unsigned i = 0; i < inputs; ++i) {
      shared.rows[n * inputs + i] =
          first_byte + i < packet.contiguous ? static_cast<std::int8_t>(packet.data[first_byte + i]) : std::int8_t{0};
    }
  }
  HOST_DEVICE static void work(auto const& group, ref const& tables, room& shared) {
    multiply_8bit<inputs, classes>(group, shared.rows, tables.weights, shared.scores);
  }
  [[nodiscard]] HOST_DEVICE static annotation annotation_of(unsigned n, room const& shared) {
    auto const* const scores = shared.scores + n * classes;
    annotation best = 0;
    for (annotation c = 1; c < classes; ++c) best = scores[c] > scores[best] ? c : best;
    return best;
  }

  // As a stage of a chain.
  [[nodiscard]] HOST_DEVICE static bool passes(packet_view, ref const& tables, annotation found) {
    return found != tables.dropped;
  }
  HOST_DEVICE static void assume_passes(packet_view) {}
  [[nodiscard]] HOST_DEVICE static verdict ingress(packet_view packet, ref const& tables, annotation found) {
    return passes(packet, tables, found) ? next_hook() : verdict::drop(function_drop(bad_class));
  }

  // As a function.
  [[nodiscard]] HOST_DEVICE static verdict process(packet_view packet, ref const& tables, annotation found) {
    if (packet.contiguous < 14) return verdict::drop(function_drop(runt));
    if (found == tables.dropped) return verdict::drop(function_drop(bad_class));
    packet.data[5] = static_cast<std::byte>(found);
    return verdict::forward(tables.egress);
  }
};
static_assert(packet_function<header_score> && has_joint_ingress<header_score> && !works_alone<header_score>);

}  // namespace packetwarp::test
