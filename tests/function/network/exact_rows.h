// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "fixtures/exact_count.h"
#include "model/evaluate.h"
#include "model/random_networks.h"

// Many rows for a few networks of the sizes that are in use, and the scores by the code that defines them.
namespace packetwarp::test {

struct exact_network {
  std::string name{};
  model::integer_network network{};
};

[[nodiscard]] inline std::vector<exact_network> exact_networks() {
  model::test::random_networks random{26};
  std::vector<exact_network> made;
  for (auto const& widths : {std::vector<std::uint32_t>{36, 64, 32, 1}, std::vector<std::uint32_t>{64, 128, 64, 2},
                             std::vector<std::uint32_t>{50, 96, 8}}) {
    std::string name;
    for (auto const width : widths) {
      if (!name.empty()) name += '-';
      name += std::to_string(width);
    }
    made.push_back({name, random.make_dense(widths)});
  }
  made.push_back({"100 trees of depth 6", random.make_trees(100, 6, 1, model::test::tree_shape::full)});
  return made;
}

// Rows in pieces, the same ones in each run.
class exact_rows {
 public:
  static constexpr std::size_t piece_rows = std::size_t{1} << 16;

  explicit exact_rows(std::size_t count) : left_{count} {}

  // The next rows; empty at the end.
  [[nodiscard]] std::vector<std::int8_t> next() {
    std::vector<std::int8_t> made(std::min(left_, piece_rows) * model::row_bytes);
    left_ -= made.size() / model::row_bytes;
    for (auto& byte : made) byte = static_cast<std::int8_t>(random_() >> 24);
    return made;
  }

 private:
  std::size_t left_;
  std::mt19937 random_{26};
};

// Calls work(first row, number of rows) for all rows, on all processors.
inline void share_rows(std::size_t rows, std::function<void(std::size_t, std::size_t)> const& work) {
  std::size_t const threads = std::max(1U, std::thread::hardware_concurrency());
  auto const each = (rows + threads - 1) / threads;
  std::vector<std::jthread> all;
  for (std::size_t begin = 0; begin < rows; begin += each) {
    all.emplace_back([&work, begin, count = std::min(each, rows - begin)] { work(begin, count); });
  }
}

[[nodiscard]] inline std::vector<std::int32_t> scores_by(model::instruction_set set, model::network_ref network,
                                                         std::vector<std::int8_t> const& rows) {
  auto const outputs = network.outputs();
  std::vector<std::int32_t> scores(rows.size() / model::row_bytes * outputs);
  share_rows(rows.size() / model::row_bytes, [&](std::size_t begin, std::size_t count) {
    model::evaluate_by(set, network, rows.data() + begin * model::row_bytes, count, scores.data() + begin * outputs);
  });
  return scores;
}

}  // namespace packetwarp::test
