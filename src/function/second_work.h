// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>

#include "function/function.h"
#include "function/held_tables.h"
#include "model/integer_network.h"

namespace packetwarp {

// Whether S is a joint stage with kernels of its own that works in two steps: on all packets, and then on those of them
// that a network of wide layers judges, too. The kernels are the executor's (executor/gpu/joint/second_work.cuh).
// Between gather() and annotation_of(), for all groups of a batch:
//
//   version_in_force   the number of the tables that the whole batch takes
//   work_first()       called by all lanes of a group; near: memory that they share meanwhile. Returns the packets, a
//                      bit each, that the network judges, in all lanes
//   row_of()           such a packet's row, of model::row_bytes, aligned to 16
//   wide_network()     the network, which is dense, and whose outputs are no more than most_scores_by_group
//   take_scores()      called once for each such packet, side by side, when the network has judged; says whether it
//                      was found to be what the network looks for
//   count_second()     called for some packets of the network's: their number, and how many of them were found
//   wide_width()       host code: wide_width_of() the network when the executor is made. 0: there is none yet
template <class S>
concept works_twice = has_joint_work<S> && has_own_kernels<S> && follows_epochs<S> &&
    requires(lone_lane const& group, typename S::ref const& tables, typename S::room& room, typename S::near_room& near,
             std::int32_t const* scores, std::uint32_t number, epoch_number epoch) {
  { S::version_in_force(tables) } -> std::same_as<std::uint32_t>;
  { S::work_first(group, tables, number, epoch, room, near) } -> std::same_as<std::uint32_t>;
  { S::row_of(number, room) } -> std::same_as<std::int8_t const*>;
  { S::wide_network(tables, number) } -> std::same_as<model::network_ref>;
  { S::take_scores(number, scores, tables, number, epoch, room) } -> std::same_as<bool>;
  S::count_second(tables, number, number);
  { S::wide_width(tables) } -> std::same_as<std::uint32_t>;
};

}  // namespace packetwarp
