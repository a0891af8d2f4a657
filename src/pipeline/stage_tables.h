// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

#include "executor/make.h"
#include "plan/plan.h"

namespace packetwarp {

// A pipeline's place in the plan, on which refs to tables may depend.
struct stage_place {
  planned_pipeline const& planned;
  std::uint16_t ingress{};  // position of its RX port among the plan's
};

// The tables of one stage, identified by the stage's name. The stage's module derives from tables_of_stage and owns
// them.
class stage_tables {
 public:
  stage_tables() = default;
  stage_tables(stage_tables const&) = delete;
  stage_tables& operator=(stage_tables const&) = delete;
  virtual ~stage_tables() = default;
  [[nodiscard]] virtual std::string_view stage() const = 0;
};

// The tables of stage S, a type of function/<name>/<name>.h.
template <class S>
class tables_of_stage : public stage_tables {
 public:
  [[nodiscard]] std::string_view stage() const final { return S::name; }
  // Refs for the executor of one pipeline, valid as long as these tables.
  [[nodiscard]] virtual table_refs<S> refs_at(stage_place const& place) const = 0;
};

}  // namespace packetwarp
