// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "pipeline/pipeline.h"

#include <fmt/format.h>
#include <rte_errno.h>
#include <rte_mbuf.h>

#include <array>

#include "base/error.h"
#include "base/units.h"
#include "pipeline/execute_job.h"
#include "pipeline/function_executor.h"
#include "pipeline/receive_job.h"
#include "pipeline/transmit_job.h"

namespace packetwarp {
namespace {

[[nodiscard]] rte_ring* make_isolated_ring(std::uint16_t number, std::uint32_t packets) {
  auto* const ring = rte_ring_create(fmt::format("isolated_{}", number).c_str(), packets, SOCKET_ID_ANY,
                                     RING_F_SP_ENQ | RING_F_SC_DEQ | RING_F_EXACT_SZ);
  if (ring == nullptr) {
    throw failure(
        fmt::format("isolated ring: one of {} packets could not be made: {}; give more hugepages or a smaller ring",
                    packets, rte_strerror(rte_errno)));
  }
  return ring;
}

[[nodiscard]] gpu_settings settings_of(planned_pipeline const& planned, data_plane_config const& config,
                                       pipeline_surroundings const& around) {
  bool const has_fault = config.gpu.fault_gpu == -1 || config.gpu.fault_gpu == planned.gpu;
  return {.gpu = around.gpu,
          .domain = around.domain,
          .packet_time = config.packet_time,
          .timeout = config.gpu.timeout,
          .launches = config.gpu.launches,
          .fault = has_fault ? config.gpu.fault : gpu_fault::none,
          .fault_after = config.gpu.fault_after,
          .trace = config.gpu.trace,
          .pipeline = planned.id.value(),
          .blocks = planned.gpu_blocks,
          .where = config.where,
          .route = planned.route,
          .data_room = config.data_room,
          .behind_rdma = around.rx->facts().access == packet_access::rdma};
}

// Rings of packets for the function beside the port's; nullptr for a ring that does not exist.
struct other_sources {
  mbuf_ring* returned;  // by the control plane
  mbuf_ring* handed;    // by pipelines of other GPUs
};

template <class Source>
[[nodiscard]] std::unique_ptr<job> make_receive_job(std::uint16_t number, Source const& source, burst_ring& ring,
                                                    pipeline_counters& counters, burst_closing closing,
                                                    epoch_origin& epochs, arrival_tap seen, other_sources others) {
  auto const make = [&]<class All>(All const& all) -> std::unique_ptr<job> {
    return std::make_unique<receive_job<All>>(number, all, ring, counters.received, closing, epochs, seen);
  };
  if (others.returned == nullptr) return make(source);
  if (others.handed == nullptr) return make(with_returned<Source>{source, *others.returned, counters.arrivals});
  with_handed_over<Source> const both{source, *others.handed, counters.received};
  return make(with_returned<with_handed_over<Source>>{both, *others.returned, counters.arrivals});
}

// The pipeline has an egress on every port.
[[nodiscard]] packet_mirror make_mirror(planned_pipeline const& planned, data_plane_config const& config,
                                        pipeline_surroundings const& around) {
  auto const to = *config.mirror_to;
  auto const& all = planned.egresses;
  auto const found = std::find_if(all.begin(), all.end(), [to](auto const& one) { return one.port == to; });
  auto const egress = static_cast<std::size_t>(found - all.begin());
  return packet_mirror{{.egress = egress,
                        .pool = around.pool,
                        .mtu = config.mtus.at(around.egresses[egress]),
                        .is_of_mirror_port = planned.rx_port == to,
                        .between_tries = to_cycles(packetwarp::egress::longest_between_probes)}};
}

}  // namespace

pipeline::pipeline(planned_pipeline const& planned, data_plane_config const& config,
                   pipeline_surroundings const& around)
    : planned_{planned},
      counters_{std::make_unique<pipeline_counters>()},
      ring_{planned.ring_slots, config.burst, config.mirror_to ? received_headers::kept : received_headers::left},
      executor_{make_function_executor(config, ring_, settings_of(planned, config, around),
                                       {.planned = planned, .ingress = around.ingress}, around.tables)} {
  make_receivers(config, around);
  auto const number = planned.id.value();
  auto const part = planned.gives_apart ? execute_job::part::collect : execute_job::part::all;
  if (planned.gives_apart) give_ = std::make_unique<give_job>(number, *executor_);
  execute_ = std::make_unique<execute_job>(number, *executor_, part);
  std::vector<egress> egresses;
  for (std::size_t i = 0; i < planned.egresses.size(); ++i) {
    auto const& tx = *around.tx[i];
    egresses.emplace_back(tx.tx(planned.egresses[i].queue), tx.longest_chain(), config.burst * egress::waiting_bursts,
                          to_cycles(config.tx_timeout));
  }
  auto transmit = std::make_unique<transmit_job>(
      number, ring_, std::move(egresses), counters_->departures,
      is_paired(config.workers, config.listed) ? packets_lie::in_other_caches : packets_lie::in_own_cache,
      control_link{.desk = around.desk,
                   .twin = around.twins[around.ingress],
                   .twins = around.twins,
                   .pipeline = number,
                   .ingress = around.ingress,
                   .to_gpus = around.to_gpus},
      departure_tap{.tap = capture_tap{*around.captures}, .ingress = around.ingress, .egresses = around.egresses});
  if (config.mirror_to) transmit->mirror_by(make_mirror(planned, config, around));
  transmit_ = std::move(transmit);
}

pipeline::~pipeline() {
  if (is_left_) (void)executor_.release();
  // The ring is empty after a drained run; after a worker that hung, its packets return to the pool.
  if (!isolated_) return;
  void* packet = nullptr;
  while (rte_ring_dequeue(isolated_.get(), &packet) == 0) rte_pktmbuf_free(static_cast<rte_mbuf*>(packet));
}

void pipeline::make_receivers(data_plane_config const& config, pipeline_surroundings const& around) {
  auto const number = planned_.id.value();
  burst_closing const closing{.timeout = to_cycles(config.burst_timeout), .in_flight = planned_.bursts_at_once};
  counted_rx_queue const queue{around.rx->rx(planned_.rx_queue), counters_->arrivals};
  other_sources const others{.returned = around.desk != nullptr ? &around.desk->doors_of(number).returned : nullptr,
                             .handed = around.handed};
  arrival_tap const seen{.tap = capture_tap{*around.captures}, .port = around.ingress};
  if (planned_.isolated_ring == 0) {
    receive_ = make_receive_job(number, queue, ring_, *counters_, closing, *around.epochs, seen, others);
    return;
  }
  isolated_.reset(make_isolated_ring(number, planned_.isolated_ring));
  auto isolate = std::make_unique<isolate_job>(number, queue, *isolated_, counters_->isolated);
  if (auto* const twin = around.twins[around.ingress]; twin != nullptr && !twin->config().flows.empty()) {
    isolate->steer(*twin, counters_->arrivals, seen);
  }
  isolate_ = std::move(isolate);
  receive_ = make_receive_job(number, isolated_ring_source{*isolated_}, ring_, *counters_, closing, *around.epochs,
                              seen, others);
}

job& pipeline::job_of(job_kind kind) {
  switch (kind) {
    case job_kind::isolate:
      return *isolate_;
    case job_kind::receive:
      return *receive_;
    case job_kind::give:
      return *give_;
    case job_kind::execute:
      return *execute_;
    case job_kind::transmit:
      return *transmit_;
  }
  return *transmit_;
}

}  // namespace packetwarp
