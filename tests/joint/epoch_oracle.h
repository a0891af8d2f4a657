// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "joint/epoch_chains.h"
#include "joint/joint_oracle.h"
#include "parity/general.h"

// The expected marks of stages that follow epochs, for the parity suite: each packet has those of its burst's epoch.
namespace packetwarp::test {

inline constexpr epoch_number dropped_epochs = 3;
inline constexpr std::uint16_t of_forward = forward::drop_names.size();

[[nodiscard]] inline bool has_dropped_epoch(oracle_packet packet) { return packet.epoch % dropped_epochs == 0; }
// `times` marks, one after the other.
inline void mark_at(oracle_packet packet, std::size_t at, std::size_t times) {
  std::array<std::uint8_t, 2> mark{};
  for (unsigned bit = 0; bit < 64; ++bit) {
    if ((packet.epoch >> bit & 1) != 0) mark[bit % 16 < 8 ? 1 : 0] ^= static_cast<std::uint8_t>(1U << bit % 8);
  }
  for (std::size_t i = 0; i < 2 * times; ++i) packet.first[at + i] = static_cast<std::byte>(mark[i % 2]);
}
[[nodiscard]] inline verdict forward_marked(oracle_packet packet) {
  std::swap_ranges(packet.first.begin(), packet.first.begin() + 6, packet.first.begin() + 6);
  return verdict::forward(joint_egress);
}
[[nodiscard]] inline bool is_runt(oracle_packet packet) { return packet.first.size() < 14; }

template <>
struct oracle<stamped_forward> {
  static constexpr stamped_forward::ref tables{{epoch_stamp::ref{dropped_epochs}}, {forward::ref{joint_egress}}};
  static verdict process(oracle_packet packet) {
    if (has_dropped_epoch(packet)) return verdict::drop(function_drop(of_forward + epoch_stamp::bad_epoch));
    if (is_runt(packet)) return verdict::drop(function_drop(forward::runt));
    mark_at(packet, 6, 1);
    return forward_marked(packet);
  }
};

template <>
struct oracle<epoch_mark> {
  static constexpr epoch_mark::ref tables{joint_egress};
  static verdict process(oracle_packet packet) {
    if (is_runt(packet)) return verdict::drop(function_drop(0));
    mark_at(packet, 0, 3);
    return verdict::forward(joint_egress);
  }
};
template <>
struct oracle<epoch_mark_apart> : oracle<epoch_mark> {};

template <>
struct oracle<marked_apart> {
  static table_refs<marked_apart> tables_in(table_place place) {
    auto const scores = score_tables(place);
    constexpr epoch_mark::ref marks{joint_egress};
    constexpr forward::ref way{joint_egress};
    return {{{scores.cpu}, {marks}, {way}}, {{scores.gpu}, {marks}, {way}}};
  }
  static verdict process(oracle_packet packet) {
    if (oracle_class(packet) == dropped_class) {
      return verdict::drop(function_drop(of_forward + header_score::bad_class));
    }
    if (is_runt(packet)) return verdict::drop(function_drop(forward::runt));
    mark_at(packet, 0, 3);
    return forward_marked(packet);
  }
};

// Each set of switches.
template <stage_switch Stamps, stage_switch Marks>
struct switched_marks_oracle {
  static constexpr switched_marks::ref tables{
      {{epoch_stamp::ref{dropped_epochs}, Stamps == stage_switch::on ? 1U : 0U}},
      {{epoch_mark::ref{joint_egress}, Marks == stage_switch::on ? 1U : 0U}},
      {forward::ref{joint_egress}}};
  static verdict process(oracle_packet packet) {
    constexpr bool stamps = Stamps == stage_switch::on;
    if (stamps && has_dropped_epoch(packet)) return verdict::drop(function_drop(of_forward + epoch_stamp::bad_epoch));
    if (is_runt(packet)) return verdict::drop(function_drop(forward::runt));
    if (Marks == stage_switch::on) mark_at(packet, 0, 3);
    if (stamps) mark_at(packet, 6, 1);
    return forward_marked(packet);
  }
  [[nodiscard]] static constexpr tested_function test(std::string_view name) {
    return {name, process,
            [](executor_kind kind, burst_ring& ring, std::chrono::nanoseconds packet_time, gpu_settings const& gpu) {
              return make_executor<switched_marks>(kind, ring, {tables, tables}, egress_index{0}, packet_time, gpu);
            },
            true};
  }
};

inline constexpr std::array epoch_functions{
    test_of<stamped_forward>(),
    test_of<epoch_mark>(),
    switched_marks_oracle<stage_switch::on, stage_switch::on>::test("switched_epochs"),
    switched_marks_oracle<stage_switch::on, stage_switch::off>::test("switched_epoch_stamp"),
    switched_marks_oracle<stage_switch::off, stage_switch::on>::test("switched_epoch_mark"),
    switched_marks_oracle<stage_switch::off, stage_switch::off>::test("switched_no_epochs"),
};
inline constexpr std::array epoch_functions_apart{test_of<epoch_mark_apart>(), test_of<marked_apart>()};

}  // namespace packetwarp::test
