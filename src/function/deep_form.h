// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "function/chain.h"
#include "function/function.h"

// Some tables ask for more of a GPU than one kernel can do. A stage then has a second form, a stage with kernels of its
// own (has_own_kernels) and the same tables, `S::deep`, and says of tables whether they need it, by
// S::needs_deep_form(). All else, a CPU and the names of reports, knows the first form alone.
namespace packetwarp {

template <class S>
concept has_deep_form = requires(typename S::ref const& tables) {
  { S::needs_deep_form(tables) } -> std::same_as<bool>;
}
&&std::same_as<typename S::ref, typename S::deep::ref>;

template <class F>
struct deep_form_of {
  using type = F;
  static constexpr bool is_another = false;
  [[nodiscard]] static bool is_needed(typename F::ref const&) { return false; }
};
template <has_deep_form F>
struct deep_form_of<F> {
  using type = typename F::deep;
  static constexpr bool is_another = true;
  [[nodiscard]] static bool is_needed(typename F::ref const& tables) { return F::needs_deep_form(tables); }
};
template <class... Stages>
struct deep_form_of<chain<Stages...>> {
  using type = chain<typename deep_form_of<Stages>::type...>;
  static constexpr bool is_another = (deep_form_of<Stages>::is_another || ...);
  [[nodiscard]] static bool is_needed(typename chain<Stages...>::ref const& tables) {
    return (deep_form_of<Stages>::is_needed(tables.template of<Stages>()) || ...);
  }
  [[nodiscard]] static typename type::ref tables_of(typename chain<Stages...>::ref const& tables) {
    return {{tables.template of<Stages>()}...};
  }
};
template <class F>
using deep_form = typename deep_form_of<F>::type;

}  // namespace packetwarp
