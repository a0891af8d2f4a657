// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace packetwarp::telemetry {

struct hugepage_info {
  std::uint64_t size_bytes{};
  std::optional<std::uint64_t> total{};
  std::optional<std::uint64_t> free{};
};

struct gpu_info {
  int index{};  // CUDA's
  std::string name{};
  std::string pci_address{};
  std::string cuda_driver{};   // CUDA version that the driver speaks
  std::string cuda_runtime{};  // CUDA version that this binary was built with
};

// The machine that a number was measured on. Unknown parts are empty.
struct host_info {
  std::string cpu_model{};
  std::optional<std::uint64_t> cpus{};  // online
  std::optional<std::uint64_t> numa_nodes{};
  std::optional<std::uint64_t> memory_bytes{};
  std::vector<hugepage_info> hugepages{};  // by size, smallest first
  std::string kernel{};                    // its release
  std::string distribution{};
  std::string dpdk{};
  std::string compiler{};  // that this binary was built with
  std::optional<double> tsc_hz{};
  std::vector<gpu_info> gpus{};  // that were used
};

// The facts that other folders know. Zero is unknown.
struct host_extras {
  std::string dpdk{};
  double tsc_hz{};
};

// Reads proc, sys and etc under `root`; never throws for missing or odd files.
[[nodiscard]] host_info read_host_info(host_extras const& extras, std::filesystem::path const& root = "/");

// The facts on one line, without the unknown ones.
[[nodiscard]] std::string describe(host_info const& host);

}  // namespace packetwarp::telemetry
