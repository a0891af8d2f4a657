// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory/eal_session.h"

namespace packetwarp {

// Lets dpdk-pdump and dpdk-dumpcap, which attach as secondary processes, look at what ports receive and send: DPDK then
// calls back for each burst of a queue that they look at, and for no other. While the EAL runs; one a process.
class pdump_server {
 public:
  // Without secondaries there is nothing to serve. Throws failure if memory is short.
  explicit pdump_server(eal_sharing with);
  pdump_server(pdump_server const&) = delete;
  pdump_server& operator=(pdump_server const&) = delete;
  ~pdump_server();

 private:
  bool serves_{false};
};

}  // namespace packetwarp
