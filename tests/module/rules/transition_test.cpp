// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/rules/compile/transition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "fixtures/repetitions.h"
#include "flow/reference_flows.h"
#include "module/rules/random_rules.h"
#include "module/rules/split_bed.h"

namespace packetwarp::flow {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using hairpin = site_port::hairpin;
using test::read;
using test::split_bed;

rule_key of_0(std::uint32_t number) { return {port_id{0}, number}; }

// From a book that NICs run completely to another one.
transition between(rule_book const& before, rule_book const& after) {
  auto const queues = hairpin::none;
  split_bed const a{before, {}, queues}, b{after, {}, queues};
  return plan_transition({before, a.compiled()}, a.in_nics(), {after, b.compiled()}, b.sited(),
                         split_bed::ports(queues));
}

transition between(std::string_view before, std::string_view after) { return between(read(before), read(after)); }

constexpr auto two_drops =
    "flow create 0 ingress pattern eth / ipv4 src is 10.0.0.1 / end actions drop / end\n"
    "flow create 0 ingress pattern eth / ipv4 src is 10.0.0.2 / end actions drop / end\n";

TEST(plan_transition, leaves_alone_what_says_the_same) {
  auto const more = std::string{two_drops} + "flow create 0 ingress pattern eth / ipv6 / end actions drop / end\n";
  auto const made = between(two_drops, more);
  EXPECT_THAT(made.destroyed, IsEmpty());
  EXPECT_THAT(made.created, ElementsAre(of_0(2)));
  EXPECT_THAT(between(more, two_drops).destroyed, ElementsAre(of_0(2)));
  EXPECT_THAT(between(more, more).created, IsEmpty());
}

TEST(plan_transition, takes_another_rule_of_the_same_number_for_another) {
  auto const made = between("flow create 0 ingress pattern eth / ipv4 / end actions drop / end\n",
                            "flow create 0 ingress pattern eth / ipv6 / end actions drop / end\n");
  EXPECT_THAT(made.destroyed, ElementsAre(of_0(0)));
  EXPECT_THAT(made.created, ElementsAre(of_0(0)));
}

TEST(plan_transition, takes_away_what_would_hide_a_new_rule_until_that_is_there) {
  auto const all = "flow create 0 priority 9 ingress pattern eth / end actions drop / end\n";
  auto const made =
      between(all, std::string{all} +
                       "flow create 0 priority 1 ingress pattern eth / ipv4 / end actions queue index 0 / end\n");
  EXPECT_THAT(made.destroyed, ElementsAre(of_0(0)));
  EXPECT_THAT(made.created, ElementsAre(of_0(1), of_0(0)));
}

TEST(plan_transition, destroys_the_last_to_apply_first_and_creates_the_first_to_apply_first) {
  std::string const rules =
      "flow create 0 priority 5 ingress pattern eth / end actions drop / end\n"
      "flow create 0 priority 2 ingress pattern eth / ipv4 / end actions queue index 0 / end\n"
      "flow create 0 priority 7 transfer pattern eth / ipv6 / end actions drop / end\n";
  EXPECT_THAT(between(rules, "").destroyed, ElementsAre(of_0(0), of_0(1), of_0(2)));
  EXPECT_THAT(between("", rules).created, ElementsAre(of_0(2), of_0(1), of_0(0)));
}

constexpr auto behind_a_jump =
    "flow isolate 0 1\n"
    "flow create 0 ingress pattern eth / ipv4 / end actions jump group 1 / end\n"
    "flow create 0 group 1 ingress pattern eth / ipv4 / udp src is 1 / end actions drop / end\n"
    "flow create 0 group 1 ingress pattern eth / ipv4 / udp src is 2 / end actions drop / end\n";

TEST(plan_transition, takes_a_jump_away_before_what_is_behind_it_and_brings_it_back_behind_that) {
  auto const more = std::string{behind_a_jump} +
                    "flow create 0 group 1 ingress pattern eth / ipv4 / udp src is 3 / end actions drop / end\n";
  // The others of the group lie idle meanwhile.
  EXPECT_THAT(between(behind_a_jump, more).destroyed, ElementsAre(of_0(0)));
  EXPECT_THAT(between(behind_a_jump, more).created, ElementsAre(of_0(3), of_0(0)));
  EXPECT_THAT(between(more, behind_a_jump).destroyed, ElementsAre(of_0(0), of_0(3)));
  EXPECT_THAT(between(more, behind_a_jump).created, ElementsAre(of_0(0)));
  EXPECT_THAT(between(more, "").destroyed, ElementsAre(of_0(0), of_0(3), of_0(2), of_0(1)));
}

TEST(plan_transition, lets_no_rule_lie_idle_whose_count_would_stand_still) {
  auto const to_host =
      std::string{behind_a_jump} +
      "flow create 0 group 1 ingress pattern eth / ipv4 / tcp / end actions count / queue index 0 / end\n";
  auto const more =
      to_host + "flow create 0 group 1 ingress pattern eth / ipv4 / udp src is 3 / end actions drop / end\n";
  EXPECT_THAT(between(to_host, more).destroyed, ElementsAre(of_0(0), of_0(3)));
  EXPECT_THAT(between(to_host, more).created, ElementsAre(of_0(3), of_0(4), of_0(0)));
}

TEST(plan_transition, changes_a_rule_of_the_reference_by_few_steps) {
  auto const before = read("flow isolate 0 1\nflow isolate 1 1\n" + test::reference_flows::text());
  auto after = before;
  (void)after.apply(parse_command(
      "flow create 0 group 1 ingress pattern eth / ipv4 src is 9.9.9.9 / udp src is 9 / end actions drop / end"));
  auto const ports = split_bed::ports(hairpin::by_rules);
  auto const was = compile_rules(before, test::rules_bed::queues()),
             is = compile_rules(after, test::rules_bed::queues());
  auto const in_nics = in_nics_of(share_out(before, was, ports, {}, rule_site::cpu));
  auto const made =
      plan_transition({before, was}, in_nics, {after, is}, share_out(after, is, ports, {}, rule_site::cpu), ports);
  EXPECT_EQ(in_nics.size(), 10006u);
  EXPECT_LE(made.destroyed.size(), 3u);
  EXPECT_EQ(made.created.size(), made.destroyed.size() + 1);
}

TEST(plan_replacement, creates_what_is_new_and_destroys_what_is_gone) {
  auto const before = read(two_drops);
  auto after = before;
  std::uint32_t const first[] = {0};
  after.destroy(port_id{0}, first);
  (void)after.apply(parse_command("flow create 0 ingress pattern eth / end actions drop / end"));
  EXPECT_THAT(plan_replacement(before, after).created, ElementsAre(of_0(2)));
  EXPECT_THAT(plan_replacement(before, after).destroyed, ElementsAre(of_0(0)));
  EXPECT_THAT(plan_replacement(before, {}).destroyed, ElementsAre(of_0(1), of_0(0)));
  auto const another = read("flow create 0 ingress pattern eth / ipv6 / end actions drop / end\n");
  EXPECT_THAT(plan_replacement(before, another).created, ElementsAre(of_0(0)));
  EXPECT_THAT(plan_replacement(before, another).destroyed, ElementsAre(of_0(1), of_0(0)));
}

std::string refusal_of(std::string_view before, std::string_view after, rule_refusals const& refused = {}) {
  auto const was = read(before);
  split_bed const bed{was, refused, hairpin::by_rules};
  try {
    require_same_egress(was, bed.sited(), read(after), rule_site::gpu);
  } catch (usage_error const& error) {
    return error.what();
  }
  return "";
}

constexpr auto egress_of_1 = "flow create 1 egress pattern eth / ipv4 / end actions dec_ttl / end\n";
constexpr auto more_of_1 = "flow create 1 egress pattern eth / ipv6 / end actions dec_ttl / end\n";

TEST(require_same_egress, refuses_others_where_a_nic_runs_them) {
  auto const both = std::string{egress_of_1} + more_of_1;
  for (auto const& [before, after] :
       {std::pair{std::string{egress_of_1}, both}, {both, egress_of_1}, {egress_of_1, more_of_1}, {egress_of_1, ""}}) {
    EXPECT_THAT(refusal_of(before, after), AllOf(HasSubstr("port 1: its NIC runs its egress rules"),
                                                 HasSubstr("start again, or with rules.on: gpu")))
        << before << " | " << after;
  }
  EXPECT_EQ(refusal_of(egress_of_1, std::string{egress_of_1} + two_drops), "");
  EXPECT_EQ(refusal_of("", egress_of_1), "");
  constexpr auto ingress_of_1 = "flow create 1 ingress pattern eth / ipv4 / udp / end actions drop / end\n";
  EXPECT_EQ(
      refusal_of(egress_of_1, std::string{ingress_of_1} + egress_of_1),
      "port 1: its NIC runs its egress rules, whose numbers would change with those of the rules before them; put "
      "new rules after them, start again, or with rules.on: gpu");
  EXPECT_EQ(refusal_of(egress_of_1, std::string{egress_of_1} + ingress_of_1), "");
  EXPECT_EQ(refusal_of(egress_of_1, both, {{{port_id{1}, 0}, "no such action"}}), "");
}

TEST(refuse_new_egress, leaves_new_ones_to_the_table) {
  auto const before = read(two_drops);
  auto const after = read(std::string{two_drops} + egress_of_1);
  split_bed const bed{before, {}, hairpin::by_rules};
  rule_refusals refused;
  refuse_new_egress(before, bed.sited(), after, refused);
  ASSERT_EQ(refused.size(), 1u);
  EXPECT_THAT(refused.at({port_id{1}, 0}), HasSubstr("when the network starts"));
}

// Old and new rules with NICs before tables; the NICs are told one step after the other.
class random_change {
 public:
  explicit random_change(std::uint32_t seed)
      : random_{seed},
        queues_{random_.queues()},
        before_{random_.book()},
        after_{random_.changed(before_)},
        refused_{random_.refusals(before_)},
        was_{before_, refused_, queues_} {}

