// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/top/gpu_probe.h"

#include <dlfcn.h>

#include <string>

#include "telemetry/report_change.h"

namespace packetwarp {

using telemetry::part;
using telemetry::text;

// The used part of nvml.h, so that packetwarp can be built and run on machines without it.
using nvml_device = void*;
inline constexpr int nvml_success = 0;
struct nvml_utilization {
  unsigned gpu, memory;  // percent
};
struct nvml_memory {
  unsigned long long total, free, used;  // bytes
};
enum class nvml_pcie : int { sent = 0, received = 1 };  // by the GPU
inline constexpr std::uint64_t nvml_pcie_unit = 1024;   // bytes per second

struct gpu_probe::library {
  struct close {
    void operator()(void* handle) const { ::dlclose(handle); }
  };
  std::unique_ptr<void, close> handle{::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)};
  int (*init)(){};
  int (*shutdown)(){};
  int (*by_address)(char const*, nvml_device*){};
  int (*utilization)(nvml_device, nvml_utilization*){};
  int (*memory)(nvml_device, nvml_memory*){};
  int (*pcie)(nvml_device, nvml_pcie, unsigned*){};

  template <class Function>
  [[nodiscard]] bool find(Function& into, char const* name) {
    into = reinterpret_cast<Function>(::dlsym(handle.get(), name));
    return into != nullptr;
  }
  [[nodiscard]] bool open() {
    return handle && find(init, "nvmlInit_v2") && find(shutdown, "nvmlShutdown") &&
           find(by_address, "nvmlDeviceGetHandleByPciBusId_v2") && find(utilization, "nvmlDeviceGetUtilizationRates") &&
           find(memory, "nvmlDeviceGetMemoryInfo") && find(pcie, "nvmlDeviceGetPcieThroughput") &&
           init() == nvml_success;
  }
  [[nodiscard]] std::optional<std::uint64_t> traffic(nvml_device gpu, nvml_pcie way) const {
    unsigned found = 0;
    if (pcie(gpu, way, &found) != nvml_success) return std::nullopt;
    return found * nvml_pcie_unit;
  }
};

gpu_probe::gpu_probe() : nvml_{std::make_unique<library>()} {
  if (!nvml_->open()) nvml_.reset();
}

gpu_probe::~gpu_probe() {
  if (nvml_) (void)nvml_->shutdown();
}

std::vector<gpu_load> gpu_probe::read(json const& report) const {
  std::vector<gpu_load> found;
  if (!nvml_) return found;
  for (auto const& one : part(part(report, "host"), "gpus")) {
    nvml_device gpu{};
    nvml_utilization use{};
    nvml_memory memory{};
    if (nvml_->by_address(text(one, "pci_address").c_str(), &gpu) != nvml_success ||
        nvml_->utilization(gpu, &use) != nvml_success || nvml_->memory(gpu, &memory) != nvml_success) {
      continue;
    }
    found.push_back({.name = text(one, "index") + " (" + text(one, "name") + ")",
                     .busy_percent = use.gpu,
                     .memory_used = memory.used,
                     .memory_total = memory.total,
                     .pcie_in = nvml_->traffic(gpu, nvml_pcie::received),
                     .pcie_out = nvml_->traffic(gpu, nvml_pcie::sent)});
  }
  return found;
}

}  // namespace packetwarp
