// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// UNTRACED marks a function that works on many bytes in a row, and whose branches and indices follow from places and
// not from the bytes: a fuzzer learns nothing from them, and its calls, and checks of indices, would take most of a
// run's time. AddressSanitizer still checks the function's loads and stores. UNCHECKED marks a function that reads
// nothing but its arguments and constants, at any place that they can name. Compilers other than clang have none of
// this.
#if defined(__clang__) && !defined(__CUDACC__)
#define UNTRACED [[clang::no_sanitize("coverage", "undefined")]]
#define UNCHECKED [[clang::no_sanitize("coverage", "undefined", "address")]]
#else
#define UNTRACED
#define UNCHECKED
#endif
