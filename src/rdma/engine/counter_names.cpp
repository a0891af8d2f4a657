// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/engine/counter_names.h"

namespace packetwarp::rdma {

std::vector<std::pair<std::string, std::uint64_t>> with_names(engine_counters const& engine) {
  return {{"doorbells", engine.doorbells},
          {"writes", engine.writes},
          {"bytes", engine.bytes},
          {"completions", engine.completions},
          {"local_length_errors", engine.length_errors},
          {"local_operation_errors", engine.operation_errors},
          {"local_protection_errors", engine.protection_errors},
          {"remote_access_errors", engine.access_errors},
          {"other_remote_errors", engine.other_remote_errors},
          {"flushed", engine.flushed},
          {"queue_overruns", engine.queue_overruns},
          {"completion_overruns", engine.completion_overruns}};
}

}  // namespace packetwarp::rdma
