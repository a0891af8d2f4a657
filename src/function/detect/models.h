// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>

#include "base/host_device.h"
#include "base/unroll.h"
#include "feature/row.h"
#include "function/detect/detect_layout.h"
#include "function/detect/kept_rows.h"
#include "function/network/evaluate.h"
#include "function/network/room.h"
#include "model/evaluate.h"
#include "model/integer_network.h"

// A group's rows, judged by all models of a set.
namespace packetwarp::detect_parts {

struct models_room {
  network_room network;        // rows; after judge_by_all() the first model's scores
  std::uint32_t is_anomalous;  // bit n: packet n, by the first model
  std::uint32_t outputs;       // of the first model
};

#if !defined(__CUDA_ARCH__)
// A CPU, whose memory has no banks, has the rows of a group one after another in the room, and the scores after them.
[[nodiscard]] inline std::int8_t* plain_rows(network_room& room) { return reinterpret_cast<std::int8_t*>(room.words); }
[[nodiscard]] inline std::int32_t* plain_scores(network_room& room) {
  static_assert(joint_packets * (row_words + most_scores_by_group) <= std::size(network_room{}.words));
  return reinterpret_cast<std::int32_t*>(room.words + std::size_t{joint_packets} * row_words);
}
#endif

HOST_DEVICE inline void put_row(feature::packed_row const& row, unsigned n, network_room& to_room) {
#if defined(__CUDA_ARCH__)
  network_row const to{to_room, n};
  UNROLLED
  for (unsigned i = 0; i < row_words; ++i) to.word(i) = row.words[i];
#else
  std::memcpy(plain_rows(to_room) + std::size_t{n} * model::row_bytes, row.bytes(), model::row_bytes);
#endif
}

// The scores of all rows in the room; a warp's take the rows' places.
HOST_DEVICE void evaluate_rows(auto const& group, model::network_ref network, network_room& room) {
#if defined(__CUDA_ARCH__)
  evaluate_by_group(group, network, room);
#else
  model::evaluate(network, plain_rows(room), group.packets(), plain_scores(room));
#endif
}
[[nodiscard]] HOST_DEVICE inline std::int32_t score_in(network_room const& room, unsigned n,
                                                       [[maybe_unused]] std::uint32_t outputs, unsigned output) {
#if defined(__CUDA_ARCH__)
  return score_of(n, room, output);
#else
  return static_cast<std::int32_t>(room.words[joint_packets * row_words + n * outputs + output]);
#endif
}

// The number that is compared with a threshold; score_at: of an output.
[[nodiscard]] HOST_DEVICE inline std::int64_t margin_among(std::uint32_t outputs, auto const& score_at) {
  auto const first = score_at(0);
  if (outputs == 1) return first;
  auto most = score_at(1);
  for (unsigned output = 2; output < outputs; ++output) {
    auto const score = score_at(output);
    if (score > most) most = score;
  }
  return std::int64_t{most} - first;
}
[[nodiscard]] HOST_DEVICE inline std::int64_t margin_of(unsigned n, std::uint32_t outputs, network_room const& scores) {
  return margin_among(outputs, [&](unsigned output) { return score_in(scores, n, outputs, output); });
}
// By the first model, after judge_by_all().
[[nodiscard]] HOST_DEVICE inline std::int64_t first_margin_of(unsigned n, models_room const& judged) {
  return margin_of(n, judged.outputs, judged.network);
}

[[nodiscard]] HOST_DEVICE inline std::int32_t near_number(std::int64_t score) {
  constexpr std::int64_t most = 0x7fff'ffff;
  if (score > most) return static_cast<std::int32_t>(most);
  return score < -most ? -static_cast<std::int32_t>(most) : static_cast<std::int32_t>(score);
}

HOST_DEVICE inline void add(std::uint64_t& counter, std::uint64_t amount) {
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{counter}.fetch_add(amount, cuda::memory_order_relaxed);
}
HOST_DEVICE inline void count(detect_count& to, std::uint32_t judged, std::uint32_t anomalous) {
  if (judged != 0) add(to.judged, judged);
  if (anomalous != 0) add(to.anomalous, anomalous);
}

[[nodiscard]] HOST_DEVICE inline unsigned size_of(std::uint32_t packets) {
#if defined(__CUDA_ARCH__)
  return static_cast<unsigned>(__popc(packets));
#else
  return static_cast<unsigned>(__builtin_popcount(packets));
#endif
}

[[nodiscard]] HOST_DEVICE std::uint32_t anomalous_of(auto const& group, detect_model const& model,
                                                     network_room const& scores) {
  std::uint32_t of_lane = 0;
  for (auto n = group.lane(); n < group.packets(); n += group.lanes()) {
    if (margin_of(n, model.network.outputs(), scores) > model.threshold) of_lane |= std::uint32_t{1} << n;
  }
  return group.sum(of_lane);  // each packet's bit is one lane's
}

HOST_DEVICE void judge(auto const& group, detect_set const& set, detect_count* counts, unsigned number,
                       models_room& shared) {
  auto const& model = set.models[number];
  evaluate_rows(group, model.network, shared.network);
  auto const found = anomalous_of(group, model, shared.network);
  if (group.lane() == 0) {
    if (number == 0) {
      shared.is_anomalous = found;
      shared.outputs = model.network.outputs();
    }
    count(counts[number], group.packets(), size_of(found));
  }
  group.sync();
}

// Called by all lanes. The first model is the last to judge, because its scores stay in the room.
HOST_DEVICE void judge_by_all(auto const& group, detect_set const& set, detect_count* counts, models_room& shared) {
  if (set.count == 1) return judge(group, set, counts, 0, shared);
  kept_rows rows;
  rows.keep(group, shared.network);
  for (auto number = set.count; number-- != 0;) {
    judge(group, set, counts, number, shared);
    if (number != 0) rows.put_back(group, shared.network);
  }
}

}  // namespace packetwarp::detect_parts
