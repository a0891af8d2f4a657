// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <rte_mbuf.h>

#include <cstdint>

#include "capture/filter_program.h"

namespace packetwarp {

// How much of a packet the CPU can read.
enum class capture_reach : std::uint8_t {
  whole_packet,
  first_segment  // the rest is in a GPU's memory
};

// Decides which packets are wanted. Any number of threads may ask at once. Runs libpcap's interpreter: some programs of
// DPDK 22.11's interpreter, and of the native code that DPDK makes of converted programs, answer the opposite of
// libpcap ("ether[0] & 1 != 0") or jump to a wrong address ("tcp[tcpflags] & tcp-syn != 0").
class capture_filter {
 public:
  capture_filter(filter_program program, capture_reach reach) : program_{std::move(program)}, reach_{reach} {}

  // A packet that the filter cannot read is not wanted.
  [[nodiscard]] bool wants(rte_mbuf const& packet) const {
    if (packet.nb_segs > 1 && reach_ == capture_reach::whole_packet) [[unlikely]]
      return wants_chained(packet);
    return run(rte_pktmbuf_mtod(&packet, unsigned char const*), packet.pkt_len, packet.data_len);
  }

 private:
  [[nodiscard]] bool run(unsigned char const* bytes, std::uint32_t length, std::uint32_t readable) const {
    return bpf_filter(program_.data(), bytes, length, readable) != 0;
  }
  [[nodiscard]] bool wants_chained(rte_mbuf const& packet) const;

  filter_program program_;
  capture_reach reach_;
};

}  // namespace packetwarp
