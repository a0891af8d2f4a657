// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>

#include "base/host_device.h"
#include "burst/epoch.h"

// The tables that a function works with during a burst.
namespace packetwarp {

// The facts about a burst that a function may ask for.
struct burst_facts {
  epoch_number epoch{first_epoch};
};

// Whether F needs the epoch of a packet's burst (burst/epoch_clock.h), as functions do that gather state from packets.
// F says so by a member of this name. Its hold() then takes the epoch, and process() takes the result of hold() alone.
template <class F>
inline constexpr bool follows_epochs = false;
template <class F>
requires requires { F::follows_epochs; }
inline constexpr bool follows_epochs<F> = F::follows_epochs;

// Whether F has tables that are replaced while packets go through, and can hold the tables in force. hold() looks the
// tables up, once per burst if the executor has bursts, and process() takes its result. The result refers to `tables`.
template <class F>
concept holds_tables_at_any_time = requires(typename F::ref const& tables) {
  { F::hold(tables) } -> std::same_as<typename F::held>;
};
template <class F>
concept holds_tables_by_epoch = follows_epochs<F> && requires(typename F::ref const& tables, epoch_number epoch) {
  { F::hold(tables, epoch) } -> std::same_as<typename F::held>;
};
template <class F>
concept holds_tables = holds_tables_at_any_time<F> || holds_tables_by_epoch<F>;

// The tables that process() takes for the packets of a burst.
template <class F>
struct taken_for_burst {
  static_assert(!follows_epochs<F>, "a function that follows epochs takes them by hold(tables, epoch)");
  using type = typename F::ref const&;
  [[nodiscard]] HOST_DEVICE static type of(typename F::ref const& tables, burst_facts) { return tables; }
};
template <holds_tables F>
struct taken_for_burst<F> {
  using type = typename F::held;
  [[nodiscard]] HOST_DEVICE static type of(typename F::ref const& tables, burst_facts facts) {
    if constexpr (follows_epochs<F>) {
      return F::hold(tables, facts.epoch);
    } else {
      return F::hold(tables);
    }
  }
};

}  // namespace packetwarp
