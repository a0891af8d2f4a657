// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "function/general.h"
#include "function/switched.h"
#include "parity/drop_names.h"
#include "parity/tables.h"

// General chains with each set of their switches, against the chains of just the stages that are on.
namespace packetwarp::test {

// On, as a chain with all of its stages has it.
template <class S>
struct suite_tables<switched<S>> {
  [[nodiscard]] static table_refs<switched<S>> in(table_place place, company of) {
    auto const of_stage = suite_tables<S>::in(place, of);
    return {{of_stage.cpu, 1}, {of_stage.gpu, 1}};
  }
};
template <class S>
inline constexpr bool pushes_tags<switched<S>> = pushes_tags<S>;

namespace general_parts_of {

template <class S>
struct plain {
  using type = S;
};
template <class S>
struct plain<switched<S>> {
  using type = S;
};

template <class Stages>
struct function_of;
template <class... Stages>
struct function_of<std::tuple<Stages...>> {
  using type = chain<Stages...>;
};
template <class S>
struct function_of<std::tuple<S>> {
  using type = S;
};

}  // namespace general_parts_of

// The stages of General that are in On, without switches: a chain, or a stage that is a function.
template <class General, chain_parts::stage_set On>
struct special_of;
template <class... Stages, chain_parts::stage_set On>
struct special_of<chain<Stages...>, On> {
  template <std::size_t... N>
  static auto pick(std::index_sequence<N...>) -> decltype(std::tuple_cat(
      std::declval<std::conditional_t<(On >> N & 1) != 0, std::tuple<typename general_parts_of::plain<Stages>::type>,
                                      std::tuple<>>>()...));
  using type = typename general_parts_of::function_of<decltype(pick(std::index_sequence_for<Stages...>{}))>::type;
};

// The tables of General with the stages in On, and no tables where a stage is off.
template <class General, chain_parts::stage_set On>
struct tables_of_part;
template <class... Stages, chain_parts::stage_set On>
struct tables_of_part<chain<Stages...>, On> {
  [[nodiscard]] static table_refs<chain<Stages...>> in(table_place place) {
    auto all = suite_tables<chain<Stages...>>::in(place, company::alone);
    chain_parts::stage_set bit = 1;
    (((On & bit) == 0 ? (set_stage<Stages>(all.cpu, {}), set_stage<Stages>(all.gpu, {})) : void(), bit <<= 1), ...);
    return all;
  }
};

template <class General, chain_parts::stage_set On>
[[nodiscard]] tested_function test_of_part() {
  using special = typename special_of<General, On>::type;
  static std::string const name = "general " + std::string{special::name};
  return {name, [](oracle_packet packet) { return as_of<General, special>(oracle<special>::process(packet)); },
          [](executor_kind kind, burst_ring& ring, std::chrono::nanoseconds packet_time, gpu_settings const& gpu) {
            table_place const place{.gpu = needs_gpu(kind) ? gpu.gpu.index : table_place::host};
            return make_executor<General>(kind, ring, tables_of_part<General, On>::in(place), egress_index{0},
                                          packet_time, gpu);
          },
          follows_epochs<special>};
}

// The parts of all general chains that push tags, or the other parts.
enum class pushing : std::uint8_t { nothing, tags };

template <class F>
struct parts_under_test {
  static void add(std::vector<tested_function>&, pushing) {}
};
template <class... Stages>
requires is_general<chain<Stages...>>
struct parts_under_test<chain<Stages...>> {
  using general = chain<Stages...>;
  static void add(std::vector<tested_function>& to, pushing what) {
    [&]<std::size_t... N>(std::index_sequence<N...>) {
      (add_part<general_chain::part_of<Stages...>(N)>(to, what), ...);
    }
    (std::make_index_sequence<general_parts<general>::count>{});
  }

 private:
  template <chain_parts::stage_set On>
  static void add_part(std::vector<tested_function>& to, pushing what) {
    bool const pushes = pushes_tags<typename special_of<general, On>::type>;
    if (pushes == (what == pushing::tags)) to.push_back(test_of_part<general, On>());
  }
};

template <class... Functions>
[[nodiscard]] std::vector<tested_function> tests_of_parts(function_list<Functions...>, pushing what) {
  std::vector<tested_function> all;
  (parts_under_test<Functions>::add(all, what), ...);
  return all;
}

inline auto const tested_general = tests_of_parts(compiled_functions{}, pushing::nothing);
inline auto const tested_general_that_push = tests_of_parts(compiled_functions{}, pushing::tags);

}  // namespace packetwarp::test
