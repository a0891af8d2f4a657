// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "memory/eal_session.h"

namespace packetwarp {

// Lets dpdk-pdump and dpdk-dumpcap, which attach as secondary processes, capture the packets that ports receive and
// send: DPDK then calls back for each burst of a queue that they capture, and for no other queue. It lives while the
// EAL runs, once per process.
class pdump_server {
 public:
  // Does nothing if secondary processes cannot attach. Throws failure if memory is short.
  explicit pdump_server(eal_sharing with);
  pdump_server(pdump_server const&) = delete;
  pdump_server& operator=(pdump_server const&) = delete;
  ~pdump_server();

 private:
  bool serves_{false};
};

}  // namespace packetwarp
