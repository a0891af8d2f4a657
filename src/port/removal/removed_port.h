// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/ids.h"
#include "port/gpu_mapping.h"

struct rte_device;

namespace packetwarp {

// A started port whose device is taken away, and that no thread uses any more. Called on any thread but the EAL's
// interrupt thread: a driver may take seconds for each call.
class removed_port {
 public:
  removed_port(port_id id, gpu_mapping gpu) : id_{id}, gpu_{std::move(gpu)}, is_open_{true} {}
  removed_port(removed_port&& other) noexcept
      : id_{other.id_}, gpu_{std::move(other.gpu_)}, is_open_{std::exchange(other.is_open_, false)} {}
  removed_port& operator=(removed_port&&) = delete;
  ~removed_port() { close(); }

  // The device under the port; nullptr if none exists. Called before close().
  [[nodiscard]] rte_device* device() const;
  // Stops and closes the port, which returns the packets in its queues to their pools: the pools still exist.
  void close();

 private:
  port_id id_;
  gpu_mapping gpu_;
  bool is_open_;
};

// Closes all ports of one device and releases the device: a kernel driver that waits for the release, such as vfio-pci,
// goes on. Returns nothing on success, else the error.
[[nodiscard]] std::optional<std::string> give_back(std::vector<removed_port> ports);

}  // namespace packetwarp
