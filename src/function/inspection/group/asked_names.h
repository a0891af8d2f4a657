// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/inspection/group/trial.h"
#include "inspect/packet/asked_name.h"
#include "inspect/packet/dns_name.h"
#include "inspect/packet/tls_name.h"

namespace packetwarp::inspection_parts {

// Whether the packet may ask for a name, by its ports and first bytes.
[[nodiscard]] HOST_DEVICE inline bool may_ask_name(inspect::inspected_packet const& packet) {
  constexpr std::byte handshake{22};
  if (packet.kind != inspect::packet_kind::tcp) return inspect::is_dns_message(packet);
  return packet.payload_size != 0 && packet.payload[0] == handshake;
}

#if defined(__CUDA_ARCH__)

// GPUs do not read names yet: a packet that may have one is counted.
class asked_names {
 public:
  __device__ explicit asked_names(trial& of) {
    of.packet.is_dns = inspect::is_dns_message(of.packet);
    bool const is_first_lane = threadIdx.x % 32 == 0;
    if (of.set.name_rules != 0 && is_first_lane && may_ask_name(of.packet)) {
      add(of.tables.counts->unjudged_names, std::uint64_t{1});
    }
  }
};

#else

// The names that the packet asks for, as long as this lives.
class asked_names {
 public:
  explicit asked_names(trial& of) {
    inspect::read_dns(of.packet, name_);
    inspect::read_tls(of.packet, name_);
  }

 private:
  inspect::asked_name name_;
};

#endif

}  // namespace packetwarp::inspection_parts
