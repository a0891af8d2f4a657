// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "gpu/domain.h"
#include "gpu/gpu.h"

namespace packetwarp {

// The place of a function's tables: the host's memory, or a GPU's.
struct table_place {
  static constexpr int host = -1;
  int gpu{host};
  gpu_domain* domain{};  // that GPU's domain, which outlives the memory; nullptr: copies block, and throw if they fail
};

// The GPUs that have copies of a function's tables, in the order of the plan's; empty: only the host has the tables.
class table_places {
 public:
  table_places() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): one place is the usual case
  table_places(table_place one) {
    if (one.gpu != table_place::host) gpus_.push_back(one);
  }
  explicit table_places(std::vector<table_place> gpus) : gpus_{std::move(gpus)} {}

  [[nodiscard]] auto begin() const { return gpus_.begin(); }
  [[nodiscard]] auto end() const { return gpus_.end(); }
  [[nodiscard]] std::size_t size() const { return gpus_.size(); }
  [[nodiscard]] bool empty() const { return gpus_.empty(); }

 private:
  std::vector<table_place> gpus_;
};

// When the kernel gives the pages of a table in the host's memory: before the first packet, because packets write to
// it, and one that waits for a page holds up those after it; or when the master writes to them.
enum class table_pages : std::uint8_t { at_start, when_written };

// Memory of a function's tables, in the place where its executor reaches them fast; starts as zeroes. The owner of a
// table fills it by write() in any place; on the host, it may use data() as well. Throws failure if the memory is not
// available, and usage_error if the control group's limit is too small for it.
class table_memory {
 public:
  table_memory() = default;
  // Uses pages of 2 MiB if the machine has them: tables are read at random.
  table_memory(table_place place, std::size_t bytes, table_pages given = table_pages::at_start);

  // The memory's address for the executor; the CPU may use it only on the host.
  [[nodiscard]] std::byte* data() const;
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool is_on_gpu() const {
    return std::holds_alternative<device_memory>(memory_) || std::holds_alternative<domain_memory>(memory_);
  }

  // Writes while executors run: they see an aligned word of up to eight bytes whole, old or new. Blocks, on a GPU no
  // longer than its domain's patience. Data written to a lost GPU is gone, and is never read.
  copied write(std::size_t offset, std::span<std::byte const> from);
  [[nodiscard]] copied read(std::size_t offset, std::span<std::byte> into) const;
  // Leaves the memory to the process: a kernel that nothing can end may still use it.
  void abandon();

 private:
  struct unmap {
    std::size_t bytes;
    void operator()(std::byte* memory) const;
  };
  using host_memory = std::unique_ptr<std::byte, unmap>;
  struct free_on_gpu {
    gpu_domain* domain;
    void operator()(std::byte* memory) const { domain->driver().free(memory); }
  };
  using domain_memory = std::unique_ptr<std::byte, free_on_gpu>;
  std::variant<std::monostate, host_memory, device_memory, domain_memory> memory_;
  std::size_t size_{};
};

}  // namespace packetwarp
