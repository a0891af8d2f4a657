// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Before a loop of GPU code: nvcc repeats its body for each step, so that arrays whose places are then constants stay
// in registers; four times, so that the loads of four steps are under way at once; or not, since the code would be
// long. A CPU's compiler chooses for itself.
#if defined(__CUDA_ARCH__)
#define UNROLLED _Pragma("unroll")
#define UNROLLED_BY_4 _Pragma("unroll 4")
#define NOT_UNROLLED _Pragma("unroll 1")
#else
#define UNROLLED
#define UNROLLED_BY_4
#define NOT_UNROLLED
#endif
