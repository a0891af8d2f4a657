// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plan/plan.h"

namespace packetwarp {

// Steps of make_plan(), in their order. Each throws usage_error.

// Makes listed workers, and their pipelines.
void plan_listed(plan& p, std::vector<port_facts> const& ports, machine_facts const& machine);
// Gives the ports queues for pipelines and the kni worker.
void plan_ports(plan& p, std::vector<port_facts> const& ports);
// For listed workers: makes RSS fill the queues that forwarding workers poll, and no others.
void leave_out_queues(plan& p);
// Chooses the GPU of each pipeline, and its share of the GPU.
void plan_gpus(plan& p, machine_facts const& machine);
// Chooses the packets' way to their placement.
void plan_placement(plan& p);
// Plans the jobs that serve kernel interfaces.
void plan_twins(plan& p);
// Sets the bounds of a control plane.
void plan_control(plan& p);
// Sizes the rings, and the pools that packets come from.
void plan_memory(plan& p);
// Chooses the ports that receive the frames of a file.
void plan_replays(plan& p, machine_facts const& machine);
// Adds notices of workers in slow places: hyperthreads of one core, the kernel's own CPUs, another node than their
// port's or their GPU's.
void warn_of_places(plan& p, machine_facts const& machine);

// Whether the function works on packets together, which takes a GPU longer than a packet by itself.
[[nodiscard]] inline bool is_joint(data_plane_config const& config) {
  return config.function->room_bytes != 0 || config.function->has_own_kernels;
}

// The control plane's bounds as text for a person.
[[nodiscard]] std::string describe(planned_control const& control);

}  // namespace packetwarp
