// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "base/host_device.h"

// Words of the stage's tables, which threads of the CPU, or of one GPU, read and change side by side. A table is never
// used by both at once.
namespace packetwarp::inspection_parts {

template <class Word>
using shared_word = cuda::atomic_ref<Word, cuda::thread_scope_device>;

template <class Word>
[[nodiscard]] HOST_DEVICE inline Word load(Word& word) {
  return shared_word<Word>{word}.load(cuda::memory_order_relaxed);
}
template <class Word>
HOST_DEVICE inline void store(Word& word, Word value) {
  shared_word<Word>{word}.store(value, cuda::memory_order_relaxed);
}
template <class Word>
HOST_DEVICE inline void add(Word& word, Word amount) {
  shared_word<Word>{word}.fetch_add(amount, cuda::memory_order_relaxed);
}
// Whether the word was `wanted` and is now `value`.
template <class Word>
[[nodiscard]] HOST_DEVICE inline bool replace(Word& word, Word wanted, Word value) {
  return shared_word<Word>{word}.compare_exchange_strong(wanted, value, cuda::memory_order_acq_rel,
                                                         cuda::memory_order_relaxed);
}

// The places of a key: the words of one line. A word is a record as a whole, so it is changed by one exchange, and is
// never seen half changed.
inline constexpr std::uint32_t line_words = 8;

}  // namespace packetwarp::inspection_parts
