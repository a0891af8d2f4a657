// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "gpu/peer_access.h"

namespace packetwarp {

std::string lack_of_peer_access(int gpu, int peer) {
  return fmt::format(
      "GPU {} does not reach the memory of GPU {}: the driver offers no peer access between them ('nvidia-smi topo "
      "-p2p w' shows the pairs that have it); choose two GPUs with NVLink or below one PCIe switch, or one GPU",
      gpu, peer);
}

}  // namespace packetwarp
