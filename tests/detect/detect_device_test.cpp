// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "detect/detect_bed.h"
#include "fixtures/eal_environment.h"
#include "gpu/gpu.h"
#include "model/random_networks.h"

// Every executor on a GPU, against the same loop over all packets as the CPU (detect_bed.h).
namespace packetwarp::test {
namespace {

[[maybe_unused]] auto* const eal = testing::AddGlobalTestEnvironment(new eal_environment{1, {}, 256});

using detect_case = std::tuple<executor_kind, placement, std::uint32_t>;

class detect_on_gpu : public testing::TestWithParam<detect_case> {
 protected:
  void SetUp() override {
    if (find_gpus().empty()) GTEST_SKIP() << "no GPU here";
  }
  static constexpr std::size_t packets = 20'000;
  static void expect_the_state_of_two_epochs_before(model::integer_network const& network,
                                                    detect_action action = detect_action::drop) {
    detect_bed bed{network.ref(), packets, std::get<std::uint32_t>(GetParam()), action};
    expect_verdicts_of(bed, action);
  }
  // meanwhile(gpu): called again and again, with the GPU's table, while packets are judged.
  static void expect_verdicts_of(
      detect_bed& bed, detect_action action,
      std::function<void(detect_table&)> const& meanwhile = [](detect_table&) {}) {
    auto const [kind, where, burst] = GetParam();
    gpu_settings settings;
    settings.gpu = open_gpu(0);
    settings.timeout = std::chrono::seconds{10};
    settings.blocks = 4;
    settings.where = where;
    settings.route = where == placement::host ? packet_route::direct : packet_route::staged;
    settings.data_room = longest_segment;
    auto const registrations = register_packet_pools(0);
    table_place const place{.gpu = 0};
    detect_table cpu{bed.input(), detect_sizes, detect_key, 1, {}};
    detect_table gpu{bed.input(), detect_sizes, detect_key, 1, place};
    auto const routes = suite_tables<router>::in(place, company::in_chain);
    auto const work = make_executor<judged_routes>(kind, bed.ring(), tables_of(cpu.ref(0), gpu.ref(0), routes),
                                                   egress_index{0}, std::chrono::nanoseconds{0}, settings);
    work->on_gpu()->start();
    bed.pass(*work, rounds_of(packets, 6), [&] {
      bed.read_records(gpu.journal());
      meanwhile(gpu);
    });
    EXPECT_EQ(work->on_gpu()->stop(), end_state::ended);
    bed.read_records(gpu.journal());
    bed.expect_all_flows_recorded(gpu.journal());
    EXPECT_EQ(gpu.counted(0).anomalous, current_oracle->anomalous());
    EXPECT_EQ(gpu.counted(large_detect_counter).judged, current_oracle->judged_by_large());
    EXPECT_EQ(gpu.counted(followed_detect_counter).judged, current_oracle->followed());
    EXPECT_EQ(gpu.state_counted().flows.untracked, 0U);
    if (bed.input().large.count != 0) {
      EXPECT_EQ(gpu.state_counted().flows.replaced, 0U);
    }
    EXPECT_EQ(current_oracle->answered() > 0, action == detect_action::answer_all);
    EXPECT_EQ(cpu.counted(0).judged, 0U) << "the CPU took over";
  }
};

TEST_P(detect_on_gpu, a_dense_network_judges_each_packet_by_the_state_of_two_epochs_before) {
  model::test::random_networks random{1};
  std::uint32_t const widths[]{model::row_bytes, 128, 64, 1};
  expect_the_state_of_two_epochs_before(random.make_dense(widths));
}

TEST_P(detect_on_gpu, trees_judge_each_packet_by_the_state_of_two_epochs_before) {
  model::test::random_networks random{2};
  expect_the_state_of_two_epochs_before(random.make_trees(40, 6, 1));
}

TEST_P(detect_on_gpu, each_packet_is_answered_by_the_bytes_of_the_oracle) {
  model::test::random_networks random{3};
  std::uint32_t const widths[]{model::row_bytes, 64, 32, 1};
  expect_the_state_of_two_epochs_before(random.make_dense(widths), detect_action::answer_all);
}

TEST_P(detect_on_gpu, each_packet_is_routed_and_copies_are_asked_for_of_the_oracles_anomalous_ones) {
  model::test::random_networks random{4};
  std::uint32_t const widths[]{model::row_bytes, 64, 32, 1};
  expect_the_state_of_two_epochs_before(random.make_dense(widths), detect_action::mirror);
}

TEST_P(detect_on_gpu, models_that_have_no_room_are_refused_and_those_in_force_judge_on) {
  model::test::random_networks random{3};
  std::uint32_t const widths[]{model::row_bytes, 64, 32, 1};
  auto const network = random.make_dense(widths);
  auto const large = random.make_trees(1000, 8, 1);
  detect_bed bed{network.ref(), packets, std::get<std::uint32_t>(GetParam()), detect_action::drop};
  detect_input const wanted{.models = {{large.ref(), 0}}};
  unsigned refused = 0;
  expect_verdicts_of(bed, detect_action::drop, [&](detect_table& gpu) {
    try {
      gpu.prepare(wanted);
      ADD_FAILURE() << "there is no room for the models";
    } catch (failure const& why) {
      ++refused;
      EXPECT_THAT(why.what(), testing::MatchesRegex("detect: these models take [0-9]+ bytes, and the GPU has room for "
                                                    "[0-9]+; start with them"));
    }
  });
  EXPECT_GT(refused, 0U);
}

// Kernels of its own, which a persistent kernel cannot launch.
class large_model_on_gpu : public detect_on_gpu {
 protected:
  static void expect_verdicts_with(std::vector<std::uint32_t> const& widths,
                                   detect_action action = detect_action::drop) {
    model::test::random_networks random{1};
    auto const network = make_varied(random, {model::row_bytes, 64, 32, 1});
    auto const large = make_varied(random, widths);
    detect_bed bed{network.ref(), large.ref(), packets, std::get<std::uint32_t>(GetParam()), action};
    expect_verdicts_of(bed, action);
    EXPECT_GT(current_oracle->judged_by_large(), 1000U);
    EXPECT_NE(current_oracle->told(), current_oracle->anomalous());
    EXPECT_GT(current_oracle->followed(), 1000U);
  }
};

TEST_P(large_model_on_gpu, has_the_verdicts_of_the_oracle_on_packets_at_their_flows_milestones) {
  expect_verdicts_with({model::row_bytes, 512, 512, 256, 1});
}

TEST_P(large_model_on_gpu, has_these_verdicts_with_the_widest_layers) {
  expect_verdicts_with({50, 1024, 1024, 1}, detect_action::mirror);
}

INSTANTIATE_TEST_SUITE_P(all, large_model_on_gpu,
                         testing::Combine(testing::Values(executor_kind::kernel, executor_kind::graph),
                                          testing::Values(placement::host, placement::device, placement::split),
                                          testing::Values(33U, 64U, 1024U)));

INSTANTIATE_TEST_SUITE_P(all, detect_on_gpu,
                         testing::Combine(testing::Values(executor_kind::kernel, executor_kind::persistent,
                                                          executor_kind::graph),
                                          testing::Values(placement::host, placement::device, placement::split),
                                          testing::Values(33U, 64U, 1024U)));

}  // namespace
}  // namespace packetwarp::test
