// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// GCC says it so, clang below.
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

// Packets pass between threads through DPDK's rings, drivers and pools, which order that by themselves, in code that
// ThreadSanitizer does not see. These tell it: all that a thread did before it handed a packet over has happened when
// another has taken it over. In other builds they are nothing.

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
