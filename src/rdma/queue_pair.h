// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "gpu/gpu.h"
#include "rdma/queue_pair_ref.h"

namespace packetwarp::rdma {

// The place of memory: pinned is host memory that GPUs access, too.
enum class memory_kind : std::uint8_t { host, pinned, device };

// Memory of one kind, aligned to a page; it starts as zeroes.
class placed_memory {
 public:
  placed_memory() = default;
  // gpu: for pinned and device. Throws failure.
  placed_memory(memory_kind kind, int gpu, std::size_t bytes);

  [[nodiscard]] std::byte* data() const { return data_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] memory_kind kind() const { return kind_; }
  // Copies in and out, for set-up and checks. Each throws failure.
  void write(std::size_t offset, std::span<std::byte const> from) const;
  void read(std::size_t offset, std::span<std::byte> into) const;
  // Leaves GPU memory to the process: a kernel that nothing can end may still use it.
  void abandon();

 private:
  struct release_aligned {
    void operator()(std::byte* memory) const;
  };
  memory_kind kind_{memory_kind::host};
  std::byte* data_{};
  std::size_t size_{};
  std::unique_ptr<std::byte, release_aligned> host_;
  pinned_memory pinned_;
  device_memory device_;
};

// Ends waits for completions of the queue whose cursors these are: its status becomes waited_too_long, unless it has an
// error. A kernel that waits sees it, too. Any thread. Throws failure if they are on a GPU that is lost.
void end_waits(placed_memory const& cursors);

struct queue_pair_settings {
  std::uint32_t size{};    // entries: a power of two, 1 to most_entries
  std::uint32_t number{};  // QPN
  memory_kind queue{memory_kind::host};
  memory_kind cursors{memory_kind::host};  // near to the posting threads
  int gpu{};
};

// The memory of a queue pair: send queue, completion queue, doorbell records, doorbell, cursors.
class queue_pair {
 public:
  // Throws usage_error for a size or number that is not allowed, failure for lack of memory.
  explicit queue_pair(queue_pair_settings const& settings);

  [[nodiscard]] queue_parts const& parts() const { return parts_; }
  [[nodiscard]] queue_pair_ref ref() const { return queue_pair_ref{parts_}; }
  [[nodiscard]] queue_cursors cursors() const;  // as they are now
  void end_waits() const { rdma::end_waits(cursors_); }
  void abandon();

 private:
  placed_memory queue_;
  placed_memory cursors_;
  queue_parts parts_{};
};

// "remote access error": for error lines.
[[nodiscard]] std::string_view to_string(work_status status);

}  // namespace packetwarp::rdma
