// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_ring.h>

#include <memory>
#include <vector>

#include "burst/epoch_clock.h"
#include "capture/packet_capture.h"
#include "executor/executor.h"
#include "pipeline/counters.h"
#include "pipeline/function_tables.h"
#include "plan/plan.h"
#include "port/port.h"
#include "punt/control_desk.h"
#include "twin/twin_link.h"
#include "worker/job.h"

namespace packetwarp {

// The parts that a pipeline connects. All of them outlive the pipeline.
struct pipeline_surroundings {
  gpu_facts gpu;                          // the plan's, opened; meaningless if the executor needs none
  std::shared_ptr<gpu_domain> domain;     // of that GPU
  port const* rx;                         // started
  std::vector<port const*> tx{};          // of the plan's egresses, in their order; started
  control_desk* desk;                     // for punted packets, or nullptr: they are dropped
  std::vector<twin_link*> twins;          // by the position of their ports among the plan's, nullptr without one
  std::uint16_t ingress;                  // position of rx among the plan's ports
  std::vector<std::uint16_t> egresses{};  // positions of tx
  mbuf_ring* handed{};                    // packets that pipelines of other GPUs hand over to this one; or nullptr
  std::vector<mbuf_ring*> to_gpus{};      // by GPU: that of the pipeline that takes this one's packets
  capture_point const* captures;
  rte_mempool* pool{};     // of the packets that it receives
  epoch_origin* epochs{};  // of all pipelines
  function_tables tables;
};

// rx queue -> [isolated ring ->] burst ring + executor(function) -> tx queue, and the jobs that move packets along it.
class pipeline {
 public:
  // Throws usage_error or failure.
  pipeline(planned_pipeline const& planned, data_plane_config const& config, pipeline_surroundings const& around);
  pipeline(pipeline const&) = delete;
  pipeline& operator=(pipeline const&) = delete;
  ~pipeline();

  // The job of this kind, which exists if the plan has one for this pipeline.
  [[nodiscard]] job& job_of(job_kind kind);
  [[nodiscard]] pipeline_counters const& counters() const { return *counters_; }
  [[nodiscard]] planned_pipeline const& planned() const { return planned_; }
  [[nodiscard]] executor& runs() const { return *executor_; }
  // Leaves its executor to the process: see end_state::runs_on.
  void leave_executor() { is_left_ = true; }
  [[nodiscard]] std::string_view name_of(drop_reason reason) const { return executor_->name_of(reason); }

 private:
  struct free_ring {
    void operator()(rte_ring* ring) const { rte_ring_free(ring); }
  };
  void make_receivers(data_plane_config const& config, pipeline_surroundings const& around);

  planned_pipeline planned_;
  std::unique_ptr<pipeline_counters> counters_;
  burst_ring ring_;
  std::unique_ptr<rte_ring, free_ring> isolated_;
  std::unique_ptr<executor> executor_;
  bool is_left_{false};
  std::unique_ptr<job> isolate_;
  std::unique_ptr<job> receive_;
  std::unique_ptr<job> give_;
  std::unique_ptr<job> execute_;
  std::unique_ptr<job> transmit_;
};

}  // namespace packetwarp
