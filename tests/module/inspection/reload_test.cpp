// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/error.h"
#include "fixtures/played_gpu.h"
#include "inspect/language/rule_file.h"
#include "module/inspection/inspection_module.h"

namespace packetwarp::test {
namespace {

using inspection_parts::late_packet;

// Rules with these numbers, all about one word.
[[nodiscard]] inspection_config rules_with_sids(std::uint32_t first, std::uint32_t count) {
  std::string text;
  for (auto sid = first; sid < first + count; ++sid)
    text += fmt::format("alert udp any any -> any any (content:\"word\"; pcre:\"/(w)\\1/\"; sid:{};)\n", sid);
  inspect::rule_set rules;
  inspect::add_rules(rules, "test.rules", text, inspect::variables{});
  auto compiled = inspect::compile_rules(rules);
  inspection_config config;
  config.rules = std::make_shared<loaded_rules const>(
      loaded_rules{.rules = std::move(rules), .cover = {}, .compiled = std::move(compiled)});
  config.sizes = {.flows = 64, .rates = 64, .streams = {.streams = 0}, .heads = 8};
  return config;
}

// The module with a GPU, of which the test plays the kernel's part: it writes into the tables there.
class inspection_reload : public testing::Test {
 protected:
  inspection_reload() {
    auto file = std::make_shared<network_config>();
    file->interfaces.emplace_back().name = "a";
    module_.emplace(rules_with_sids(1, 8), module_surroundings{file, table_place{0, &gpu_.domain}, routes_});
    plan planned{};
    planned.ports.emplace_back();
    planned.pipelines.emplace_back();
    module_->prepare(planned);
    std::deque<port> none;
    module_->install(none);
    module_->add_tables(tables_);
    gpu_.domain.begin();
  }
  void reload(inspection_config const& wanted) {
    module_->prepare_rules(wanted, make_regex_engines(wanted.rules->compiled, module_->engines()));
    module_->publish_rules(wanted);
  }
  [[nodiscard]] inspection_ref there() const {
    auto const& stage = dynamic_cast<tables_of_stage<inspection> const&>(*tables_.stages.front());
    planned_pipeline const first{};
    return stage.refs_at({first}).gpu;
  }
  void match(std::uint32_t rule, std::uint64_t times) {
    auto const tables = there();
    tables.root->sets[tables.root->in_force()].counts[rule].matches += times;
  }
  // The matches of each rule, as "sid: matches".
  [[nodiscard]] std::string matches() {
    std::string all;
    for (auto const& one : module_->totals(readable::all).busiest) all += fmt::format("{}: {}\n", one.sid, one.matches);
    return all;
  }

  played_domain gpu_;
  router_table routes_{{}, {.interfaces = 2, .ipv4_groups = 4, .ipv6_groups = 64, .next_hops = 16, .hosts = 16}};
  std::optional<inspection_module> module_;
  function_tables tables_;
};

TEST_F(inspection_reload, counts_matches_once_if_a_gpu_has_no_room_for_other_rules) {
  match(3, 5);
  reload(rules_with_sids(11, 8));
  match(0, 2);
  EXPECT_EQ(matches(), "4: 5\n11: 2\n");
  for (unsigned n = 0; n < 3; ++n) EXPECT_THROW(reload(rules_with_sids(100, 1000)), failure);
  EXPECT_EQ(matches(), "4: 5\n11: 2\n");
}

TEST_F(inspection_reload, counts_matches_on_a_lost_gpu_once_and_for_the_rules_that_were_there) {
  match(3, 5);
  reload(rules_with_sids(11, 8));
  match(0, 2);
  EXPECT_EQ(matches(), "4: 5\n11: 2\n");
  gpu_.domain.lose("it burns");
  reload(rules_with_sids(21, 8));
  EXPECT_EQ(matches(), "4: 5\n11: 2\n");
  reload(rules_with_sids(31, 8));
  EXPECT_EQ(matches(), "4: 5\n11: 2\n");
}

// The place of a rule that the kernel has met is another rule's, or beyond all.
TEST_F(inspection_reload, reads_nothing_from_a_lost_gpu_whose_kernel_goes_on) {
  late_packet seen{};
  seen.what.rule = seen.place = 7;
  seen.what.flags = inspection_parts::alert_flag::second_set;
  auto const tables = there();
  (void)tables.late.write(seen);
  module_->maintain({}, {});
  EXPECT_EQ(module_->totals(readable::all).late.judged, 1U);
  gpu_.domain.lose("it burns");
  (void)tables.late.write(seen);
  module_->maintain({}, {});
  EXPECT_EQ(module_->totals(readable::all).late.judged, 2U) << "what it had written is read";
  reload(rules_with_sids(11, 2));
  reload(rules_with_sids(21, 2));
  (void)tables.late.write(seen);
  (void)tables.journal.write(seen.what);
  module_->finish({});
  EXPECT_EQ(module_->totals(readable::all).late.judged, 2U);
  EXPECT_EQ(module_->totals(readable::all).read, 0U);
}

}  // namespace
}  // namespace packetwarp::test
