// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Marks a function that both a CPU executor and a GPU kernel call; outside nvcc it means nothing.
#if defined(__CUDACC__)
#define HOST_DEVICE __host__ __device__
#else
#define HOST_DEVICE
#endif

// The same for a function that is always inlined in GPU code: its arguments stay in registers and are not put into
// memory, and no instructions hand it the kernel's descriptor of memory before each access
// (docs/performance/gpu-latency.md, "Calls and copies"). A CPU's compiler chooses for itself.
#if defined(__CUDACC__)
#define HOST_DEVICE_COPIED __forceinline__ __host__ __device__
#else
#define HOST_DEVICE_COPIED
#endif

// The same for a function that is always a call in a CPU's code.
#if defined(__CUDACC__)
#define HOST_CALLED_DEVICE_COPIED HOST_DEVICE_COPIED
#else
#define HOST_CALLED_DEVICE_COPIED [[gnu::noinline]]
#endif
