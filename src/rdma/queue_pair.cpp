// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/queue_pair.h"

#include <cuda/atomic>
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "base/error.h"
#include "base/units.h"

namespace packetwarp::rdma {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t line = 64;

// Offsets of the parts of a queue's memory.
struct queue_layout {
  explicit queue_layout(std::uint32_t size) : completions{std::size_t{size} * sizeof(work_queue_entry)} {
    records = completions + std::size_t{size} * sizeof(completion_entry);
    doorbell = records + 2 * line;
    bytes = doorbell + line;
  }
  std::size_t completions;
  std::size_t records;  // of the send queue, then of the completion queue
  std::size_t doorbell;
  std::size_t bytes;
};

void check(queue_pair_settings const& settings) {
  if (!std::has_single_bit(settings.size) || settings.size > most_entries)
    throw usage_error(fmt::format("rdma: a queue of {} entries is not possible; give a power of two up to {}",
                                  settings.size, most_entries));
  if (settings.number > most_queue_number)
    throw usage_error(fmt::format("rdma: queue number {} has more than 24 bits", settings.number));
}

}  // namespace

void placed_memory::release_aligned::operator()(std::byte* memory) const { std::free(memory); }

placed_memory::placed_memory(memory_kind kind, int gpu, std::size_t bytes) : kind_{kind}, size_{bytes} {
  switch (kind) {
    case memory_kind::host: {
      host_.reset(static_cast<std::byte*>(std::aligned_alloc(page, (bytes + page - 1) / page * page)));
      if (!host_)
        throw failure(fmt::format("rdma: {} of memory are needed, and the system has less", format_size(bytes)));
      data_ = host_.get();
      std::memset(data_, 0, bytes);
      break;
    }
    case memory_kind::pinned:
      pinned_ = pinned_memory{gpu, bytes};
      data_ = pinned_.bytes().data();
      break;
    case memory_kind::device:
      device_ = device_memory{gpu, bytes};
      data_ = device_.data();
      break;
  }
}

void placed_memory::write(std::size_t offset, std::span<std::byte const> from) const {
  if (kind_ == memory_kind::device) {
    device_.write(offset, from);
  } else {
    std::memcpy(data_ + offset, from.data(), from.size());
  }
}

void placed_memory::read(std::size_t offset, std::span<std::byte> into) const {
  if (kind_ == memory_kind::device) {
    device_.read(offset, into);
  } else {
    std::memcpy(into.data(), data_ + offset, into.size());
  }
}

void placed_memory::abandon() {
  pinned_.abandon();
  device_.abandon();
}

void end_waits(placed_memory const& cursors) {
  auto none = static_cast<std::uint32_t>(work_status::done);
  constexpr auto late = static_cast<std::uint32_t>(work_status::waited_too_long);
  if (cursors.kind() != memory_kind::device) {
    auto& status = reinterpret_cast<queue_cursors*>(cursors.data())->status;
    cuda::atomic_ref<std::uint32_t, cuda::thread_scope_system>{status}.compare_exchange_strong(none, late);
    return;
  }
  // An error that the kernel notes between both copies is lost: the waits end in any case.
  constexpr auto at = offsetof(queue_cursors, status);
  std::uint32_t now{};
  cursors.read(at, std::as_writable_bytes(std::span{&now, 1}));
  if (now == none) cursors.write(at, std::as_bytes(std::span{&late, 1}));
}

queue_pair::queue_pair(queue_pair_settings const& settings) {
  check(settings);
  queue_layout const layout{settings.size};
  queue_ = placed_memory{settings.queue, settings.gpu, layout.bytes};
  cursors_ = placed_memory{settings.cursors, settings.gpu, sizeof(queue_cursors)};
  // No CQE is valid yet.
  std::vector<completion_entry> invalid(settings.size);
  for (auto& entry : invalid) entry.tail = std::uint64_t{completion_invalid} << 60;
  queue_.write(layout.completions, std::as_bytes(std::span{invalid}));
  auto* const base = queue_.data();
  auto* const records = reinterpret_cast<std::uint32_t*>(base + layout.records);
  parts_ = {.entries = reinterpret_cast<work_queue_entry*>(base),
            .completions = reinterpret_cast<completion_entry*>(base + layout.completions),
            .send_record = records + 1,  // the first word would be a receive queue's
            .completion_record = records + line / sizeof *records,
            .doorbell = reinterpret_cast<std::uint64_t*>(base + layout.doorbell),
            .cursors = reinterpret_cast<queue_cursors*>(cursors_.data()),
            .size = settings.size,
            .number = settings.number};
}

queue_cursors queue_pair::cursors() const {
  queue_cursors now{};
  cursors_.read(0, std::as_writable_bytes(std::span{&now, 1}));
  return now;
}

void queue_pair::abandon() {
  queue_.abandon();
  cursors_.abandon();
}

std::string_view to_string(work_status status) {
  switch (status) {
    case work_status::done:
      return "done";
    case work_status::local_length_error:
      return "local length error";
    case work_status::local_operation_error:
      return "local QP operation error";
    case work_status::local_protection_error:
      return "local protection error";
    case work_status::flushed:
      return "flushed after an error";
    case work_status::remote_invalid_request:
      return "remote invalid request error";
    case work_status::remote_access_error:
      return "remote access error";
    case work_status::remote_operation_error:
      return "remote operation error";
    case work_status::transport_retries_exceeded:
      return "the peer did not answer, or packets were lost, until the last retry: transport retries exceeded";
    case work_status::rnr_retries_exceeded:
      return "the peer was not ready: RNR retries exceeded";
    case work_status::waited_too_long:
      return "no completion came in time";
  }
  return "unknown syndrome";
}

}  // namespace packetwarp::rdma
