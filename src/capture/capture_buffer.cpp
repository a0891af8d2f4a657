// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "capture/capture_buffer.h"

#include <fmt/format.h>
#include <rte_mbuf.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/thread/thread_sanitizer.h"
#include "base/units.h"

namespace packetwarp {
namespace {

constexpr std::size_t head_bytes = sizeof(void*) + sizeof(captured_packet);
constexpr std::size_t data_bytes = capture_buffer::chunk_bytes - head_bytes;
constexpr std::size_t most_chunks = (capture_buffer::longest + data_bytes - 1) / data_bytes;

// See isolated_ring_source::dequeue(): DPDK's rings order their threads in a way that ThreadSanitizer does not know.
[[gnu::no_sanitize_thread]] unsigned dequeue(rte_ring& ring, void** into, unsigned count) {
  return rte_ring_dequeue_bulk(&ring, into, count, nullptr);
}
[[gnu::no_sanitize_thread]] void enqueue(rte_ring& ring, void* one) { (void)rte_ring_enqueue(&ring, one); }

}  // namespace

// A packet has as many chunks as its bytes need; the first chunk has the facts about it.
struct capture_buffer::chunk {
  chunk* next;
  captured_packet about;
  std::array<std::byte, data_bytes> data;
};

capture_buffer::reader::reader(chunk const& first) : at_{&first}, left_{first.about.captured} {}

std::span<std::byte const> capture_buffer::reader::next() {
  auto const n = std::min<std::size_t>(left_, data_bytes);
  if (n == 0) return {};
  std::span<std::byte const> const some{at_->data.data(), n};
  left_ -= static_cast<std::uint32_t>(n);
  at_ = at_->next;
  return some;
}

void capture_buffer::free_memory::operator()(void* memory) const { std::free(memory); }

capture_buffer::ring_memory capture_buffer::make_ring(char const* name, std::size_t chunks) {
  auto const count = static_cast<unsigned>(chunks);
  auto const size = static_cast<std::size_t>(rte_ring_get_memsize(count));
  ring_memory made{static_cast<rte_ring*>(std::aligned_alloc(RTE_CACHE_LINE_SIZE, size))};
  // A thread that is interrupted in a ring holds up no other, unless the others get ahead of it by an eighth of the
  // ring.
  constexpr unsigned flags = RING_F_MP_RTS_ENQ | RING_F_MC_RTS_DEQ;
  if (!made || rte_ring_init(made.get(), name, count, flags) != 0) {
    throw failure("capture: no memory for another ring; give a smaller --buffer");
  }
  return made;
}

capture_buffer::capture_buffer(std::size_t bytes)
    : chunks_{std::bit_ceil(std::max(bytes / chunk_bytes, 2 * most_chunks))},
      memory_{static_cast<chunk*>(std::aligned_alloc(RTE_CACHE_LINE_SIZE, chunks_ * sizeof(chunk)))} {
  static_assert(sizeof(chunk) == chunk_bytes);
  if (!memory_) {
    throw failure(fmt::format("capture: no {} of memory for packets; give a smaller --buffer",
                              format_size(chunks_ * sizeof(chunk))));
  }
  // A ring holds one less than its size.
  free_ = make_ring("capture_free", 2 * chunks_);
  filled_ = make_ring("capture_filled", 2 * chunks_);
}

void capture_buffer::fault_in() {
  std::memset(static_cast<void*>(memory_.get()), 0, chunks_ * sizeof(chunk));
  for (std::size_t i = 0; i < chunks_; ++i) {
    auto* one = memory_.get() + i;
    hand_over(std::span{&one, 1});
    enqueue(*free_, one);
  }
}

void capture_buffer::release() {
  filled_.reset();
  free_.reset();
  memory_.reset();
}

bool capture_buffer::put(captured_packet const& about, rte_mbuf const& packet) {
  auto const wanted = std::max<std::size_t>((about.captured + data_bytes - 1) / data_bytes, 1);
  std::array<void*, most_chunks> taken;
  if (wanted > taken.size() || dequeue(*free_, taken.data(), static_cast<unsigned>(wanted)) == 0) return false;
  auto const chunks = std::span{reinterpret_cast<chunk**>(taken.data()), wanted};
  take_over(chunks);
  std::uint32_t done = 0;
  for (std::size_t i = 0; i < wanted; ++i) {
    auto& one = *chunks[i];
    one.next = i + 1 < wanted ? chunks[i + 1] : nullptr;
    auto const n = std::min(about.captured - done, static_cast<std::uint32_t>(data_bytes));
    // Points to the bytes in the packet, or to a copy made of several segments.
    auto const* const bytes = n == 0 ? nullptr : rte_pktmbuf_read(&packet, done, n, one.data.data());
    if (bytes != nullptr && bytes != one.data.data()) std::memcpy(one.data.data(), bytes, n);
    done += n;
  }
  chunks[0]->about = about;
  hand_over(chunks);
  enqueue(*filled_, chunks[0]);
  return true;
}

capture_buffer::chunk* capture_buffer::next() {
  void* first = nullptr;
  if (dequeue(*filled_, &first, 1) == 0) return nullptr;
  for (auto* one = static_cast<chunk*>(first); one != nullptr; one = one->next) take_over(std::span{&one, 1});
  return static_cast<chunk*>(first);
}

captured_packet const& capture_buffer::about(chunk const& first) { return first.about; }

void capture_buffer::give_back(chunk& first) {
  for (auto* one = &first; one != nullptr;) {
    auto* const next = one->next;
    hand_over(std::span{&one, 1});
    enqueue(*free_, one);
    one = next;
  }
}

}  // namespace packetwarp
