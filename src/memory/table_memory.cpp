// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/table_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/error.h"
#include "base/process/container.h"
#include "base/units.h"

namespace packetwarp {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20;

[[nodiscard]] std::size_t up_to_pages(std::size_t bytes) { return (bytes + huge_page - 1) / huge_page * huge_page; }

[[noreturn]] void refuse(std::size_t bytes, int error) {
  throw failure(fmt::format("tables: {} of memory could not be had: {}; give smaller tables or more memory",
                            format_size(bytes), std::strerror(error)));
}

[[nodiscard]] std::byte* map(std::size_t bytes) {
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) refuse(bytes, errno);
  return static_cast<std::byte*>(memory);
}

// The kernel kills a process that touches more than its control groups allow, without a line. The rest is for the
// kernel's page tables and for the program.
void require_within_limit(std::size_t bytes) {
  constexpr std::uint64_t rest = std::uint64_t{16} << 20;
  auto const left = memory_left();
  if (!left || bytes + rest <= *left) return;
  throw usage_error(
      fmt::format("tables: {} of memory needed, and the memory limit leaves {}; give smaller tables, or "
                  "{} more: {}",
                  format_size(bytes), format_size(*left), format_size(bytes + rest - *left),
                  memory_limit_name(find_surroundings())));
}

// Has the kernel give all pages now. Memory that is not there is then missed at the start, and not under load.
void populate(std::byte* memory, std::size_t bytes) {
  if (::madvise(memory, bytes, MADV_POPULATE_WRITE) == 0) return;
  if (errno != EINVAL) refuse(bytes, errno);
  constexpr std::size_t small_page = 4096;  // Linux before 5.14 has no such call
  for (std::size_t at = 0; at < bytes; at += small_page) *reinterpret_cast<std::byte volatile*>(memory + at) = {};
}

// Maps whole huge pages: in a mapping at an arbitrary address the kernel uses none for the first and the last two MiB,
// and each read of a table that every packet reads at another place then needs a page walk.
[[nodiscard]] std::byte* map_huge(std::size_t bytes) {
  auto* const begin = map(bytes + huge_page);
  auto const skipped = up_to_pages(reinterpret_cast<std::uintptr_t>(begin)) - reinterpret_cast<std::uintptr_t>(begin);
  if (skipped != 0) (void)::munmap(begin, skipped);
  if (skipped != huge_page) (void)::munmap(begin + skipped + bytes, huge_page - skipped);
  // The call is only advice: smaller pages work as well, but slower.
  (void)::madvise(begin + skipped, bytes, MADV_HUGEPAGE);
  return begin + skipped;
}

// Copies word by word, so that concurrent readers see each word old or new. memcpy does not promise this.
void copy_words(std::byte* to, std::byte const* from, std::size_t bytes) {
  while (bytes != 0) {
    bool const whole = bytes >= 8 && reinterpret_cast<std::uintptr_t>(to) % 8 == 0;
    bool const half = bytes >= 4 && reinterpret_cast<std::uintptr_t>(to) % 4 == 0;
    std::size_t const step = whole ? 8 : half ? 4 : 1;
    if (whole) {
      std::uint64_t word = 0;
      std::memcpy(&word, from, sizeof word);
      __atomic_store_n(reinterpret_cast<std::uint64_t*>(to), word, __ATOMIC_RELAXED);
    } else if (half) {
      std::uint32_t word = 0;
      std::memcpy(&word, from, sizeof word);
      __atomic_store_n(reinterpret_cast<std::uint32_t*>(to), word, __ATOMIC_RELAXED);
    } else {
      *to = *from;
    }
    to += step;
    from += step;
    bytes -= step;
  }
}

}  // namespace

void table_memory::unmap::operator()(std::byte* memory) const { ::munmap(memory, bytes); }

table_memory::table_memory(table_place place, std::size_t bytes, table_pages given) : size_{bytes} {
  auto const at_least = std::max<std::size_t>(bytes, 1);
  if (place.gpu == table_place::host) {
    // Below a quarter of a huge page, the table has only a few small pages.
    bool const is_large = at_least >= huge_page / 4;
    auto const mapped = is_large ? up_to_pages(at_least) : at_least;
    if (is_large && given == table_pages::at_start) require_within_limit(mapped);
    host_memory made{is_large ? map_huge(mapped) : map(mapped), unmap{mapped}};
    if (given == table_pages::at_start) populate(made.get(), mapped);
    memory_ = std::move(made);
  } else if (place.domain != nullptr) {
    memory_ = domain_memory{place.domain->driver().allocate(at_least), free_on_gpu{place.domain}};
  } else {
    memory_ = device_memory{place.gpu, at_least};
  }
}

std::byte* table_memory::data() const {
  if (auto const* const gpu = std::get_if<device_memory>(&memory_)) return gpu->data();
  if (auto const* const host = std::get_if<host_memory>(&memory_)) return host->get();
  if (auto const* const there = std::get_if<domain_memory>(&memory_)) return there->get();
  return nullptr;
}

copied table_memory::write(std::size_t offset, std::span<std::byte const> from) {
  if (auto const* const there = std::get_if<domain_memory>(&memory_)) {
    return there->get_deleter().domain->write(there->get() + offset, from);
  }
  if (auto const* const gpu = std::get_if<device_memory>(&memory_)) {
    gpu->write(offset, from);
  } else {
    copy_words(data() + offset, from.data(), from.size());
  }
  return copied::done;
}

copied table_memory::read(std::size_t offset, std::span<std::byte> into) const {
  if (auto const* const there = std::get_if<domain_memory>(&memory_)) {
    return there->get_deleter().domain->read(there->get() + offset, into);
  }
  if (auto const* const gpu = std::get_if<device_memory>(&memory_)) {
    gpu->read(offset, into);
  } else {
    std::copy_n(data() + offset, into.size(), into.begin());
  }
  return copied::done;
}

void table_memory::abandon() {
  if (auto* const gpu = std::get_if<device_memory>(&memory_)) gpu->abandon();
  if (auto* const host = std::get_if<host_memory>(&memory_)) (void)host->release();
  if (auto* const there = std::get_if<domain_memory>(&memory_)) (void)there->release();
}

}  // namespace packetwarp
