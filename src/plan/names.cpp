// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "plan/config.h"
#include "plan/plan.h"

namespace packetwarp {

std::string_view to_string(arrangement how) {
  switch (how) {
    case arrangement::run_to_completion:
      return "run-to-completion";
    case arrangement::pair:
      return "pair";
    case arrangement::pair_cpu:
      return "pair-cpu";
    case arrangement::isolated_rx:
      return "isolated-rx";
    case arrangement::listed:
      return "listed";
  }
  return "unknown";
}

std::string_view to_string(job_kind kind) {
  switch (kind) {
    case job_kind::isolate:
      return "isolate";
    case job_kind::receive:
      return "receive";
    case job_kind::give:
      return "give";
    case job_kind::execute:
      return "execute";
    case job_kind::transmit:
      return "transmit";
  }
  return "unknown";
}

}  // namespace packetwarp
