// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/log/log.h"

#include <spdlog/details/os.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>

#include <cstdio>
#include <string>

#include "base/process/standard_error.h"

namespace packetwarp {
namespace {

// Puts the message on one line: the text that it quotes may hold anything, and a terminal obeys control characters.
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

// Standard error, which never holds up a logging thread. An error may wait for a moment.
class waitless_sink final : public spdlog::sinks::base_sink<std::mutex> {
 protected:
  void sink_it_(spdlog::details::log_msg const& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    std::string text{line.data(), line.size()};
    if (has_colours_) paint(text, message);
    auto const patience = message.level >= spdlog::level::err ? 20 : 0;
    (void)the_standard_error().put(text, std::chrono::milliseconds{patience});
  }
  void flush_() override {}

 private:
  static void paint(std::string& text, spdlog::details::log_msg const& message) {
    constexpr std::string_view red = "\033[31m\033[1m", yellow = "\033[33m\033[1m", green = "\033[32m",
                               plain = "\033[m";
    auto const colour = message.level >= spdlog::level::err    ? red
                        : message.level == spdlog::level::warn ? yellow
                                                               : green;
    text.insert(message.color_range_end, plain).insert(message.color_range_start, colour);
  }
  bool has_colours_{spdlog::details::os::in_terminal(stderr) && spdlog::details::os::is_color_terminal()};
};

}  // namespace

spdlog::logger& log() {
  static auto const logger = [] {
    auto made = std::make_shared<spdlog::logger>("packetwarp", std::make_shared<waitless_sink>());
    auto line = std::make_unique<spdlog::pattern_formatter>();
    line->add_flag<printable_message>('v').set_pattern("%^%n: %l:%$ %v");
    made->set_formatter(std::move(line));
    return made;
  }();
  return *logger;
}

}  // namespace packetwarp
