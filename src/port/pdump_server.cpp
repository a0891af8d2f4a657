// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "port/pdump_server.h"

#include <fmt/format.h>
#include <rte_errno.h>
#include <rte_pdump.h>

#include "base/error.h"

namespace packetwarp {

pdump_server::pdump_server(eal_sharing with) {
  if (with == eal_sharing::alone) return;
  if (rte_pdump_init() != 0) {
    throw failure(
        fmt::format("dpdk-pdump cannot be served: {}; give --in-memory to run without", rte_strerror(rte_errno)));
  }
  serves_ = true;
}

pdump_server::~pdump_server() {
  if (serves_) (void)rte_pdump_uninit();
}

}  // namespace packetwarp
