// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "rdma/bandwidth/poster.h"

namespace packetwarp::rdma {

// Runs the loop on the calling thread, which posts and commits on all queues and then awaits all, as ib_write_bw does.
// Ends at the first error, and when the user asks to stop.
[[nodiscard]] std::vector<post_times> post_by_cpu(std::span<posted_queue const> queues, post_loop const& loop);

}  // namespace packetwarp::rdma
