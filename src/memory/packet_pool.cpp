// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/packet_pool.h"

#include <fmt/format.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>

#include <cerrno>

#include "base/error.h"
#include "base/units.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::string why_not(packet_pool_config const& config, int error) {
  auto const asked =
      fmt::format("packet pool {} of {} packets x {} bytes", config.name, config.packets, config.data_room);
  // ENOBUFS: there is memory, but not in large enough pieces.
  if (error != ENOMEM && error != ENOBUFS) {
    return fmt::format("{} with caches of {}: the EAL refuses it: {}", asked, config.cache, rte_strerror(error));
  }
  auto const need = config.bytes();
  auto const remedy = rte_eal_has_hugepages() != 0
                          ? fmt::format("more hugepages (echo {} > /proc/sys/vm/nr_hugepages)", (need >> 21) + 64)
                          : fmt::format("the EAL more memory (-m {})", (need >> 20) + 128);
  return fmt::format(
      "{} needs {}, which is not free; give {}, or ask for fewer pipelines, descriptors or a smaller ring", asked,
      format_size(need), remedy);
}

}  // namespace

std::uint64_t packet_pool_config::bytes() const {
  rte_mempool_objsz parts{};
  auto const element = static_cast<std::uint32_t>(sizeof(rte_mbuf)) + RTE_PKTMBUF_HEADROOM + data_room;
  return std::uint64_t{rte_mempool_calc_obj_size(element, 0, &parts)} * packets;
}

packet_pool::packet_pool(packet_pool_config const& config) : config_{config} {
  pool_.reset(rte_pktmbuf_pool_create(config.name.c_str(), config.packets, config.cache, 0,
                                      static_cast<std::uint16_t>(config.data_room + RTE_PKTMBUF_HEADROOM),
                                      config.socket));
  if (!pool_) throw failure(why_not(config, rte_errno));
}

std::uint32_t packet_pool::available() const { return rte_mempool_avail_count(pool_.get()); }

}  // namespace packetwarp
