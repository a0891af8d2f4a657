// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "doctor/finding.h"
#include "doctor/machine/machine.h"

namespace packetwarp::doctor {

// The NVIDIA driver, as several checks ask for it. Each throws failure if it cannot be read.

// A container may have a GPU whose PCI device it does not see. Throws nothing.
[[nodiscard]] bool has_gpu(machine const& m);
[[nodiscard]] std::vector<reading> no_gpu();

enum class kernel_module : std::uint8_t { open, proprietary };
struct driver_facts {
  std::string version;
  kernel_module is{};
};
[[nodiscard]] bool has_driver_file(machine const& m);
[[nodiscard]] driver_facts read_driver(machine const& m);

// Whether a GPU's memory is known to RDMA drivers by nvidia-peermem.
[[nodiscard]] bool has_peer_memory(machine const& m);

// Whether it can be by dma-buf, and the reason why not.
enum class dma_buf : std::uint8_t { possible, old_kernel, proprietary_module };
[[nodiscard]] dma_buf read_dma_buf(machine const& m);

}  // namespace packetwarp::doctor
