// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "port/flow/hairpin.h"

namespace packetwarp {

// The processor of flow rules: NICs as far as they can, NICs alone, or the executor's tables, on this processor.
enum class rules_on : std::uint8_t { automatic, nic, gpu, cpu };

// Flow rules in place of routes, and the queues that they name; as testpmd's --rxq, --hairpinq and --hairpin-mode.
struct rules_config {
  int line{};
  std::string file;
  std::string told{};  // "network.yaml:7: rules.file", the beginning of a line about the file as a whole
  std::uint16_t receive_queues{1};
  std::uint16_t hairpin_queues{0};
  hairpin_mode hairpin{};
  rules_on on{rules_on::automatic};
  bool isolate{};  // --flow-isolate-all: packets that match no rule are dropped
};

}  // namespace packetwarp
