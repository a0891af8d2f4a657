// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/packet_pool.h"

#include <fmt/format.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_mbuf_pool_ops.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <filesystem>
#include <limits>

#include "base/error.h"
#include "base/process/container.h"
#include "base/units.h"
#include "memory/free_memory.h"

namespace packetwarp {
namespace {

// The descriptors that the process has and those of the hugepages of 2 MiB that so many bytes take.
[[nodiscard]] std::uint64_t descriptors_for(std::uint64_t bytes) {
  constexpr std::uint64_t page = 2U << 20;
  std::error_code unlisted;
  std::filesystem::directory_iterator const open{"/proc/self/fd", unlisted};
  auto const now = unlisted ? 0 : std::distance(begin(open), end(open));
  return static_cast<std::uint64_t>(now) + (bytes + page - 1) / page;
}

[[nodiscard]] std::uint64_t most_descriptors() {
  rlimit limit{};
  return rte_eal_has_hugepages() == 0 || ::getrlimit(RLIMIT_NOFILE, &limit) != 0
             ? std::numeric_limits<std::uint64_t>::max()
             : limit.rlim_cur;
}

[[nodiscard]] std::string why_not(packet_pool_config const& config, int error) {
  auto const asked =
      fmt::format("packet pool {} of {} packets x {} bytes", config.name, config.packets, config.data_room);
  // ENOBUFS: memory is free, but not in large enough pieces.
  if (error != ENOMEM && error != ENOBUFS) {
    return fmt::format("{} with caches of {}: the EAL refuses it: {}", asked, config.cache, rte_strerror(error));
  }
  auto const need = config.bytes();
  auto const descriptors = descriptors_for(need);
  if (need <= most_free_memory() && descriptors > most_descriptors()) {
    return fmt::format(
        "{} needs {}: the EAL holds a descriptor per hugepage, {} in all, and this process may have {}; "
        "give it more (ulimit -n {}, or LimitNOFILE of its systemd service), or larger hugepages",
        asked, format_size(need), descriptors, most_descriptors(), std::bit_ceil(descriptors));
  }
  if (auto const left = most_free_memory(); rte_eal_has_hugepages() == 0 && need > left) {
    return fmt::format(
        "{} needs {}, and the memory limit leaves {}; give {} more: {}, or ask for fewer pipelines, "
        "descriptors or a smaller ring",
        asked, format_size(need), format_size(left), format_size(need - left), memory_limit_name(find_surroundings()));
  }
  auto const remedy = rte_eal_has_hugepages() != 0
                          ? fmt::format("more hugepages (echo {} > /proc/sys/vm/nr_hugepages)", (need >> 21) + 64)
                          : fmt::format("the EAL more memory (-m {})", (need >> 20) + 128);
  return fmt::format(
      "{} needs {}, which is not free; give {}, or ask for fewer pipelines, descriptors or a smaller ring", asked,
      format_size(need), remedy);
}

// The distance between packets' rooms in GPU memory: each room starts on a line, if the mempool can express this.
[[nodiscard]] std::uint32_t gpu_stride(std::uint32_t data_room) {
  constexpr std::uint32_t line = 128, most = std::numeric_limits<std::uint16_t>::max();
  return std::min((RTE_PKTMBUF_HEADROOM + data_room + line - 1) / line * line, most);
}

// Works like rte_pktmbuf_pool_create(), except for a flag: without it DPDK gives each packet ordinary pages of its own,
// so that no packet lies across two. No DMA reaches packets on ordinary pages; net_af_xdp expects packets side by side,
// and loses packets that lie beyond the memory that it maps.
[[nodiscard]] rte_mempool* make_pool_on_ordinary_pages(packet_pool_config const& config) {
  rte_pktmbuf_pool_private room{};
  room.mbuf_data_room_size = static_cast<std::uint16_t>(config.data_room + RTE_PKTMBUF_HEADROOM);
  auto const element = static_cast<unsigned>(sizeof(rte_mbuf)) + room.mbuf_data_room_size;
  auto* const made = rte_mempool_create_empty(config.name.c_str(), config.packets, element, config.cache, sizeof room,
                                              config.socket, RTE_MEMPOOL_F_NO_IOVA_CONTIG);
  if (made == nullptr) return nullptr;
  rte_pktmbuf_pool_init(made, &room);
  int error = rte_mempool_set_ops_byname(made, rte_mbuf_best_mempool_ops(), nullptr);
  if (error == 0) error = std::min(rte_mempool_populate_default(made), 0);
  if (error != 0) {
    rte_mempool_free(made);
    rte_errno = -error;
    return nullptr;
  }
  rte_mempool_obj_iter(made, rte_pktmbuf_init, nullptr);
  return made;
}

[[nodiscard]] rte_mempool* make_host_pool(packet_pool_config const& config) {
  if (rte_eal_has_hugepages() == 0) return make_pool_on_ordinary_pages(config);
  return rte_pktmbuf_pool_create(config.name.c_str(), config.packets, config.cache, 0,
                                 static_cast<std::uint16_t>(config.data_room + RTE_PKTMBUF_HEADROOM), config.socket);
}

[[nodiscard]] rte_mempool* make_gpu_pool(packet_pool_config const& config, device_memory const& data) {
  // A port finds the memory that it maps for its DMA by address only.
  rte_pktmbuf_extmem const memory{.buf_ptr = data.data(),
                                  .buf_iova = RTE_BAD_IOVA,
                                  .buf_len = data.size(),
                                  .elt_size = static_cast<std::uint16_t>(gpu_stride(config.data_room))};
  return rte_pktmbuf_pool_create_extbuf(config.name.c_str(), config.packets, config.cache, 0,
                                        static_cast<std::uint16_t>(config.data_room + RTE_PKTMBUF_HEADROOM),
                                        config.socket, &memory, 1);
}

}  // namespace

std::uint64_t packet_pool_config::bytes() const {
  rte_mempool_objsz parts{};
  auto const behind = gpu < 0 ? RTE_PKTMBUF_HEADROOM + data_room : sizeof(rte_mbuf_ext_shared_info);
  auto const element = static_cast<std::uint32_t>(sizeof(rte_mbuf) + behind);
  return std::uint64_t{rte_mempool_calc_obj_size(element, 0, &parts)} * packets;
}

std::uint64_t packet_pool_config::gpu_bytes() const {
  if (gpu < 0) return 0;
  return (std::uint64_t{gpu_stride(data_room)} * packets + gpu_page - 1) / gpu_page * gpu_page;
}

packet_pool::packet_pool(packet_pool_config const& config) : config_{config} {
  // The EAL itself would first take all memory, page by page, and then give it back.
  if (config.bytes() > most_free_memory()) throw failure(why_not(config, ENOMEM));
  if (config.gpu >= 0) in_gpu_ = device_memory{config.gpu, config.gpu_bytes()};
  pool_.reset(config.gpu >= 0 ? make_gpu_pool(config, in_gpu_) : make_host_pool(config));
  if (!pool_) throw failure(why_not(config, rte_errno));
}

void packet_pool::announce() {
  if (in_gpu_.size() == 0 || known_) return;
  int const result = rte_extmem_register(in_gpu_.data(), in_gpu_.size(), nullptr, 0, gpu_page);
  if (result != 0) {
    throw failure(fmt::format("GPU {}: the EAL does not take {} of its memory at {}: {}", config_.gpu,
                              format_size(in_gpu_.size()), static_cast<void*>(in_gpu_.data()),
                              rte_strerror(rte_errno)));
  }
  known_ = {in_gpu_.data(), forget_memory{in_gpu_.size()}};
}

void forget_memory::operator()(std::byte* data) const { (void)rte_extmem_unregister(data, bytes); }

std::uint32_t packet_pool::available() const { return rte_mempool_avail_count(pool_.get()); }

}  // namespace packetwarp
