// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "telemetry/sample_report.h"

namespace packetwarp::telemetry {
namespace {

using testing::HasSubstr;
using testing::Not;

twin_report sample_twin() {
  return {.name = "lan.kni",
          .port = 3,
          .driver = "tap",
          .handed_over = 1000,
          .received = 200,
          .to_control = 4,
          .to_kernel = 1190,
          .dropped_in = {{"kernel_full", 5}, {"shutdown", 1}},
          .from_kernel = 2000,
          .sent = 1993,
          .dropped_out = {{"tx_full", 7}}};
}

TEST(twin_report, is_conserved_when_each_way_adds_up) {
  auto twin = sample_twin();
  EXPECT_TRUE(twin.conserved());
  ++twin.received;
  EXPECT_FALSE(twin.conserved());
  twin = sample_twin();
  --twin.sent;
  EXPECT_FALSE(twin.conserved());
}

TEST(twin_report, is_in_the_json_by_interface) {
  auto report = sample_report();
  EXPECT_FALSE(nlohmann::json::parse(to_json(report)).contains("kernel"));
  report.twins = {sample_twin()};
  EXPECT_EQ(nlohmann::json::parse(to_json(report))["kernel"], nlohmann::json::parse(R"([{
      "name": "lan.kni", "port": 3, "driver": "tap", "state": "here",
      "in": {"handed_over": 1000, "received": 200, "to_kernel": 1190, "to_control": 4,
             "dropped": {"kernel_full": 5, "shutdown": 1}},
      "out": {"from_kernel": 2000, "sent": 1993, "dropped": {"tx_full": 7}}}])"));
}

TEST(twin_report, has_a_line_and_another_where_packets_are_missing) {
  auto report = sample_report();
  report.twins = {sample_twin()};
  EXPECT_THAT(to_text(report), HasSubstr("kernel   lan.kni (tap, port 3)   to it 1,190   dropped 6 (kernel_full 5, "
                                         "shutdown 1)   from it 2,000   sent 1,993   dropped 7 (tx_full 7)\n"));
  EXPECT_THAT(to_text(report), Not(HasSubstr("1,200 for it")));
  EXPECT_THAT(to_text(report), Not(HasSubstr("it was deleted")));
  report.twins[0].state = "down";
  EXPECT_THAT(to_text(report), HasSubstr("         it was set down while packetwarp ran\n"));
  report.twins[0].state = "lost";
  EXPECT_THAT(to_text(report), HasSubstr("         it was deleted while packetwarp ran\n"));
  --report.twins[0].to_kernel;
  EXPECT_THAT(to_text(report), HasSubstr("NOT CONSERVED: 1,200 for it and 2,000 from it are not all accounted for"));
}

}  // namespace
}  // namespace packetwarp::telemetry
