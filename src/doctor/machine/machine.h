// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/process/container.h"
#include "doctor/machine/machine_reader.h"

namespace packetwarp::doctor {

// Other vendors' programs that give facts which no file holds. Tests supply their own answers.
class tools {
 public:
  tools() = default;
  tools(tools const&) = delete;
  tools& operator=(tools const&) = delete;
  virtual ~tools() = default;
  [[nodiscard]] virtual bool is_installed(std::string const& program) const = 0;
  // The output of a program. words: the program and its arguments. Throws failure if it is not installed, does not end
  // in time or does not end well; the line names the program and holds its output.
  [[nodiscard]] virtual std::string output_of(std::vector<std::string> const& words) const = 0;
};

// The facts that CUDA gives; empty texts if this binary holds no GPU code.
struct cuda_facts {
  std::string driver{};   // the CUDA version that the driver supports, "13.0"
  std::string runtime{};  // the CUDA version that this binary was built with
  std::string problem{};  // the reason why no GPU can be opened; empty if one can
};

// Everything that checks may read.
struct machine {
  machine_reader const& files;
  tools const& programs;
  cuda_facts cuda{};
  // Free hugepages that every NUMA node should have.
  std::uint64_t hugepage_bytes{std::uint64_t{1} << 30};
  // The place of this process: advice to a pod names fields of its manifest, since no command changes a pod.
  surroundings where{surroundings::machine};
};

}  // namespace packetwarp::doctor
