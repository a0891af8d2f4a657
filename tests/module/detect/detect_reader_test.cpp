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

constexpr std::size_t much_memory = 227 << 10;
constexpr std::size_t little_memory = 99 << 10;

[[nodiscard]] std::string refusal(detect_config const& config, executor_kind by,
                                  std::size_t shared_bytes = much_memory) {
  try {
    require_evaluable(config, "network.yaml", by, shared_bytes);
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  return {};
}

TEST(detect_reader, a_large_model_is_refused_in_a_line_by_executors_that_do_not_evaluate_it) {
  using enum executor_kind;
  detect_config config{.line = 2, .models = {model_of("small.onnx", {64, 8, 1})}};
  EXPECT_EQ(refusal(config, persistent), "");
  config.large = detect_large_config{.model = model_of("large.onnx", {64, 512, 1})};
  for (auto const by : {cpu, kernel, graph}) EXPECT_EQ(refusal(config, by), "");
  EXPECT_EQ(refusal(config, persistent),
            "network.yaml:3: detect.large: large.onnx needs CUDA kernels of its own, which a kernel that never ends "
            "cannot launch; use executor graph, kernel or cpu");
  config.large = detect_large_config{.model = model_of("large.onnx", {64, 512, 9})};
  for (auto const by : {cpu, graph}) {
    EXPECT_EQ(refusal(config, by), "network.yaml:3: detect.large: large.onnx has 9 scores per packet: 8 at most");
  }
}

TEST(detect_reader, a_gpu_refuses_trees_as_a_large_model_and_layers_beyond_its_shared_memory) {
  using enum executor_kind;
  detect_config config{.line = 2, .models = {model_of("small.onnx", {64, 8, 1})}};
  config.large = detect_large_config{.model = model_of("large.onnx", {64, 1024, 1})};
  EXPECT_EQ(refusal(config, graph, 0), "") << "the memory is not known";
  EXPECT_EQ(refusal(config, graph, much_memory), "");
  EXPECT_EQ(refusal(config, cpu, little_memory), "");
  EXPECT_EQ(refusal(config, graph, little_memory),
            "network.yaml:3: detect.large: large.onnx has a layer of 1024 inputs: 896 at most on a GPU with 99 KiB of "
            "shared memory for a block; use executor cpu");
  auto made = std::make_shared<model::loaded_model>();
  made->network = model::test::random_networks{1}.make_trees(3, 2, 1);
  made->unit = 0.25;
  config.large->model = {.line = 3, .file = "large.onnx", .threshold = 1, .model = made};
  EXPECT_EQ(refusal(config, cpu), "");
  EXPECT_EQ(refusal(config, kernel),
            "network.yaml:3: detect.large: large.onnx is made of trees: on a GPU it is a dense network; use executor "
            "cpu");
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
