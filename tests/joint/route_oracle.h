// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <string_view>
#include <type_traits>
#include <vector>

#include "executor/cpu.h"
#include "function/chain.h"
#include "function/switched.h"
#include "joint/joint_oracle.h"
#include "joint/route_score.h"
#include "parity/drop_names.h"
#include "parity/general.h"
#include "parity/tables.h"

// Chains whose joint stages have route hooks, with all sets of their switches, and beside a stage with a short way.
// The oracle finds a packet's class and sum in another form; with them, its verdict is that of the same stages without
// switches, without look-ahead, and with its headers in one piece.
namespace packetwarp::test {

using scored_routes = chain<route_score, router>;
using scored_nat44 = chain<route_score, nat44, router>;
using switched_scores = chain<switched<payload_sum>, switched<route_score>, router>;
using switched_scored_nat44 = chain<switched<payload_sum>, switched<route_score>, switched<nat44>, router>;
static_assert(looks_ahead_jointly<scored_nat44> && looks_ahead_jointly<switched_scored_nat44>);
static_assert(!scored_routes::has_a_short_way && !switched_scores::has_a_short_way);

template <>
struct suite_tables<payload_sum> {
  [[nodiscard]] static table_refs<payload_sum> in(table_place, company) {
    return {oracle<payload_sum>::tables, oracle<payload_sum>::tables};
  }
};
template <>
struct suite_tables<route_score> {
  [[nodiscard]] static table_refs<route_score> in(table_place place, company) {
    auto const scores = score_tables(place);
    return {scores.cpu, scores.gpu};
  }
};

template <class Route>
struct scored_oracle {
  static table_refs<Route> tables_in(table_place place) { return suite_tables<Route>::in(place, company::alone); }
  static verdict process(oracle_packet packet) {
    typename Route::annotation found{};
    found.template of<route_score>() = oracle_class(packet);
    return process_whole(packet, [&](packet_view view) {
      auto const tables = tables_in({}).cpu;
      return Route::process(view, Route::hold(tables), found);
    });
  }
};
template <>
struct oracle<scored_nat44> : scored_oracle<scored_nat44> {};
template <>
struct oracle<scored_routes> : scored_oracle<scored_routes> {};

// Whole: a chain of switched stages. Scored and Plain: its last stages with and without route_score.
template <class Whole, class Scored, class Plain>
struct switched_oracle {
  template <stage_switch Sums, stage_switch Scores>
  static verdict process(oracle_packet packet) {
    if constexpr (Sums == stage_switch::on) {
      if (oracle_sum(packet) < least_sum) return verdict::drop(reason_in<Whole>("payload_sum", "low_sum"));
    }
    if constexpr (Scores == stage_switch::on) {
      return as_of<Whole, Scored>(oracle<Scored>::process(packet));
    } else {
      return as_of<Whole, Plain>(process_whole(
          packet, [](packet_view view) { return Plain::process(view, oracle<Plain>::tables_in({}).cpu); }));
    }
  }

  template <stage_switch Sums, stage_switch Scores>
  static table_refs<Whole> tables(table_place place) {
    auto made = suite_tables<Whole>::in(place, company::alone);
    if constexpr (Sums == stage_switch::off) switch_off<payload_sum>(made);
    if constexpr (Scores == stage_switch::off) switch_off<route_score>(made);
    return made;
  }

 private:
  template <class S>
  static void switch_off(table_refs<Whole>& tables) {
    set_stage<switched<S>>(tables.cpu, {});
    set_stage<switched<S>>(tables.gpu, {});
  }
};
using switched_routes_oracle = switched_oracle<switched_scores, scored_routes, router>;
using switched_nat44_oracle = switched_oracle<switched_scored_nat44, scored_nat44, chain<nat44, router>>;

template <stage_switch Sums, stage_switch Scores>
[[nodiscard]] constexpr tested_function test_of_switched_scores(std::string_view name) {
  return {name, switched_routes_oracle::process<Sums, Scores>,
          [](executor_kind kind, burst_ring& ring, std::chrono::nanoseconds packet_time, gpu_settings const& gpu) {
            table_place const place{.gpu = needs_gpu(kind) ? gpu.gpu.index : table_place::host};
            return make_executor<switched_scores>(kind, ring, switched_routes_oracle::tables<Sums, Scores>(place),
                                                  egress_index{0}, packet_time, gpu);
          }};
}
inline constexpr std::array tested_switched_scores{
    test_of_switched_scores<stage_switch::off, stage_switch::off>("switched_router"),
    test_of_switched_scores<stage_switch::off, stage_switch::on>("switched_scores"),
    test_of_switched_scores<stage_switch::on, stage_switch::off>("switched_sums"),
    test_of_switched_scores<stage_switch::on, stage_switch::on>("switched_sums_scores"),
};

// For the CPU alone: the tests are about its short way.
template <class F, table_refs<F> (*Tables)(table_place)>
[[nodiscard]] std::unique_ptr<executor> make_on_cpu(executor_kind, burst_ring& ring, std::chrono::nanoseconds time,
                                                    gpu_settings const&) {
  return std::make_unique<cpu_executor<F>>(ring, Tables({}).cpu, time);
}
template <stage_switch Sums, stage_switch Scores>
[[nodiscard]] constexpr tested_function test_of_switched_nat44(std::string_view name) {
  return {name, switched_nat44_oracle::process<Sums, Scores>,
          make_on_cpu<switched_scored_nat44, switched_nat44_oracle::tables<Sums, Scores>>};
}
inline constexpr std::array tested_short_ways{
    tested_function{"scored_nat44", oracle<scored_nat44>::process,
                    make_on_cpu<scored_nat44, oracle<scored_nat44>::tables_in>},
    test_of_switched_nat44<stage_switch::off, stage_switch::off>("switched_nat44"),
    test_of_switched_nat44<stage_switch::off, stage_switch::on>("switched_scores_nat44"),
    test_of_switched_nat44<stage_switch::on, stage_switch::off>("switched_sums_nat44"),
    test_of_switched_nat44<stage_switch::on, stage_switch::on>("switched_all_nat44"),
};

}  // namespace packetwarp::test
