// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "fixtures/repetitions.h"
#include "function/network/bounds.h"
#include "function/network/evaluate.h"
#include "function/network/played_warp.h"
#include "model/random_networks.h"

namespace packetwarp::test {
namespace {

using model::row_bytes;
using model::test::random_networks;

// Rows as they lie in a file, put into a room; rows beyond them have any bytes.
void fill(network_room& room, std::vector<std::int8_t> const& rows) {
  std::memset(room.words, 0x5a, sizeof room.words);
  for (unsigned n = 0; n < rows.size() / row_bytes; ++n) {
    for (unsigned i = 0; i < row_bytes; ++i) network_row{room, n}[i] = rows[n * row_bytes + i];
  }
}

void expect_scores_of_model(model::network_ref network, std::vector<std::int8_t> const& rows,
                            network_room const& room) {
  auto const outputs = network.outputs();
  std::vector<std::int32_t> wanted(rows.size() / row_bytes * outputs);
  model::evaluate_by(model::instruction_set::scalar, network, rows.data(), rows.size() / row_bytes, wanted.data());
  for (unsigned n = 0; n < rows.size() / row_bytes; ++n) {
    auto const* const scores = wanted.data() + n * outputs;
    for (unsigned o = 0; o < most_scores_by_group; ++o) {
      EXPECT_EQ(score_of(n, room, o), o < outputs ? scores[o] : no_score) << "score " << o << " of packet " << n;
    }
    EXPECT_EQ(class_of(n, room), std::max_element(scores, scores + outputs) - scores) << "packet " << n;
  }
}

void expect_same_by_lone_lane(model::network_ref network, std::vector<std::int8_t> const& rows) {
  network_room room;
  fill(room, rows);
  evaluate_by_group(lone_lane{static_cast<unsigned>(rows.size() / row_bytes)}, network, room);
  expect_scores_of_model(network, rows, room);
}

// The code of a GPU's warp, on a warp that the CPU plays.
void expect_same_by_warp(model::network_ref network, std::vector<std::int8_t> const& rows) {
  network_room room;
  fill(room, rows);
  played_warp::run(static_cast<unsigned>(rows.size() / row_bytes), [&](auto const& group, auto const& unit) {
    network_parts::evaluate_by_warp(unit, group, network, room);
  });
  expect_scores_of_model(network, rows, room);
}

TEST(network_by_group, a_lone_lane_has_the_scores_of_the_model_for_dense_networks) {
  random_networks networks{1};
  for (int i = 0; i < 100; ++i) {
    SCOPED_TRACE(i);
    auto const network = networks.make_dense(6, most_width_by_warp, most_scores_by_group);
    expect_same_by_lone_lane(network.ref(), networks.bytes((networks.below(joint_packets) + 1) * row_bytes));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(network_by_group, a_lone_lane_evaluates_wider_networks_than_a_warp) {
  random_networks networks{8};
  std::vector<std::uint32_t> const widths{row_bytes, model::most_width, 130, most_scores_by_group};
  auto const network = networks.make_dense(widths);
  EXPECT_TRUE(why_not_by_group(network.ref(), group_kind::warp));
  EXPECT_FALSE(why_not_by_group(network.ref(), group_kind::lone_lane));
  expect_same_by_lone_lane(network.ref(), networks.any_bytes(std::size_t{joint_packets} * row_bytes));
}

TEST(network_by_group, a_lone_lane_has_the_scores_of_the_model_for_trees) {
  random_networks networks{2};
  for (int i = 0; i < 100; ++i) {
    SCOPED_TRACE(i);
    auto const network = networks.make_trees(networks.below(20) + 1, networks.below(8), networks.below(8) + 1);
    expect_same_by_lone_lane(network.ref(), networks.any_bytes((networks.below(joint_packets) + 1) * row_bytes));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(network_by_group, a_warp_has_the_scores_of_the_model_for_dense_networks) {
  random_networks networks{3};
  for (int i = 0; i < repetitions(24, 8); ++i) {
    SCOPED_TRACE(i);
    auto const network = networks.make_dense(4, most_width_by_warp, most_scores_by_group);
    expect_same_by_warp(network.ref(), networks.any_bytes((networks.below(joint_packets) + 1) * row_bytes));
    if (testing::Test::HasFailure()) return;
  }
}

// Widths at which the padded inputs of the next layer are 32, 64, 96 and 128, and its blocks are full or not.
TEST(network_by_group, a_warp_has_the_scores_of_the_model_at_each_number_of_blocks) {
  random_networks networks{4};
  for (std::uint32_t const width : {1U, 8U, 31U, 32U, 33U, 64U, 65U, 72U, 96U, 97U, 120U, 128U}) {
    SCOPED_TRACE(width);
    std::vector<std::uint32_t> const widths{row_bytes, width, 8};
    auto const network = networks.make_dense(widths);
    expect_same_by_warp(network.ref(), networks.any_bytes(17 * row_bytes));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(network_by_group, a_warp_has_the_scores_of_the_model_for_each_number_of_packets) {
  random_networks networks{5};
  std::vector<std::uint32_t> const widths{36, 40, 2};
  auto const network = networks.make_dense(widths);
  auto const trees = networks.make_trees(5, 6, 3);
  for (unsigned packets = 1; packets <= joint_packets; ++packets) {
    SCOPED_TRACE(packets);
    auto const rows = networks.any_bytes(packets * row_bytes);
    expect_same_by_warp(network.ref(), rows);
    expect_same_by_warp(trees.ref(), rows);
    if (testing::Test::HasFailure()) return;
  }
}

TEST(network_by_group, a_warp_has_the_scores_of_the_model_for_trees) {
  random_networks networks{6};
  for (int i = 0; i < 50; ++i) {
    SCOPED_TRACE(i);
    auto const network = networks.make_trees(networks.below(20) + 1, networks.below(8), networks.below(8) + 1);
    expect_same_by_warp(network.ref(), networks.any_bytes((networks.below(joint_packets) + 1) * row_bytes));
    if (testing::Test::HasFailure()) return;
  }
}

TEST(network_by_group, the_first_of_equal_scores_is_the_class) {
  network_room room;
  for (unsigned o = 0; o < most_scores_by_group; ++o) {
    network_row{room, 31}.word(o) = static_cast<std::uint32_t>(o == 2 || o == 5 ? -7 : -9);
    network_row{room, 30}.word(o) = static_cast<std::uint32_t>(no_score);
  }
  EXPECT_EQ(class_of(31, room), 2U);
  EXPECT_EQ(class_of(30, room), 0U);
}

TEST(network_by_group, rows_share_no_byte_of_the_room) {
  network_room room;
  std::vector<int> owners(sizeof room.words);
  for (unsigned n = 0; n < joint_packets; ++n) {
    for (unsigned i = 0; i < row_bytes; ++i) {
      auto const place = &network_row{room, n}[i] - reinterpret_cast<std::int8_t const*>(room.words);
      EXPECT_EQ(owners.at(static_cast<std::size_t>(place))++, 0) << "byte " << i << " of packet " << n;
    }
  }
}

// 32 lanes read or write the same word of their rows in one access: each of the 32 banks has one of them.
TEST(network_by_group, a_word_of_all_rows_is_in_all_banks) {
  for (unsigned word = 0; word < row_words; ++word) {
    std::uint32_t banks = 0;
    for (unsigned n = 0; n < joint_packets; ++n) banks |= 1U << network_parts::place_of_word(n, word) % 32;
    EXPECT_EQ(banks, ~0U) << "word " << word;
  }
}

TEST(network_by_group, bounds_are_told_with_the_layer) {
  random_networks networks{7};
  auto const why = [&](std::vector<std::uint32_t> const& widths, group_kind kind) {
    return why_not_by_group(networks.make_dense(widths).ref(), kind).value_or("it can");
  };
  EXPECT_EQ(why({64, 128, 128, 8}, group_kind::warp), "it can");
  EXPECT_EQ(why({64, 128, 129, 8}, group_kind::warp), "has 129 outputs in layer 2 of 3: 128 at most on a GPU");
  EXPECT_EQ(why({64, 128, 129, 8}, group_kind::lone_lane), "it can");
  EXPECT_EQ(why({64, 9}, group_kind::warp), "has 9 scores per packet: 8 at most");
  EXPECT_EQ(why({64, 9}, group_kind::lone_lane), "has 9 scores per packet: 8 at most");
  EXPECT_FALSE(why_not_by_group(networks.make_trees(3, 3, 8).ref(), group_kind::warp));
  EXPECT_TRUE(why_not_by_group(networks.make_trees(3, 3, 9).ref(), group_kind::warp));
}

TEST(network_by_blocks, is_refused_by_the_memory_of_a_block_by_its_scores_and_if_it_is_made_of_trees) {
  random_networks networks{8};
  auto const why = [&](std::vector<std::uint32_t> const& widths, std::size_t kib) {
    return why_not_by_blocks(networks.make_dense(widths).ref(), kib << 10).value_or("it can");
  };
  EXPECT_EQ(why({64, 1024, 1024, 8}, 227), "it can");
  EXPECT_EQ(why({64, 1024, 1024, 8}, 0), "it can") << "the memory is not known";
  EXPECT_EQ(why({64, 400, 8}, 64),
            "has a layer of 416 inputs: 320 at most on a GPU with 64 KiB of shared memory for a block");
  EXPECT_EQ(why({64, 320, 8}, 64), "it can");
  EXPECT_EQ(why({64, 9}, 227), "has 9 scores per packet: 8 at most");
  EXPECT_TRUE(why_not_by_blocks(networks.make_trees(3, 3, 1).ref(), 0));
}

}  // namespace
}  // namespace packetwarp::test
