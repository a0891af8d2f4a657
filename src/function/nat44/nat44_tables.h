// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "function/nat44/nat44_table.h"

namespace packetwarp {

// Throws usage_error for a config whose sessions this number of GPUs cannot divide, as the tables' constructor does.
void require_dividable(nat44_config const& config, std::size_t parts);

// The tables of a NAT44: one nat44_table, or one for each of several GPUs, which has the sessions of its part of all
// ports (nat::part). Addresses, port forwards and settings are in each. A single control thread calls it, as for a
// nat44_table.
class nat44_tables {
 public:
  // A change of all tables.
  struct change {
    std::vector<nat::change> parts;
    std::uint32_t per_host{};  // of all parts together
    std::uint32_t per_prefix{};
  };

  // copies: GPUs that have tables; none: only the host has them. Throws like nat44_table.
  explicit nat44_tables(nat44_config const& config, table_places const& copies = {});

  // The tables of the n-th GPU, or of the host alone.
  [[nodiscard]] nat44_table& part(std::size_t n) { return parts_.at(n); }
  [[nodiscard]] nat44_table const& part(std::size_t n) const { return parts_.at(n); }
  [[nodiscard]] std::size_t parts() const { return parts_.size(); }
  // The config of all parts together.
  [[nodiscard]] nat44_config const& config() const { return parts_.size() == 1 ? parts_.front().config() : config_; }
  void observe_with(nat44_table::observer const& told);

  // See nat44_table. A change that one part refuses is planned for none.
  [[nodiscard]] change plan_change(nat44_config const& wanted) const;
  void prepare(change const& made);
  void publish(change made);

  void refuse_new_sessions();
  void tick(std::uint32_t seconds);
  // records: of each part.
  void maintain(std::uint32_t records);
  // The n-th GPU is lost.
  void gpu_failed(std::size_t n) { parts_.at(n).gpu_failed(); }
  void begin_read_back();
  [[nodiscard]] bool is_reading_back() const;
  void read_back();
  void abandon();

  // Records of all parts, numbered consecutively; port forwards are visited once.
  void for_each(std::uint32_t begin, std::uint32_t end, std::function<void(nat44_session const&)> const& visit) const;
  [[nodiscard]] std::uint32_t records() const;
  [[nodiscard]] std::uint32_t outside_positions() const { return parts_.front().outside_positions(); }
  [[nodiscard]] std::optional<nat44_outside_use> outside_use(std::uint32_t position) const;
  [[nodiscard]] nat44_counts counts_but_live() const;
  // Bytes in the host's memory, and in the memory of each GPU with tables.
  [[nodiscard]] std::size_t host_bytes() const;
  [[nodiscard]] std::size_t gpu_bytes() const { return parts_.front().size(); }

  // Each part takes its own sessions of the file, and tells which of these it leaves out.
  [[nodiscard]] std::uint64_t restore(std::string const& path, nat44_table::left_out const& told = {});

 private:
  nat44_config config_;  // of all parts together, with the key of all
  std::deque<nat44_table> parts_;
};

}  // namespace packetwarp
