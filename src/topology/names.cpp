// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/forward/forward.h"
#include "function/nat44/nat44.h"
#include "function/router/router.h"
#include "function/ruled_nat44/ruled_nat44.h"
#include "function/ruled_router/ruled_router.h"
#include "function/rules/rules.h"
#include "function/swap_payload/swap_payload.h"
#include "topology/config.h"
#include "topology/plan.h"

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

std::string_view to_string(function_kind what) {
  switch (what) {
    case function_kind::forward:
      return forward::name;
    case function_kind::swap_payload:
      return swap_payload::name;
    case function_kind::router:
      return router::name;
    case function_kind::nat44:
      return nat44::name;
    case function_kind::rules:
      return rules::name;
    case function_kind::ruled_router:
      return ruled_router::name;
    case function_kind::ruled_nat44:
      return ruled_nat44::name;
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
