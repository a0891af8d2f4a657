// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "function/inspection/record/late_packet.h"
#include "function/record/record_journal.h"
#include "inspect/compiled/compile.h"
#include "inspect/http/message.h"
#include "inspect/language/regex.h"

namespace packetwarp {

// The payloads on their way to it.
using late_journal = record_journal<inspection_parts::late_packet, 128>;

// Decides on the CPU whether rules match packets that an executor could not judge to the end. For a single thread.
class late_judge {
 public:
  // For packets of the set of rules at this position in inspection_root::sets. The rules outlive their use.
  void prepare(std::size_t set, inspect::ruleset_ref rules, std::unique_ptr<inspect::regex_library> engine);

  // Whether the rule's checks of payload and names match the packet. Its header, flow and flowbits did when the packet
  // was judged.
  [[nodiscard]] bool matches(inspection_parts::late_packet const& seen);

 private:
  struct rules_of_set {
    inspect::ruleset_ref rules{};
    std::unique_ptr<inspect::regex_library> engine;
  };
  // The message that the payload begins, which the rule needs; its views are valid until the next call.
  [[nodiscard]] inspect::http_message const& read_message(inspection_parts::late_packet const& seen,
                                                          inspect::http_message& into);

  rules_of_set sets_[2];
  std::vector<std::byte> forms_;
};

}  // namespace packetwarp
