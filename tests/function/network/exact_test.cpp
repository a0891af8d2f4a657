// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "fixtures/repetitions.h"
#include "function/network/evaluate.h"
#include "function/network/exact_rows.h"

// Every score of many rows by each kind of code on a CPU (PACKETWARP_EXACT_ROWS: how many).
namespace packetwarp::test {
namespace {

constexpr std::size_t rows_in_each_run = repetitions(20'000U, 4'000);

[[nodiscard]] std::vector<std::int32_t> scores_by_lone_lane(model::network_ref network,
                                                            std::vector<std::int8_t> const& rows) {
  auto const outputs = network.outputs();
  std::vector<std::int32_t> scores(rows.size() / model::row_bytes * outputs);
  share_rows(rows.size() / model::row_bytes, [&](std::size_t begin, std::size_t count) {
    network_room room{};
    for (std::size_t at = begin; at < begin + count; at += joint_packets) {
      auto const packets = static_cast<unsigned>(std::min<std::size_t>(joint_packets, begin + count - at));
      for (unsigned n = 0; n < packets; ++n) {
        for (unsigned i = 0; i < row_words; ++i) {
          std::memcpy(&network_row{room, n}.word(i), rows.data() + (at + n) * model::row_bytes + i * 4, 4);
        }
      }
      evaluate_by_group(lone_lane{packets}, network, room);
      for (unsigned n = 0; n < packets; ++n) {
        for (unsigned o = 0; o < outputs; ++o) scores[(at + n) * outputs + o] = score_of(n, room, o);
      }
    }
  });
  return scores;
}

TEST(exact_scores, each_code_of_a_cpu_has_the_scores_of_scalar_code) {
  for (auto const& [name, network] : exact_networks()) {
    SCOPED_TRACE(name);
    exact_rows all{exact_count(rows_in_each_run)};
    for (auto rows = all.next(); !rows.empty(); rows = all.next()) {
      auto const wanted = scores_by(model::instruction_set::scalar, network.ref(), rows);
      for (auto const set : {model::instruction_set::avx2, model::instruction_set::avx512_vnni}) {
        if (!model::has(set)) continue;
        ASSERT_TRUE(scores_by(set, network.ref(), rows) == wanted) << model::name_of(set);
      }
      ASSERT_TRUE(scores_by_lone_lane(network.ref(), rows) == wanted) << "a group on the CPU";
    }
  }
}

}  // namespace
}  // namespace packetwarp::test
