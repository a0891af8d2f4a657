// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "executor/executor.h"

namespace packetwarp {

std::string_view to_string(executor_kind kind) {
  switch (kind) {
    case executor_kind::none:
      return "none";
    case executor_kind::cpu:
      return "cpu";
    case executor_kind::kernel:
      return "kernel";
    case executor_kind::persistent:
      return "persistent";
    case executor_kind::graph:
      return "graph";
  }
  return "unknown";
}

}  // namespace packetwarp
