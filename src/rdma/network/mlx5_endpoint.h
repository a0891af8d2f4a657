// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "rdma/network/endpoint.h"
#include "rdma/verbs/verbs_settings.h"

namespace packetwarp::rdma {

// An end on a ConnectX whose queues packetwarp writes and reads itself: queue_pair_ref, by a CPU thread or a GPU's
// kernel. It has never met a NIC. Throws usage_error if there is no such device, if it is no mlx5 device, if there is
// no GPU for settings that need one, or if the build has no libmlx5; failure.
[[nodiscard]] std::unique_ptr<endpoint> make_mlx5_endpoint(endpoint_settings const& settings, verbs_settings const& on);

}  // namespace packetwarp::rdma
