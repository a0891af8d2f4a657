// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/pipeline_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

namespace packetwarp::test {
namespace {

using ::testing::ElementsAre;

// A table that knows its place and the number of its parts.
struct noted_table {
  struct part_ref {
    int gpu{};
    std::size_t part{};
    std::uint16_t ingress{};
  };
  [[nodiscard]] part_ref ref(std::size_t part) const { return {.gpu = gpu, .part = part}; }
  [[nodiscard]] std::uint64_t bytes() const { return parts * 100; }
  void abandon() { is_abandoned = true; }

  int gpu{};
  std::size_t parts{};
  bool is_abandoned{};
};

struct noted_stage {
  static constexpr std::string_view name = "noted";
  using ref = noted_table::part_ref;
};

// Two ports, of which the second one has two queues; GPU 4 has the outer pipelines, and GPU 7 the others.
[[nodiscard]] plan plan_of_two_gpus() {
  plan made;
  for (std::uint16_t n = 0; n < 2; ++n) {
    made.ports.emplace_back();
    made.ports.back().facts.id = port_id{n};
  }
  for (auto const& [port, position] : {std::pair{0, 0}, {1, 1}, {1, 1}, {0, 0}}) {
    planned_pipeline one{};
    one.id = pipeline_id{static_cast<std::uint16_t>(made.pipelines.size())};
    one.rx_port = port_id{static_cast<std::uint16_t>(port)};
    one.gpu_position = static_cast<std::uint16_t>(position);
    made.pipelines.push_back(std::move(one));
  }
  return made;
}

[[nodiscard]] pipeline_tables<noted_table> tables_at(table_places places) {
  pipeline_tables<noted_table> made{std::move(places)};
  std::vector<std::string> const names{"left", "right"};
  made.assign(slots_of(plan_of_two_gpus(), names));
  auto const on_gpu = [](std::size_t parts, table_place const& place) {
    return std::make_unique<noted_table>(noted_table{.gpu = place.gpu, .parts = parts});
  };
  made.install([&](std::size_t parts) { return on_gpu(parts, table_place{}); }, on_gpu);
  return made;
}

[[nodiscard]] table_places gpus_4_and_7() {
  return table_places{{table_place{.gpu = 4, .domain = nullptr}, table_place{.gpu = 7, .domain = nullptr}}};
}

// GPU, part and pipeline.
using visit = std::tuple<int, std::size_t, std::size_t>;

[[nodiscard]] std::vector<visit> visits_of(pipeline_tables<noted_table> const& tables) {
  std::vector<visit> all;
  tables.for_each_part(
      [&](noted_table const& of, std::size_t part, std::size_t pipeline) { all.emplace_back(of.gpu, part, pipeline); });
  return all;
}

TEST(pipeline_tables, have_a_part_per_pipeline_on_the_cpu_alone_without_gpus) {
  auto const made = tables_at({});
  EXPECT_FALSE(made.has_gpus());
  EXPECT_EQ(made.cpu().parts, 4U);
  EXPECT_THAT(visits_of(made), ElementsAre(visit{-1, 0, 0}, visit{-1, 1, 1}, visit{-1, 2, 2}, visit{-1, 3, 3}));
  EXPECT_EQ(made.tables(readable::all).size(), 1U);
  EXPECT_EQ(made.memory("noted").bytes, 400U);
  EXPECT_EQ(made.memory("noted").gpu_bytes, std::nullopt);
}

TEST(pipeline_tables, have_each_gpus_pipelines_on_that_gpu_beside_all_on_the_cpu) {
  auto const made = tables_at(gpus_4_and_7());
  EXPECT_EQ(made.cpu().parts, 4U);
  ASSERT_EQ(made.gpus().size(), 2U);
  EXPECT_EQ(made.gpus()[0]->parts, 2U);
  EXPECT_EQ(made.gpus()[1]->parts, 2U);
  EXPECT_THAT(visits_of(made), ElementsAre(visit{-1, 0, 0}, visit{4, 0, 0}, visit{-1, 1, 1}, visit{7, 0, 1},
                                           visit{-1, 2, 2}, visit{7, 1, 2}, visit{-1, 3, 3}, visit{4, 1, 3}));
  EXPECT_EQ(made.slot(2).interface, "right");
  EXPECT_EQ(made.slot(3).interface, "left");
  EXPECT_EQ(made.tables(readable::all).size(), 3U);
  EXPECT_EQ(made.tables(readable::host).size(), 1U) << "a lost GPU's tables are not read";
  EXPECT_EQ(made.memory("noted").gpu_bytes, 400U);
}

TEST(pipeline_tables, give_an_executor_the_parts_of_its_pipeline) {
  auto const made = tables_at(gpus_4_and_7());
  pipeline_stage_tables<noted_stage, noted_table> const stage{made};
  auto const planned = plan_of_two_gpus();
  auto const refs = stage.refs_at({.planned = planned.pipelines[2], .ingress = 1});
  EXPECT_EQ(std::tuple(refs.cpu.gpu, refs.cpu.part, refs.cpu.ingress), std::tuple(-1, 2U, 1));
  EXPECT_EQ(std::tuple(refs.gpu.gpu, refs.gpu.part, refs.gpu.ingress), std::tuple(7, 1U, 1));
  auto const host = tables_at({});
  auto const of_host = host.refs_at<noted_stage>({.planned = planned.pipelines[3], .ingress = 0});
  EXPECT_EQ(std::tuple(of_host.gpu.gpu, of_host.gpu.part), std::tuple(-1, 3U)) << "both are the host's";
}

TEST(pipeline_tables, of_a_gpu_are_found_by_its_number_and_left_to_it) {
  auto made = tables_at(gpus_4_and_7());
  std::vector<int> seen;
  made.for_each_on(7, [&](noted_table const& of) { seen.push_back(of.gpu); });
  made.for_each_on(5, [&](noted_table const& of) { seen.push_back(of.gpu); });
  EXPECT_THAT(seen, ElementsAre(7));
  made.abandon();
  EXPECT_TRUE(made.gpus()[0]->is_abandoned && made.gpus()[1]->is_abandoned);
  EXPECT_FALSE(made.cpu().is_abandoned);
}

}  // namespace
}  // namespace packetwarp::test
