// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "base/host_device.h"
#include "function/inspection/trial.h"
#include "inspect/packet/asked_name.h"
#include "inspect/packet/dns_name.h"
#include "inspect/packet/tls_name.h"

namespace packetwarp::inspection_parts {

#if defined(__CUDA_ARCH__)

// GPUs do not read names yet: a packet that may have one is counted.
class asked_names {
 public:
  __device__ explicit asked_names(trial& of) {
    bool const is_first_lane = threadIdx.x % 32 == 0;
    if (of.set.name_rules != 0 && is_first_lane && may_ask(of)) {
      add(of.tables.counts->unjudged_names, std::uint64_t{1});
    }
  }

 private:
  [[nodiscard]] __device__ static bool may_ask(trial& of) {
    constexpr std::uint16_t dns = 53;
    constexpr std::byte handshake{22};
    auto& packet = of.packet;
    if (packet.payload_size == 0) return false;
    if (packet.kind == inspect::packet_kind::tcp) return packet.payload[0] == handshake;
    packet.is_dns = packet.kind == inspect::packet_kind::udp && packet.payload_size >= 12 &&
                    (packet.source_port == dns || packet.destination_port == dns);
    return packet.is_dns;
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
