// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/record/ring_memory.h"

#include <span>

namespace packetwarp {

ring_memory::ring_memory(std::size_t pipelines, std::size_t ring_bytes, table_place place)
    : ring_bytes_{ring_bytes},
      rings_{{}, pipelines * ring_bytes},
      state_{place, pipelines * sizeof(ring_cursors)},
      known_lost_(pipelines) {
  if (place.gpu == table_place::host || pipelines == 0) return;
  std::span const memory{rings_.data(), rings_.size()};
  pin_ = place.domain != nullptr ? place.domain->driver().pin(memory)
                                 : memory_registration{place.gpu, memory.data(), memory.size()};
}

void ring_memory::free_before(std::size_t pipeline, std::uint64_t read) {
  if (state_.is_on_gpu()) {
    auto const at = pipeline * sizeof(ring_cursors) + offsetof(ring_cursors, read);
    (void)state_.write(at, std::as_bytes(std::span{&read, 1}));
  } else {
    ring_word{cursors(pipeline)->read}.store(read, cuda::memory_order_release);
  }
}

std::uint64_t ring_memory::lost() const {
  std::uint64_t all = 0;
  for (std::size_t n = 0; n < known_lost_.size(); ++n) {
    if (state_.is_on_gpu()) {
      ring_cursors seen{};
      auto const into = std::as_writable_bytes(std::span{&seen, 1});
      if (state_.read(n * sizeof seen, into) == copied::done) known_lost_[n] = seen.lost;
    } else {
      known_lost_[n] = ring_word{cursors(n)->lost}.load(cuda::memory_order_relaxed);
    }
    all += known_lost_[n];
  }
  return all;
}

void ring_memory::abandon() {
  rings_.abandon();
  pin_.abandon();
  state_.abandon();
}

}  // namespace packetwarp
