// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "detect/laps.h"

#include <gtest/gtest.h>

namespace packetwarp::test {
namespace {

// No packet is due in another epoch, however many packets these two have.
TEST(laps, have_packets_that_are_due_in_two_epochs_of_each_flow) {
  still_packets const packets;
  lap_models const models{packets};
  constexpr feature::state_sizes sizes{.flows = 4096, .hosts = 64};
  detect_table const table{models.input(), sizes, detect_key, 1, {}};
  lap_pipeline alone;
  auto const tables = tables_of(table.ref(0), table.ref(0), suite_tables<router>::in({}, company::in_chain));
  alone.run_by(make_executor<judged_routes>(executor_kind::cpu, alone.ring(), tables, egress_index{0},
                                            std::chrono::nanoseconds{0}, {}));
  auto epoch = first_epoch;
  for (unsigned set = 0; set < sets_of_flows; ++set) {
    for (unsigned lap = 0; lap < laps_of_a_set; ++lap) {
      alone.publish_lap(packets.of(set), epoch++);
      while (!alone.poll()) {
      }
    }
  }
  expect_counts_of_laps(table);
}

}  // namespace
}  // namespace packetwarp::test
