// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace packetwarp {

// The whole line for a GPU that does not reach another one's memory.
[[nodiscard]] std::string lack_of_peer_access(int gpu, int peer);

// While it lives, kernels of one GPU read and write memory of another GPU at its own addresses, over NVLink or PCIe.
class peer_access {
 public:
  peer_access() = default;  // of no GPUs
  // Both GPUs are open (open_gpu); a GPU reaches its own memory anyway. Throws usage_error if the driver offers no
  // access between them, failure.
  peer_access(int gpu, int peer);
  peer_access(peer_access&& other) noexcept;
  peer_access& operator=(peer_access&& other) noexcept;
  ~peer_access();

 private:
  static constexpr int none = -1;
  int gpu_{none};  // none: nothing to take back
  int peer_{none};
};

}  // namespace packetwarp
