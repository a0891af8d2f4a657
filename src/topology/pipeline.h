// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_ring.h>

#include <memory>

#include "executor/executor.h"
#include "port/port.h"
#include "topology/counters.h"
#include "topology/job.h"
#include "topology/plan.h"

namespace packetwarp {

// rx queue -> [isolated ring ->] burst ring + executor(function) -> tx queue, and the jobs that move packets along it.
class pipeline {
 public:
  // rx and tx are started ports that outlive the pipeline. Throws usage_error or failure.
  // gpu: of planned.gpu, opened; of no meaning where the executor needs none.
  pipeline(planned_pipeline const& planned, data_plane_config const& config, gpu_facts const& gpu, port const& rx,
           port const& tx);
  pipeline(pipeline const&) = delete;
  pipeline& operator=(pipeline const&) = delete;
  ~pipeline();

  // Made when the plan has such a job for this pipeline.
  [[nodiscard]] job& job_of(job_kind kind);
  [[nodiscard]] pipeline_counters const& counters() const { return *counters_; }
  [[nodiscard]] planned_pipeline const& planned() const { return planned_; }
  [[nodiscard]] executor& runs() const { return *executor_; }
  [[nodiscard]] std::string_view name_of(drop_reason reason) const { return executor_->name_of(reason); }

 private:
  struct free_ring {
    void operator()(rte_ring* ring) const { rte_ring_free(ring); }
  };
  void make_receivers(data_plane_config const& config, port const& rx);

  planned_pipeline planned_;
  std::unique_ptr<pipeline_counters> counters_;
  burst_ring ring_;
  std::unique_ptr<rte_ring, free_ring> isolated_;
  std::unique_ptr<executor> executor_;
  std::unique_ptr<job> isolate_;
  std::unique_ptr<job> receive_;
  std::unique_ptr<job> give_;
  std::unique_ptr<job> execute_;
  std::unique_ptr<job> transmit_;
};

}  // namespace packetwarp