  // False if the change is refused.
  bool begin() {
    try {
      require_same_egress(before_, was_.sited(), after_, rule_site::cpu);
    } catch (usage_error const&) {
      return false;
    }
    // A port's refusal of a rule only counts as long as the rule is the same.
    auto const same = same_rules(before_, after_);
    auto of_after = random_.refusals(after_);
    std::erase_if(of_after, [&](auto const& one) { return same.contains(one.first); });
    for (auto const& [key, why] : refused_) {
      if (same.contains(key)) of_after[key] = why;
    }
    refused_ = of_after;
    refuse_new_egress(before_, was_.sited(), after_, refused_);
    is_.emplace(after_, refused_, queues_);
    return true;
  }

  void run() {
    auto in_nics = was_.nic_rules();
    auto const steps = plan_transition({before_, was_.compiled()}, was_.in_nics(), {after_, is_->compiled()},
                                       is_->sited(), split_bed::ports(queues_));
    for (auto const& key : steps.destroyed) {
      compare(was_, in_nics);
      ASSERT_EQ(in_nics.erase(key), 1u);
    }
    compare(was_, in_nics);
    compare(*is_, in_nics);
    auto const full = random_.chance(30) ? random_.pick(4) : ~0U;
    create(steps, in_nics, full);
    both += steps.destroyed.empty() || steps.created.empty() ? 0U : 1U;
    stayed += in_nics.size() > steps.created.size() ? 1U : 0U;
  }

