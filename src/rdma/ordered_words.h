// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda/atomic>

#include <chrono>
#include <cstdint>
#include <thread>

#include "base/host_device.h"
#include "rdma/mlx5_format.h"

// Loads and stores of the words that posters and engines share, in the order that they need.
namespace packetwarp::rdma {

struct ordering {
  cuda::memory_order order;
  cuda::thread_scope scope;
};
inline constexpr ordering release_to_system{cuda::memory_order_release, cuda::thread_scope_system};
inline constexpr ordering release_to_device{cuda::memory_order_release, cuda::thread_scope_device};
inline constexpr ordering acquire_from_system{cuda::memory_order_acquire, cuda::thread_scope_system};
inline constexpr ordering acquire_from_device{cuda::memory_order_acquire, cuda::thread_scope_device};

namespace detail {

template <class T>
[[nodiscard]] HOST_DEVICE T load(T const& word) {
  return cuda::atomic_ref<T, cuda::thread_scope_system>{const_cast<T&>(word)}.load(cuda::memory_order_relaxed);
}
template <class T>
HOST_DEVICE void store(T& word, T value) {
  cuda::atomic_ref<T, cuda::thread_scope_system>{word}.store(value, cuda::memory_order_relaxed);
}
// A store after all earlier stores of the calling thread, and those it has synchronized with. A GPU's fence has the
// scope that is asked for; a CPU has one scope.
template <class T>
HOST_DEVICE void store_after(T& word, T value, ordering how) {
#if defined(__CUDA_ARCH__)
  if (how.order != cuda::memory_order_relaxed) cuda::atomic_thread_fence(how.order, how.scope);
  store(word, value);
#else
  cuda::atomic_ref<T, cuda::thread_scope_system>{word}.store(value, how.order);
#endif
}
// A load before all later loads and stores of the calling thread, from the whole system's memory.
template <class T>
[[nodiscard]] HOST_DEVICE T load_acquire(T const& word) {
  return cuda::atomic_ref<T, cuda::thread_scope_system>{const_cast<T&>(word)}.load(cuda::memory_order_acquire);
}
// A load before all later loads of the calling thread. On a GPU, load_fence() must follow before they are used.
template <class T>
[[nodiscard]] HOST_DEVICE T load_before(T const& word, [[maybe_unused]] ordering how) {
#if defined(__CUDA_ARCH__)
  return load(word);
#else
  return cuda::atomic_ref<T, cuda::thread_scope_system>{const_cast<T&>(word)}.load(how.order);
#endif
}
HOST_DEVICE inline void load_fence([[maybe_unused]] ordering how) {
#if defined(__CUDA_ARCH__)
  if (how.order != cuda::memory_order_relaxed) cuda::atomic_thread_fence(how.order, how.scope);
#endif
}

// Tells an engine that `consumed` CQEs were read, unless the record tells of more: a thread that waited before this
// call must not take back what others have told since, or the engine finds no room for a CQE and the queue stands
// still. The caller's next operation of system scope that releases makes the record visible to an engine on a CPU.
HOST_DEVICE inline void advance_record(std::uint32_t& record, std::uint64_t consumed) {
  // The threads of one GPU, or of the CPU, write the record; the engine reads it. A GPU over PCIe has no atomic
  // operation of system scope on host memory (cudaDevAttrHostNativeAtomicSupported).
  cuda::atomic_ref<std::uint32_t, cuda::thread_scope_device> const word{record};
  constexpr std::uint32_t half = (consumer_mask + 1) / 2;
  auto told = word.load(cuda::memory_order_relaxed);
  while (((static_cast<std::uint32_t>(consumed) - big(told)) & consumer_mask) < half) {
    if (word.compare_exchange_weak(told, completion_record(consumed), cuda::memory_order_relaxed)) return;
  }
}

[[nodiscard]] HOST_DEVICE inline std::uint64_t now_ns() {
#if defined(__CUDA_ARCH__)
  std::uint64_t time = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
  return time;
#else
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
#endif
}
// Between polls without a result: a CPU is left to other threads.
HOST_DEVICE inline void rest() {
#if !defined(__CUDA_ARCH__)
  std::this_thread::yield();
#endif
}

}  // namespace detail

}  // namespace packetwarp::rdma
