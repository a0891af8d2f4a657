// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <cstdint>

#include "base/host_device.h"

// Words of a table that many threads change at once: threads of the host, or threads of one GPU.
namespace packetwarp::nat {

template <class Word>
using shared_word = cuda::atomic_ref<Word, cuda::thread_scope_device>;

template <class Word>
[[nodiscard]] HOST_DEVICE shared_word<Word> shared(Word const& word) {
  return shared_word<Word>{const_cast<Word&>(word)};
}

// Loads a word that leads to other words, which were written before it. On a GPU the dependence of their address on the
// word orders the loads.
template <class Word>
[[nodiscard]] HOST_DEVICE Word load_leading(Word const& word) {
#if defined(__CUDA_ARCH__)
  return shared(word).load(cuda::memory_order_relaxed);
#else
  return shared(word).load(cuda::memory_order_acquire);
#endif
}

// A word that only the control thread writes. On a GPU it is an ordinary access: a thread that works on a burst sees
// every write that was made before the burst was submitted.
template <class Word>
[[nodiscard]] HOST_DEVICE Word load_settled(Word const& word) {
#if defined(__CUDA_ARCH__)
  return word;
#else
  return shared(word).load(cuda::memory_order_acquire);
#endif
}

struct word_pair {
  std::uint64_t first;
  std::uint64_t second;
};

// Two words that lie in 16 aligned bytes, each of them whole; on a GPU it is one access, past the first-level cache.
[[nodiscard]] HOST_DEVICE inline word_pair load_pair(std::uint64_t const* at) {
#if defined(__CUDA_ARCH__)
  auto const both = __ldcg(reinterpret_cast<ulonglong2 const*>(at));
  return {both.x, both.y};
#else
  return {load_leading(at[0]), load_leading(at[1])};
#endif
}

// Stores two words that lie in 16 aligned bytes, for load_pair(): each word whole on a CPU, both at once on a GPU.
HOST_DEVICE inline void store_pair(std::uint64_t* at, word_pair pair) {
#if defined(__CUDA_ARCH__)
  __stcg(reinterpret_cast<ulonglong2*>(at), make_ulonglong2(pair.first, pair.second));
#else
  shared(at[0]).store(pair.first, cuda::memory_order_release);
  shared(at[1]).store(pair.second, cuda::memory_order_release);
#endif
}

// Murmur3's finaliser (Appleby): every bit of a key changes half of the bits of its hash. Any host can compute words
// that collide, so tables that strangers fill use mix() with a hash_key instead.
[[nodiscard]] HOST_DEVICE constexpr std::uint64_t mix(std::uint64_t key) {
  key = (key ^ key >> 33) * 0xff51'afd7'ed55'8ccdULL;
  key = (key ^ key >> 33) * 0xc4ce'b9fe'1a85'ec53ULL;
  return key ^ key >> 33;
}

}  // namespace packetwarp::nat
