// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/stage_check.h"

#include <gtest/gtest.h>

#include <array>
#include <string_view>

#include "function/chain/stages.h"
#include "function/nat44/nat44.h"
#include "function/rules/rules.h"
#include "function/switched.h"

// Members with a hook's name that are not the hook: no chain would call them, so the check finds each.
namespace packetwarp::test {
namespace {

struct no_tables {
  struct ref {};
  [[maybe_unused]] static constexpr std::string_view name = "no_tables";
  [[maybe_unused]] static constexpr std::array<std::string_view, 1> drop_names{"unused"};
};
using mine = no_tables::ref;

struct right : no_tables {
  static bool passes(packet_view, mine const&) { return true; }
  static void assume_passes(packet_view) {}
  static verdict ingress(packet_view, mine const&) { return next_hook(); }
  static bool has_egress(mine const&) { return true; }
  static verdict egress(packet_view, mine const&, verdict said) { return said; }
};
static_assert(is_sound_stage<right> && has_any_hook<right>);
static_assert(is_sound_stage<rules> && is_sound_stage<nat44> && is_sound_stage<router>);
static_assert(is_sound_stage<switched<rules>> && is_sound_stage<switched<nat44>>);
static_assert(is_sound_stage<no_ipv6> && is_sound_stage<witness<'a'>> && is_sound_stage<last_byte> &&
              is_sound_stage<short_cut>);
static_assert(is_sound_stage<no_tables> && !has_any_hook<no_tables>, "it has no wrong hook, and no hook");

struct without_verdict : right {
  static bool ingress(packet_view, mine const&) { return true; }
};
struct without_tables : right {
  static bool passes(packet_view) { return true; }
};
struct with_tables_to_change : right {
  static verdict ingress(packet_view, mine&) { return next_hook(); }
};
struct without_assumption : no_tables {
  static bool passes(packet_view, mine const&) { return true; }
  static verdict ingress(packet_view, mine const&) { return next_hook(); }
};
struct with_passes_alone : no_tables {
  static bool passes(packet_view, mine const&) { return true; }
};
struct in_private : no_tables {
 private:
  [[maybe_unused]] static verdict ingress(packet_view, mine const&) { return next_hook(); }
};
struct of_an_object : right {
  verdict ingress(packet_view, mine const&) { return next_hook(); }
};
static_assert(!is_sound_stage<without_verdict> && !is_sound_stage<without_tables> &&
              !is_sound_stage<with_tables_to_change> && !is_sound_stage<without_assumption> &&
              !is_sound_stage<with_passes_alone> && !is_sound_stage<in_private> && !is_sound_stage<of_an_object>);
static_assert(!is_sound_stage<switched<without_verdict>> && !is_sound_stage<switched<with_passes_alone>>);

struct with_egress_alone : no_tables {
  static verdict egress(packet_view, mine const&, verdict said) { return said; }
};
struct with_egress_without_verdict : right {
  static verdict egress(packet_view, mine const&) { return next_hook(); }
};
struct with_copies_alone : right {
  static bool asks_for_copy(mine const&) { return true; }
};
static_assert(!is_sound_stage<with_egress_alone> && !is_sound_stage<with_egress_without_verdict> &&
              !is_sound_stage<with_copies_alone>);

struct with_state_by_value : no_tables {
  static verdict pre_route(packet_view, ipv4_header, int, no_passage&, ref const&, router_ref const&) {
    return next_hook();
  }
};
struct template_without_routes : no_tables {
  static verdict routed(packet_view, auto, auto&, no_passage&, ref const&) { return next_hook(); }
};
struct overloaded_for_nothing : no_tables {
  static verdict post_route(packet_view, ipv4_header, ref const&) { return next_hook(); }
  static verdict post_route(packet_view, ipv6_header, ref const&) { return next_hook(); }
};
struct with_another_stages_annotation : no_ipv6 {
  static bool passes_routes(packet_view, ref const&, int) { return false; }
};
// A route hook takes the ref also of a stage that holds its tables.
struct with_held_tables : no_tables {
  struct held {};
  static held hold(ref const&) { return {}; }
  static verdict pre_route(packet_view, auto, auto&, no_passage&, held const&, router_ref const&) {
    return next_hook();
  }
};
static_assert(!is_sound_stage<with_state_by_value> && !is_sound_stage<template_without_routes> &&
              !is_sound_stage<overloaded_for_nothing> && !is_sound_stage<with_another_stages_annotation> &&
              !is_sound_stage<with_held_tables> && !is_sound_stage<switched<with_held_tables>>);

// An overload that a chain calls is enough.
struct overloaded_for_one : no_ipv6 {
  using no_ipv6::pre_route;
  static verdict pre_route(packet_view, int) { return next_hook(); }
};
static_assert(is_sound_stage<overloaded_for_one>);

TEST(stage_check, is_made_by_a_compiler) {
  EXPECT_TRUE((are_sound_stages<router, rules, nat44, router>));
  EXPECT_TRUE((are_sound_stages<no_tables, right, no_tables>)) << "the last stage needs no hook: it routes";
  EXPECT_FALSE((are_sound_stages<router, no_tables, router>));
}

}  // namespace
}  // namespace packetwarp::test