  std::size_t compared{}, settled{}, both{}, stayed{}, retreats{};

 private:
  // full: the number of the rule from which on a port has no room; refused rules take others with them.
  void create(transition const& steps, split_bed::rules_in_nics& in_nics, unsigned full) {
    std::set<port_id> full_ports;
    auto refused = refused_;
    unsigned n = 0;
    for (auto const& key : steps.created) {
      if (n++ == full) full_ports.insert(key.first);
      if (full_ports.contains(key.first)) {
        refused.emplace(key, "no room");
        continue;
      }
      ASSERT_TRUE(in_nics.emplace(key, is_->made(key)).second);
      compare(*is_, in_nics);
    }
    auto const left = share_out(after_, is_->compiled(), split_bed::ports(queues_), refused, rule_site::cpu);
    rule_keys now;
    for (auto const& [key, rule] : in_nics) now.insert(key);
    auto const back =
        plan_transition({after_, is_->compiled()}, now, {after_, is_->compiled()}, left, split_bed::ports(queues_));
    EXPECT_THAT(back.created, IsEmpty());
    retreats += back.destroyed.empty() ? 0U : 1U;
    for (auto const& key : back.destroyed) {
      in_nics.erase(key);
      compare(*is_, in_nics);
    }
    auto const sites =
        std::count_if(left.begin(), left.end(), [](auto const& one) { return one.site == rule_site::nic; });
    EXPECT_EQ(static_cast<std::size_t>(sites), in_nics.size());
  }

  void compare(split_bed& bed, split_bed::rules_in_nics const& in_nics) {
    bed.put_in_nics(in_nics);
    for (int n = 0; n < 12; ++n) {
      auto const frame = random_.packet();
      for (auto const port : {std::uint16_t{0}, std::uint16_t{1}}) {
        ASSERT_EQ(bed.split(port, frame), bed.whole(port, frame))
            << "port " << port << ", hairpin " << static_cast<int>(queues_) << ", packet " << test::to_hex(frame)
            << (&bed == &was_ ? "\nbefore:\n" : "\nafter:\n") << before_.list(port_id{0}) << before_.list(port_id{1})
            << after_.list(port_id{0}) << after_.list(port_id{1});
        settled += bed.is_settled_by_nic(port, frame) ? 1U : 0U;
        ++compared;
      }
    }
  }

  test::random_rules random_;
  hairpin queues_;
  rule_book before_;
  rule_book after_;
  rule_refusals refused_;
  split_bed was_;
  std::optional<split_bed> is_;
};

TEST(plan_transition, has_every_packet_fare_as_before_or_as_after_at_every_step) {
  auto const seeds = test::repetitions(2500U, 400);
  std::size_t changes = 0, settled = 0, both = 0, stayed = 0, retreats = 0;
  for (std::uint32_t seed = 0; seed < seeds; ++seed) {
    random_change made{seed};
    if (!made.begin()) continue;
    made.run();
    if (HasFatalFailure() || HasNonfatalFailure()) FAIL() << "seed " << seed;
    ++changes;
    settled += made.settled;
    both += made.both;
    stayed += made.stayed;
    retreats += made.retreats;
  }
  // Otherwise the test would show nothing.
  EXPECT_GT(changes, test::repetitions(2000U, 320));
  EXPECT_GT(settled, test::repetitions(20'000U, 3'200));
  EXPECT_GT(both, test::repetitions(200U, 30));
  EXPECT_GT(stayed, test::repetitions(500U, 80));
  EXPECT_GT(retreats, test::repetitions(10U, 0));
}

}  // namespace
}  // namespace packetwarp::flow
