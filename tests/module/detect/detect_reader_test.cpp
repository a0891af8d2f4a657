// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/detect/detect_reader.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "model/random_networks.h"

namespace packetwarp::test {
namespace {

[[nodiscard]] detect_model_config model_of(std::string file, std::vector<std::uint32_t> const& widths) {
  auto made = std::make_shared<model::loaded_model>();
  made->network = model::test::random_networks{1}.make_dense(widths);
  made->unit = 0.25;
  return {.line = 3, .file = std::move(file), .threshold = 1, .model = made};
}

[[nodiscard]] std::string refusal(detect_config const& config, group_kind by) {
  try {
    require_evaluable(config, "network.yaml", by);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return {};
}

TEST(detect_reader, a_large_model_is_refused_on_a_gpu_in_a_line_and_not_on_a_cpu) {
  detect_config config{.line = 2, .models = {model_of("small.onnx", {64, 8, 1})}};
  EXPECT_EQ(refusal(config, group_kind::warp), "");
  config.large = detect_large_config{.model = model_of("large.onnx", {64, 512, 1})};
  EXPECT_EQ(refusal(config, group_kind::lone_lane), "");
  EXPECT_EQ(refusal(config, group_kind::warp),
            "network.yaml:3: detect.large: large.onnx judges on executor cpu alone; take it, or leave 'large' out");
  config.large = detect_large_config{.model = model_of("large.onnx", {64, 512, 9})};
  EXPECT_EQ(refusal(config, group_kind::lone_lane),
            "network.yaml:3: detect.large: large.onnx has 9 scores per packet: 8 at most");
}

TEST(detect_reader, a_band_is_in_whole_scores_of_the_first_model_and_a_missing_one_holds_all) {
  detect_config config{.line = 2, .models = {model_of("small.onnx", {64, 8, 1})}};
  EXPECT_EQ(input_of(config).large.count, 0U);
  config.large = detect_large_config{
      .model = model_of("large.onnx", {64, 512, 1}), .milestones = {3, 9}, .low = -0.3, .high = 1.1};
  auto const large = input_of(config).large;
  EXPECT_EQ(large.low, -1);  // -0.25 is within, -0.5 is not
  EXPECT_EQ(large.high, 4);  // 1 is within, 1.25 is not
  EXPECT_EQ(large.model.threshold, 4);
  EXPECT_EQ(large.count, 2U);
  EXPECT_EQ(large.milestones[1], 9U);
  config.large = detect_large_config{.model = model_of("large.onnx", {64, 512, 1})};
  auto const all = input_of(config).large;
  EXPECT_LT(all.low, std::int64_t{-1} << 32);
  EXPECT_GT(all.high, std::int64_t{1} << 32);
}

}  // namespace
}  // namespace packetwarp::test
