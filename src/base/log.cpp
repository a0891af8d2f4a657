// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_color_sinks.h>

namespace packetwarp {
namespace {

// The message on one line: what it quotes may hold anything, and a terminal obeys control characters.
class printable_message final : public spdlog::custom_flag_formatter {
 public:
  void format(spdlog::details::log_msg const& message, std::tm const& /*now*/, spdlog::memory_buf_t& to) override {
    for (auto const c : message.payload) {
      auto const byte = static_cast<unsigned char>(c);
      if (byte < 0x20 || byte == 0x7f) {
        fmt::format_to(std::back_inserter(to), "\\x{:02x}", byte);
      } else {
        to.push_back(c);
      }
    }
  }
  [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<printable_message>();
  }
};

}  // namespace

spdlog::logger& log() {
  static auto const logger = [] {
    auto made = spdlog::stderr_color_mt("packetwarp");
    auto line = std::make_unique<spdlog::pattern_formatter>();
    line->add_flag<printable_message>('v').set_pattern("%^%n: %l:%$ %v");
    made->set_formatter(std::move(line));
    return made;
  }();
  return *logger;
}

}  // namespace packetwarp
