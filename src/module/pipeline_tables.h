// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "memory/table_memory.h"
#include "module/memory_row.h"
#include "module/module.h"
#include "pipeline/stage_tables.h"
#include "plan/plan.h"

namespace packetwarp {

// A pipeline of the plan, as tables with a part for each pipeline know it.
struct pipeline_slot {
  std::size_t gpu{};      // its GPU's position among the plan's
  std::size_t on_gpu{};   // its own position among that GPU's pipelines
  std::string interface;  // by which its packets come
};
// In the plan's order. interfaces: their names, in the order of the plan's ports.
[[nodiscard]] std::vector<pipeline_slot> slots_of(plan const& planned, std::span<std::string const> interfaces);

// The tables of a stage whose state belongs to pipelines: one on the CPU with a part for every pipeline, for executors
// of the CPU, also if they take over from a GPU, and one on each GPU of the plan with a part for each pipeline there.
// An executor on a GPU and the one that takes over from it share no state. Table: function/<name>/<name>_table.h. For
// the master.
template <class Table>
class pipeline_tables {
 public:
  explicit pipeline_tables(table_places places) : places_{std::move(places)} {}

  // The first call; then install().
  void assign(std::vector<pipeline_slot> slots) { slots_ = std::move(slots); }
  // on_cpu(pipelines) and on_gpu(pipelines, place) make the tables. Throws what these throw.
  template <class OnCpu, class OnGpu>
  void install(OnCpu const& on_cpu, OnGpu const& on_gpu) {
    cpu_ = on_cpu(slots_.size());
    for (auto const& place : places_) {
      auto const n = gpus_.size();
      std::size_t pipelines = 0;
      for (auto const& one : slots_) pipelines += one.gpu == n ? 1 : 0;
      gpus_.push_back(on_gpu(pipelines, place));
    }
  }

  [[nodiscard]] std::size_t pipelines() const { return slots_.size(); }
  [[nodiscard]] pipeline_slot const& slot(std::size_t pipeline) const { return slots_.at(pipeline); }
  [[nodiscard]] bool has_gpus() const { return !places_.empty(); }
  [[nodiscard]] Table& cpu() const { return *cpu_; }
  [[nodiscard]] std::span<std::unique_ptr<Table> const> gpus() const { return gpus_; }
  // The table on a pipeline's GPU, which has one.
  [[nodiscard]] Table& gpu_of(std::size_t pipeline) const { return *gpus_.at(slot(pipeline).gpu); }
  // The CPU's table, and those of GPUs if they may be read.
  [[nodiscard]] std::vector<Table const*> tables(readable what) const {
    std::vector<Table const*> all{cpu_.get()};
    if (what == readable::host) return all;
    for (auto const& one : gpus_) all.push_back(one.get());
    return all;
  }

  // Calls use(table, part, pipeline) for both parts of each pipeline: `part` is its position in that table. Also for
  // GPUs that are lost.
  template <class Use>
  void for_each_part(Use const& use) const {
    for (std::size_t n = 0; n < slots_.size(); ++n) {
      use(*cpu_, n, n);
      if (!gpus_.empty()) use(gpu_of(n), slots_[n].on_gpu, n);
    }
  }
  // Calls use(table) for the tables on a GPU by its number.
  template <class Use>
  void for_each_on(int gpu, Use const& use) const {
    std::size_t n = 0;
    for (auto const& place : places_) {
      if (place.gpu == gpu) use(*gpus_[n]);
      ++n;
    }
  }

  // The refs of a pipeline's executors: ref() of the tables, with the place's ingress.
  template <class Stage>
  [[nodiscard]] table_refs<Stage> refs_at(stage_place const& place) const {
    auto const n = static_cast<std::size_t>(place.planned.id.value());
    auto cpu = cpu_->ref(n);
    cpu.ingress = place.ingress;
    if (gpus_.empty()) return {cpu, cpu};
    auto gpu = gpu_of(n).ref(slot(n).on_gpu);
    gpu.ingress = place.ingress;
    return {cpu, gpu};
  }

  // A row of `packetwarp show memory`: a part per pipeline.
  [[nodiscard]] memory_row memory(std::string_view what) const {
    memory_row row{.what = what, .unit = "pipelines", .room = slots_.size(), .bytes = cpu_->bytes()};
    std::uint64_t on_gpus = 0;
    for (auto const& one : gpus_) on_gpus += one->bytes();
    if (on_gpus != 0) row.gpu_bytes = on_gpus;
    return row;
  }

  // For GPUs that do not end their work: their memory is left to them.
  void abandon() {
    for (auto const& one : gpus_) one->abandon();
  }

 private:
  table_places places_;
  std::vector<pipeline_slot> slots_;
  std::unique_ptr<Table> cpu_;
  std::vector<std::unique_ptr<Table>> gpus_;  // in the order of the places
};

// The same tables, as the makers of executors know them. Stage: function/<name>/<name>.h.
template <class Stage, class Table>
class pipeline_stage_tables final : public tables_of_stage<Stage> {
 public:
  explicit pipeline_stage_tables(pipeline_tables<Table> const& of) : of_{of} {}
  [[nodiscard]] table_refs<Stage> refs_at(stage_place const& place) const override {
    return of_.template refs_at<Stage>(place);
  }

 private:
  pipeline_tables<Table> const& of_;
};

}  // namespace packetwarp
