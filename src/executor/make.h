// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <memory>

#include "base/error.h"
#include "executor/gpu/make.h"
#include "executor/gpu/sample_check.h"
#include "executor/none.h"
#include "executor/refuse.h"
#include "function/deep_form.h"

namespace packetwarp {

// Whether the CPU can read the bytes of packets that function F needs, and take over from a GPU that fails.
template <packet_function F>
[[nodiscard]] bool cpu_reaches_packets(gpu_settings const& gpu) {
  if (gpu.where == placement::host || gpu.route == packet_route::staged) return true;
  return gpu.where == placement::split && !reaches_payload<F>;
}

// A payload that its function does not reach stays where its port put it.
template <packet_function F>
[[nodiscard]] gpu_settings settings_for(gpu_settings gpu) {
  bool const moves_nothing = gpu.where == placement::split && !reaches_payload<F>;
  if (moves_nothing) gpu.route = packet_route::direct;
  return gpu;
}

// The tables of a function, or of a chain's stage, as the CPU reaches them and as a GPU does: the same content, perhaps
// in two memories.
template <class F>
struct table_refs {
  typename F::ref cpu;
  typename F::ref gpu;
};

// The cpu executor of function F. Each instance is a compilation of its own (cpu_instance.cpp.in): if functions share a
// compilation, the compiler reaches its limit of inlining, and calls a packet's steps one by one.
template <packet_function F>
[[nodiscard]] std::unique_ptr<executor> make_cpu_executor(burst_ring& ring, typename F::ref const& tables,
                                                          std::chrono::nanoseconds packet_time);

// F as GPU code, in the form that its tables need (function/deep_form.h).
template <packet_function F>
[[nodiscard]] gpu_program make_program(typename F::ref const& tables, packet_route route) {
  using form = deep_form_of<F>;
  if constexpr (form::is_another) {
    if (form::is_needed(tables)) return make_gpu_program<typename form::type>(form::tables_of(tables), route);
  }
  return make_gpu_program<F>(tables, route);
}

// The executor of a kind for function F on one ring. egress: the one by which `none` sends everything. asked: the
// opened GPU, for the kinds that need one. Throws usage_error for a kind that this build does not have, failure for an
// error of the GPU.
template <packet_function F>
[[nodiscard]] std::unique_ptr<executor> make_executor(executor_kind kind, burst_ring& ring, table_refs<F> const& tables,
                                                      egress_index egress, std::chrono::nanoseconds packet_time,
                                                      gpu_settings const& asked) {
  auto const gpu = settings_for<F>(asked);
  if (kind == executor_kind::none) return std::make_unique<none_executor>(ring, egress);
  if (kind == executor_kind::cpu) return make_cpu_executor<F>(ring, tables.cpu, packet_time);
  if constexpr (built_with_cuda) {
    gpu_fallback fallback;
    std::unique_ptr<burst_observer> check;
    if (cpu_reaches_packets<F>(gpu)) {
      fallback = {make_cpu_executor<F>(ring, tables.cpu, packet_time), "the CPU goes on from the next"};
      if constexpr (F::follows_from_header) check = std::make_unique<sample_check<F>>(tables.cpu);
    } else {
      fallback = {std::make_unique<refuse_executor<F>>(ring, tables.cpu),
                  "so is every packet from here on: they are in GPU memory, which the CPU cannot reach"};
    }
    return make_gpu_executor(kind, ring, make_program<F>(tables.gpu, gpu.route), gpu, std::move(fallback),
                             std::move(check));
  } else {
    throw usage_error(fmt::format("executor {}: this build has no GPU code (PACKETWARP_CUDA is off); use none or cpu",
                                  to_string(kind)));
  }
}

}  // namespace packetwarp
