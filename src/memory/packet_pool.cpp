// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/packet_pool.h"

#include <fmt/format.h>
#include <rte_errno.h>
#include <rte_mbuf.h>

#include "base/error.h"
#include "base/units.h"

namespace packetwarp {

std::uint64_t packet_pool_config::bytes() const {
  rte_mempool_objsz parts{};
  auto const element = static_cast<std::uint32_t>(sizeof(rte_mbuf)) + RTE_PKTMBUF_HEADROOM + data_room;
  return std::uint64_t{rte_mempool_calc_obj_size(element, 0, &parts)} * packets;
}

packet_pool::packet_pool(packet_pool_config const& config) : config_{config} {
  pool_.reset(rte_pktmbuf_pool_create(config.name.c_str(), config.packets, config.cache, 0,
                                      static_cast<std::uint16_t>(config.data_room + RTE_PKTMBUF_HEADROOM),
                                      config.socket));
  if (!pool_) {
    auto const need = config.bytes();
    throw failure(
        fmt::format("packet pool of {} packets x {} bytes needs {}, which is not free ({}); give more hugepages "
                    "(echo {} > /proc/sys/vm/nr_hugepages), or ask for fewer pipelines, descriptors or a smaller ring",
                    config.packets, config.data_room, format_size(need), rte_strerror(rte_errno), (need >> 21) + 64));
  }
}

std::uint32_t packet_pool::available() const { return rte_mempool_avail_count(pool_.get()); }

}  // namespace packetwarp
