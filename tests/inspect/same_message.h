// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "inspect/http/message.h"

namespace packetwarp::inspect::test {

// All that rules and readers of bodies see of a message: equal texts are equal messages.
[[nodiscard]] inline std::string text_of(http_message const& message) {
  std::string made = std::to_string(static_cast<int>(message.kind)) + ' ' + std::to_string(message.known) + ' ' +
                     std::to_string(static_cast<int>(message.framing)) + ' ' + std::to_string(message.is_encoded) +
                     ' ' + std::to_string(message.has_more_encodings) + ' ' +
                     std::to_string(message.is_header_as_sent) + ' ' + std::to_string(message.head_size) + ' ' +
                     std::to_string(message.body_size);
  auto const put = [&made](text_view part) {
    made += part.bytes == nullptr ? "\nnone" : "\n=";
    if (part.bytes != nullptr) made.append(reinterpret_cast<char const*>(part.bytes), part.size);
  };
  for (auto const& part : message.buffers) put(part);
  for (unsigned i = 0; i < message.encodings; ++i) put(message.encoding[i]);
  return made;
}

}  // namespace packetwarp::inspect::test
