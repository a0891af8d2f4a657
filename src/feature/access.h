// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "base/host_device.h"

// Accesses to words of a state table. On a CPU one thread at a time works with a table, so that plain operations do; on
// a GPU all threads of one device do, and the operations are atomic there. A table is never used by both at once.
namespace packetwarp::feature {

#if defined(__CUDA_ARCH__)
template <class Word>
[[nodiscard]] __device__ cuda::atomic_ref<Word, cuda::thread_scope_device> shared(Word& word) {
  return cuda::atomic_ref<Word, cuda::thread_scope_device>{word};
}
#endif

template <class Word>
[[nodiscard]] HOST_DEVICE inline Word load(Word& word) {
#if defined(__CUDA_ARCH__)
  return shared(word).load(cuda::memory_order_relaxed);
#else
  return word;
#endif
}

// Writes before a releasing store are seen after this load of its value.
template <class Word>
[[nodiscard]] HOST_DEVICE inline Word load_acquire(Word& word) {
#if defined(__CUDA_ARCH__)
  return shared(word).load(cuda::memory_order_acquire);
#else
  return word;
#endif
}

template <class Word>
HOST_DEVICE inline void store_release(Word& word, Word value) {
#if defined(__CUDA_ARCH__)
  shared(word).store(value, cuda::memory_order_release);
#else
  word = value;
#endif
}

// The word before; it is `wanted` exactly if it was replaced.
template <class Word>
HOST_DEVICE inline Word compare_exchange(Word& word, Word wanted, Word value) {
#if defined(__CUDA_ARCH__)
  shared(word).compare_exchange_strong(wanted, value, cuda::memory_order_acq_rel, cuda::memory_order_acquire);
  return wanted;
#else
  auto const before = word;
  if (before == wanted) word = value;
  return before;
#endif
}

// The word before.
template <class Word>
HOST_DEVICE inline Word add(Word& word, Word amount) {
#if defined(__CUDA_ARCH__)
  return shared(word).fetch_add(amount, cuda::memory_order_relaxed);
#else
  auto const before = word;
  word = static_cast<Word>(before + amount);
  return before;
#endif
}

// Counts one more, in a word that other threads of the CPU may read meanwhile.
HOST_DEVICE inline void count(std::uint64_t& word) {
#if defined(__CUDA_ARCH__)
  shared(word).fetch_add(1, cuda::memory_order_relaxed);
#else
  cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system> const counter{word};
  counter.store(counter.load(cuda::memory_order_relaxed) + 1, cuda::memory_order_relaxed);
#endif
}

// Two neighbouring words, aligned to both, by one access.
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
  return {words[0], words[1]};
#endif
}

// Orders the loads of a thread before its later accesses, as if each of them had been load_acquire().
HOST_DEVICE inline void acquire_loaded() {
#if defined(__CUDA_ARCH__)
  cuda::atomic_thread_fence(cuda::memory_order_acquire, cuda::thread_scope_device);
#endif
}
// The next stores are store_release().
HOST_DEVICE inline void release_stored() {
#if defined(__CUDA_ARCH__)
  cuda::atomic_thread_fence(cuda::memory_order_release, cuda::thread_scope_device);
#endif
}
template <class Word>
HOST_DEVICE inline void store(Word& word, Word value) {
#if defined(__CUDA_ARCH__)
  shared(word).store(value, cuda::memory_order_relaxed);
#else
  word = value;
#endif
}
// As compare_exchange(), and orders nothing.
template <class Word>
HOST_DEVICE inline Word compare_exchange_relaxed(Word& word, Word wanted, Word value) {
#if defined(__CUDA_ARCH__)
  shared(word).compare_exchange_strong(wanted, value, cuda::memory_order_relaxed, cuda::memory_order_relaxed);
  return wanted;
#else
  return compare_exchange(word, wanted, value);
#endif
}

// Most packets change nothing: a load is cheaper than an atomic operation. seen: the word as loaded before.
template <class Word>
HOST_DEVICE inline void raise(Word& word, Word seen, Word value) {
  if (seen >= value) return;
#if defined(__CUDA_ARCH__)
  shared(word).fetch_max(value, cuda::memory_order_relaxed);
#else
  word = value;
#endif
}

// The word before, or one that has the bits.
template <class Word>
HOST_DEVICE inline Word include(Word& word, Word seen, Word bits) {
  if ((seen & bits) == bits) return seen;
#if defined(__CUDA_ARCH__)
  return shared(word).fetch_or(bits, cuda::memory_order_relaxed);
#else
  word |= bits;
  return seen;
#endif
}

template <class Word>
HOST_DEVICE inline Word include(Word& word, Word bits) {
  return include(word, load(word), bits);
}

}  // namespace packetwarp::feature
