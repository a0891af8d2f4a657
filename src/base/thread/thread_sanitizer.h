// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// GCC's macro; clang's feature test is below.
#if defined(__SANITIZE_THREAD__)
#define PACKETWARP_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PACKETWARP_THREAD_SANITIZER
#endif
#endif
#ifdef PACKETWARP_THREAD_SANITIZER
#include <sanitizer/tsan_interface.h>
#endif

#include <span>

namespace packetwarp {

// Packets pass between threads through DPDK's rings, drivers and pools, which order memory in code that ThreadSanitizer
// does not see. These calls tell it that all a thread did before it handed over a packet happened before another thread
// takes it over. In other builds they do nothing.

template <class T>
void hand_over([[maybe_unused]] std::span<T*> packets) {
#ifdef PACKETWARP_THREAD_SANITIZER
  for (auto* packet : packets) __tsan_release(packet);
#endif
}

template <class T>
void take_over([[maybe_unused]] std::span<T*> packets) {
#ifdef PACKETWARP_THREAD_SANITIZER
  for (auto* packet : packets) __tsan_acquire(packet);
#endif
}

}  // namespace packetwarp
