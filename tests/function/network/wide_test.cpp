// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "function/network/played_block.h"
#include "function/network/wide_layout.h"
#include "function/network/wide_tile.h"
#include "model/evaluate.h"
#include "model/random_networks.h"

namespace packetwarp::test {
namespace {

using model::row_bytes;
using model::test::random_networks;

constexpr std::int32_t untouched = 0x5a5a5a5a;

// By `blocks` blocks one after the other.
template <unsigned Rows>
[[nodiscard]] std::vector<std::int32_t> scores_by_blocks(model::network_ref network,
                                                         std::vector<std::int8_t> const& rows, unsigned blocks) {
  auto const count = static_cast<std::uint32_t>(rows.size() / row_bytes);
  std::vector<std::int32_t> scores((std::size_t{count} + 1) * network.outputs(), untouched);
  auto const width = wide_width_of(network);
  for (unsigned block = 0; block < blocks; ++block) {
    std::vector<std::max_align_t> shared(wide_bytes(width, Rows) / sizeof(std::max_align_t));
    std::memset(shared.data(), 0x5a, wide_bytes(width, Rows));
    played_block::run([&](auto const& machine) {
      network_parts::wide_tile<std::remove_cvref_t<decltype(machine)>, Rows>{
          machine, network, width, reinterpret_cast<std::byte*>(shared.data())}
          .evaluate(rows.data(), count, scores.data(), block, blocks);
    });
  }
  return scores;
}

template <unsigned Rows>
void expect_scores_of_model(std::vector<std::uint32_t> const& widths, std::uint32_t count, unsigned blocks) {
  random_networks networks{count};
  auto const network = networks.make_dense(widths);
  auto const rows = networks.any_bytes(std::size_t{count} * row_bytes);
  std::vector<std::int32_t> wanted((std::size_t{count} + 1) * network.ref().outputs(), untouched);
  model::evaluate_by(model::instruction_set::scalar, network.ref(), rows.data(), count, wanted.data());
  EXPECT_EQ(scores_by_blocks<Rows>(network.ref(), rows, blocks), wanted);
}

TEST(wide_network, a_block_has_the_scores_of_the_model_for_layers_of_several_pieces) {
  expect_scores_of_model<most_wide_rows>({64, 264, 8}, 64, 1);
  expect_scores_of_model<least_wide_rows>({50, 264, 136, 8}, 32, 1);
}

TEST(wide_network, a_block_has_the_scores_of_the_model_for_odd_sizes) {
  expect_scores_of_model<most_wide_rows>({17, 33, 97, 3}, 50, 1);
  expect_scores_of_model<least_wide_rows>({1, 7, 130, 1}, 9, 1);
  expect_scores_of_model<least_wide_rows>({64, 5}, 1, 1);
}

TEST(wide_network, blocks_share_the_tiles_of_many_rows) {
  expect_scores_of_model<most_wide_rows>({20, 40, 2}, 5 * most_wide_rows - 3, 2);
  expect_scores_of_model<least_wide_rows>({20, 40, 2}, 3 * least_wide_rows + 1, 2);
}

}  // namespace
}  // namespace packetwarp::test
