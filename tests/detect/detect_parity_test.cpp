// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "detect/detect_bed.h"
#include "fixtures/eal_environment.h"
#include "fixtures/repetitions.h"
#include "model/random_networks.h"

namespace packetwarp::test {
namespace {

[[maybe_unused]] auto* const eal = testing::AddGlobalTestEnvironment(new eal_environment{1, {}, 256});
constexpr auto flows = repetitions(4000U, 1000);

TEST(detect_parity, the_cpu_judges_each_packet_by_the_state_of_two_epochs_before) {
  model::test::random_networks random{1};
  std::uint32_t const widths[]{model::row_bytes, 64, 32, 1};
  auto const network = random.make_dense(widths);
  for (auto const burst : {1U, 33U, 64U}) {
    detect_bed bed{network.ref(), flows, burst};
    detect_table table{bed.input(), detect_sizes, detect_key, 1, {}};
    auto const routes = suite_tables<router>::in({}, company::in_chain);
    auto const work =
        make_executor<judged_routes>(executor_kind::cpu, bed.ring(), tables_of(table.ref(0), table.ref(0), routes),
                                     egress_index{0}, std::chrono::nanoseconds{0}, {});
    bed.pass(*work, rounds_of(flows, 5), [&] { bed.read_records(table.journal()); });
    bed.read_records(table.journal());
    bed.expect_all_flows_recorded(table.journal());
    auto const counted = table.counted(0);
    EXPECT_EQ(counted.anomalous, current_oracle->anomalous());
    EXPECT_GT(counted.anomalous, 0U);
    EXPECT_LT(counted.anomalous, counted.judged);
    EXPECT_EQ(table.state_counted().flows.untracked, 0U) << "then what is right depends on the order";
  }
}

TEST(detect_parity, the_cpu_has_the_large_models_verdicts_of_the_oracle) {
  model::test::random_networks random{1};
  auto const network = make_varied(random, {model::row_bytes, 64, 32, 1});
  auto const large = make_varied(random, {model::row_bytes, 200, 160, 1});
  for (auto const burst : {1U, 33U, 64U}) {
    detect_bed bed{network.ref(), large.ref(), flows, burst, detect_action::drop};
    detect_table table{bed.input(), detect_sizes, detect_key, 1, {}};
    auto const routes = suite_tables<router>::in({}, company::in_chain);
    auto const work =
        make_executor<judged_routes>(executor_kind::cpu, bed.ring(), tables_of(table.ref(0), table.ref(0), routes),
                                     egress_index{0}, std::chrono::nanoseconds{0}, {});
    bed.pass(*work, rounds_of(flows, 6), [&] { bed.read_records(table.journal()); });
    bed.read_records(table.journal());
    bed.expect_all_flows_recorded(table.journal());
    auto const judged = table.counted(large_detect_counter);
    EXPECT_EQ(judged.judged, current_oracle->judged_by_large());
    EXPECT_GT(judged.anomalous, 0U);
    EXPECT_LT(judged.anomalous, judged.judged);
    EXPECT_EQ(table.counted(followed_detect_counter).judged, current_oracle->followed());
    EXPECT_EQ(table.state_counted().flows.replaced, 0U) << "then a flow's history begins anew";
    EXPECT_GT(current_oracle->followed(), 0U);
  }
}

TEST(detect_parity, the_cpu_answers_each_packet_by_the_bytes_of_the_oracle) {
  model::test::random_networks random{2};
  std::uint32_t const widths[]{model::row_bytes, 64, 32, 1};
  auto const network = random.make_dense(widths);
  for (auto const burst : {1U, 33U, 64U}) {
    detect_bed bed{network.ref(), flows, burst, detect_action::answer_all};
    detect_table table{bed.input(), detect_sizes, detect_key, 1, {}};
    auto const routes = suite_tables<router>::in({}, company::in_chain);
    auto const work =
        make_executor<judged_routes>(executor_kind::cpu, bed.ring(), tables_of(table.ref(0), table.ref(0), routes),
                                     egress_index{0}, std::chrono::nanoseconds{0}, {});
    bed.pass(*work, 3);
    EXPECT_EQ(table.counted(0).anomalous, current_oracle->anomalous());
    EXPECT_GT(current_oracle->answered(), flows);
  }
}

TEST(detect_parity, the_cpu_routes_each_packet_and_asks_for_copies_of_the_oracles_anomalous_ones) {
  model::test::random_networks random{3};
  std::uint32_t const widths[]{model::row_bytes, 64, 32, 1};
  auto const network = random.make_dense(widths);
  for (auto const burst : {1U, 33U, 64U}) {
    detect_bed bed{network.ref(), flows, burst, detect_action::mirror};
    detect_table table{bed.input(), detect_sizes, detect_key, 1, {}};
    auto const routes = suite_tables<router>::in({}, company::in_chain);
    auto const work =
        make_executor<judged_routes>(executor_kind::cpu, bed.ring(), tables_of(table.ref(0), table.ref(0), routes),
                                     egress_index{0}, std::chrono::nanoseconds{0}, {});
    bed.pass(*work, 3);
    EXPECT_EQ(table.counted(0).anomalous, current_oracle->anomalous());
    EXPECT_EQ(table.counted(uncopied_detect_counter).judged, 0U);
  }
}

}  // namespace
}  // namespace packetwarp::test
