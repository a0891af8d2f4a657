// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/mlx5/software_hca.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "rdma/mlx5/hca_objects.h"

namespace packetwarp::rdma::test {
namespace {

[[nodiscard]] std::uint64_t load(std::uint64_t const* word) { return detail::load_before(*word, acquire_from_system); }

}  // namespace

std::uint32_t fabric::add(std::uint64_t address, std::uint64_t bytes, std::uint32_t rights) {
  std::lock_guard const lock{mutex};
  auto const key = static_cast<std::uint32_t>(regions.size() << 8 | 0x5a);
  regions.push_back({address, bytes, key, rights});
  return key;
}

void fabric::remove(std::uint32_t key) {
  std::lock_guard const lock{mutex};
  regions[key >> 8] = {};
}

software_hca::software_hca(fabric& network, hca_manner manner, wire::ipv4_address address)
    : network_{&network}, manner_{std::move(manner)}, address_{address}, records_(page_bytes / line_bytes) {
  for (auto const& name : manner_.names) {
    devices_.push_back(std::make_unique<ibv_device>());
    name.copy(devices_.back()->name, sizeof(ibv_device::name) - 1);
    list_.push_back(devices_.back().get());
  }
  list_.push_back(nullptr);
  thread_ = std::jthread{[this](std::stop_token const& asked) { run(asked); }};
}

software_hca::~software_hca() {
  thread_.request_stop();
  thread_.join();
  for (auto const& page : pages_) {
    ::munmap(page.at, page_bytes);
    ::close(page.file);
  }
}

void software_hca::refuse(std::string const& call, int error, int nth) {
  std::lock_guard const lock{mutex_};
  refusals_[call] = {error, nth};
}

bool software_hca::refused(std::string const& call) {
  auto const use = ++uses_[call];
  auto const found = refusals_.find(call);
  if (found == refusals_.end() || use < found->second.second) return false;
  errno = found->second.first;
  return true;
}

std::map<std::string, int> software_hca::held() const {
  std::lock_guard const lock{mutex_};
  auto left = held_;
  std::erase_if(left, [](auto const& one) { return one.second == 0; });
  return left;
}

std::vector<std::string> software_hca::violations() const {
  std::lock_guard const lock{mutex_};
  auto all = violations_;
  // Nothing but the first 8 bytes of a register is ever stored to.
  for (auto const& page : pages_) {
    for (std::size_t at = 0; at < page_bytes; ++at) {
      bool const is_doorbell = at >= first_register && (at - first_register) % register_bytes < sizeof(std::uint64_t) &&
                               at < first_register + registers_of_page * register_bytes;
      if (!is_doorbell && page.at[at] != std::byte{0}) all.push_back("a store beside the registers");
    }
  }
  return all;
}

engine_counters software_hca::counters() const {
  std::lock_guard const lock{mutex_};
  auto sum = past_;
  for (auto const* queue : queues_) {
    if (queue->engine) sum.add(queue->engine->counters());
  }
  return sum;
}

std::byte* software_hca::map_again(std::byte const* page) {
  std::lock_guard const lock{mutex_};
  auto const found = std::ranges::find_if(pages_, [&](auto const& one) { return one.at == page; });
  if (found == pages_.end()) return nullptr;
  return static_cast<std::byte*>(::mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, found->file, 0));
}

void software_hca::note_gpu_memory(std::byte* at, std::size_t bytes) {
  std::lock_guard const lock{mutex_};
  gpu_memory_.emplace_back(at, bytes);
}

void software_hca::must(bool holds, std::string const& sentence) {
  if (!holds) violations_.push_back(sentence);
}

void software_hca::gone(std::string const& kind) { must(--held_[kind] >= 0, kind + " destroyed twice"); }

std::byte* software_hca::allocate(std::size_t bytes) {
  auto const whole = (bytes + page_bytes - 1) / page_bytes * page_bytes;
  if (manner_.takes_allocators && allocators_.alloc != nullptr)
    return static_cast<std::byte*>(allocators_.alloc(whole, allocators_.data));
  return static_cast<std::byte*>(std::aligned_alloc(page_bytes, whole));
}

void software_hca::free(std::byte* at) {
  if (manner_.takes_allocators && allocators_.alloc != nullptr) {
    allocators_.free(at, allocators_.data);
  } else {
    std::free(at);
  }
}

// A page of records, each in a line of its own; it goes with the last of them.
std::uint32_t* software_hca::take_record() {
  if (record_page_ == nullptr) record_page_ = allocate(page_bytes);
  if (record_page_ == nullptr) return nullptr;
  auto const free = static_cast<std::size_t>(std::ranges::find(records_, false) - records_.begin());
  records_[free] = true;
  auto* const record = reinterpret_cast<std::uint32_t*>(record_page_ + free * line_bytes);
  record[0] = record[1] = 0;
  return record;
}

void software_hca::give_record(std::uint32_t* record) {
  records_[static_cast<std::size_t>(reinterpret_cast<std::byte*>(record) - record_page_) / line_bytes] = false;
  if (std::ranges::find(records_, true) != records_.end()) return;
  free(record_page_);
  record_page_ = nullptr;
}

std::uint64_t* software_hca::take_register() {
  auto const n = registers_++ % registers_of_page;
  if (n == 0) {
    int const file = ::memfd_create("registers", 0);
    must(::ftruncate(file, page_bytes) == 0, "no memory for registers");
    auto* const at = ::mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    pages_.push_back({file, static_cast<std::byte*>(at)});
  }
  return reinterpret_cast<std::uint64_t*>(pages_.back().at + first_register + n * register_bytes);
}

// A doorbell names the queue, an RDMA write, and an index that the record has reached.
bool software_hca::serve(queue_object& queue) {
  if (auto const stored = load(queue.doorbell); stored != queue.seen) {
    queue.seen = stored;
    auto const first = big(static_cast<std::uint32_t>(stored)), second = big(static_cast<std::uint32_t>(stored >> 32));
    must((first & 0xff) == opcode_rdma_write && second >> 8 == queue.qp_num,
         "a doorbell of another queue or operation");
    auto const record = big(detail::load_before(queue.record[1], acquire_from_system));
    auto const ahead = static_cast<std::uint16_t>(record - ((first >> 8) + 1));
    must(ahead <= queue.entries, "a doorbell ahead of its record");
    detail::store_after(queue.rung, stored, release_to_system);
  }
  std::lock_guard const lock{network_->mutex};
  auto const& regions = network_->regions;
  auto const done =
      queue.engine->serve(region_table_ref{regions.data(), static_cast<std::uint32_t>(regions.size())}, 256);
  if (queue.engine->in_error()) queue.now = IBV_QPS_ERR;
  return done != 0;
}

void software_hca::run(std::stop_token const& asked) {
  while (!asked.stop_requested()) {
    bool any = false;
    {
      std::lock_guard const lock{mutex_};
      for (auto* const queue : queues_) {
        if (queue->engine && !manner_.fails_silently) any = serve(*queue) || any;
      }
    }
    if (!any) detail::rest();
  }
}

}  // namespace packetwarp::rdma::test
