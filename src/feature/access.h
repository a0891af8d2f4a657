// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "base/host_device.h"

// Accesses to words of a state table. The threads of a CPU work with a table at a time, or all threads of one GPU, and
// never both.
namespace packetwarp::feature {

#if defined(__CUDA_ARCH__)
inline constexpr auto table_scope = cuda::thread_scope_device;
#else
inline constexpr auto table_scope = cuda::thread_scope_system;
#endif

template <class Word>
[[nodiscard]] HOST_DEVICE inline cuda::atomic_ref<Word, table_scope> shared(Word& word) {
  return cuda::atomic_ref<Word, table_scope>{word};
}

template <class Word>
[[nodiscard]] HOST_DEVICE inline Word load(Word& word) {
  return shared(word).load(cuda::memory_order_relaxed);
}

// Writes before a releasing store are seen after this load of its value.
template <class Word>
[[nodiscard]] HOST_DEVICE inline Word load_acquire(Word& word) {
  return shared(word).load(cuda::memory_order_acquire);
}

template <class Word>
HOST_DEVICE inline void store(Word& word, Word value) {
  shared(word).store(value, cuda::memory_order_relaxed);
}
template <class Word>
HOST_DEVICE inline void store_release(Word& word, Word value) {
  shared(word).store(value, cuda::memory_order_release);
}

// The word before; it is `wanted` exactly if it was replaced.
template <class Word>
HOST_DEVICE inline Word compare_exchange(Word& word, Word wanted, Word value) {
  shared(word).compare_exchange_strong(wanted, value, cuda::memory_order_acq_rel, cuda::memory_order_acquire);
  return wanted;
}
// As compare_exchange(), and orders nothing.
template <class Word>
HOST_DEVICE inline Word compare_exchange_relaxed(Word& word, Word wanted, Word value) {
  shared(word).compare_exchange_strong(wanted, value, cuda::memory_order_relaxed, cuda::memory_order_relaxed);
  return wanted;
}

// The word before.
template <class Word>
HOST_DEVICE inline Word add(Word& word, Word amount) {
  return shared(word).fetch_add(amount, cuda::memory_order_relaxed);
}

// Counts one more.
HOST_DEVICE inline void count(std::uint64_t& word) { (void)add(word, std::uint64_t{1}); }

// Two neighbouring words, aligned to both, by one access of a GPU.
struct two_loads {
  std::uint64_t first;
  std::uint64_t second;
};
[[nodiscard]] HOST_DEVICE inline two_loads load_two(std::uint64_t const* words) {
#if defined(__CUDA_ARCH__)
  two_loads found;
  asm volatile("ld.relaxed.gpu.v2.u64 {%0, %1}, [%2];" : "=l"(found.first), "=l"(found.second) : "l"(words) : "memory");
  return found;
#else
  auto* const place = const_cast<std::uint64_t*>(words);
  return {load(place[0]), load(place[1])};
#endif
}

// Orders the loads of a thread before its later accesses, as if each of them had been load_acquire().
HOST_DEVICE inline void acquire_loaded() { cuda::atomic_thread_fence(cuda::memory_order_acquire, table_scope); }
// The next stores are store_release().
HOST_DEVICE inline void release_stored() { cuda::atomic_thread_fence(cuda::memory_order_release, table_scope); }

// Most packets change nothing: a load is cheaper than an atomic operation. seen: the word as loaded before.
template <class Word>
HOST_DEVICE inline void raise(Word& word, Word seen, Word value) {
#if defined(__CUDA_ARCH__)
  if (seen < value) shared(word).fetch_max(value, cuda::memory_order_relaxed);
#else
  while (seen < value && !shared(word).compare_exchange_weak(seen, value, cuda::memory_order_relaxed)) {
  }
#endif
}

// The word before, or one that has the bits.
template <class Word>
HOST_DEVICE inline Word include(Word& word, Word seen, Word bits) {
  if ((seen & bits) == bits) return seen;
  return shared(word).fetch_or(bits, cuda::memory_order_relaxed);
}

template <class Word>
HOST_DEVICE inline Word include(Word& word, Word bits) {
  return include(word, load(word), bits);
}

}  // namespace packetwarp::feature
