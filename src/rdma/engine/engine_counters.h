// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "rdma/mlx5_format.h"

namespace packetwarp::rdma {

// The work that an engine has done for a queue, or for all of its queues.
struct engine_counters {
  std::uint64_t doorbells{};  // seen: several rung in a row may be seen as one
  std::uint64_t writes{};     // WQEs that moved their bytes
  std::uint64_t bytes{};
  std::uint64_t completions{};    // CQEs written
  std::uint64_t length_errors{};  // by the syndrome of the CQE
  std::uint64_t operation_errors{};
  std::uint64_t protection_errors{};
  std::uint64_t access_errors{};
  std::uint64_t other_remote_errors{};  // only of a peer across a network: it did not answer, or refused a packet
  std::uint64_t flushed{};              // WQEs after an error
  std::uint64_t queue_overruns{};       // doorbell records beyond the queue
  std::uint64_t completion_overruns{};  // CQEs that had no room

  HOST_DEVICE void count_error(work_status status) {
    if (status == work_status::local_length_error) ++length_errors;
    if (status == work_status::local_operation_error) ++operation_errors;
    if (status == work_status::local_protection_error) ++protection_errors;
    if (status == work_status::remote_access_error) ++access_errors;
    if (status == work_status::remote_invalid_request || status == work_status::remote_operation_error ||
        status == work_status::transport_retries_exceeded || status == work_status::rnr_retries_exceeded)
      ++other_remote_errors;
    if (status == work_status::flushed) ++flushed;
  }
  HOST_DEVICE void add(engine_counters const& other) {
    doorbells += other.doorbells;
    writes += other.writes;
    bytes += other.bytes;
    completions += other.completions;
    length_errors += other.length_errors;
    operation_errors += other.operation_errors;
    protection_errors += other.protection_errors;
    access_errors += other.access_errors;
    other_remote_errors += other.other_remote_errors;
    flushed += other.flushed;
    queue_overruns += other.queue_overruns;
    completion_overruns += other.completion_overruns;
  }
};

}  // namespace packetwarp::rdma
