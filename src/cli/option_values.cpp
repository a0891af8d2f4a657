// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/option_values.h"

#include <charconv>

#include "cli/metrics/listen_address.h"

namespace packetwarp {
namespace {

// Walks over text that consists of characters and port numbers.
class port_text {
 public:
  explicit port_text(std::string_view text) : text_{text} {}
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] std::size_t position() const { return at_; }
  [[nodiscard]] bool take(char c) {
    if (at_end() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  [[nodiscard]] std::optional<std::uint16_t> take_port() {
    std::uint16_t value = 0;
    auto const [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc{}) return std::nullopt;
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

 private:
  std::string_view text_;
  std::size_t at_{};
};

}  // namespace

std::vector<std::pair<port_id, port_id>> parse_port_map(std::string const& text) {
  port_text in{text};
  std::vector<std::pair<port_id, port_id>> pairs;
  auto const require = [&](bool holds) {
    if (holds) return;
    throw usage_error(
        fmt::format("--portmap: '{}' is wrong at column {}; expected pairs of ports such as \"(0,1)(2,3)\"", text,
                    in.position() + 1));
  };
  do {
    require(in.take('('));
    auto const first = in.take_port();
    require(first && in.take(','));
    auto const second = in.take_port();
    require(second && in.take(')'));
    pairs.emplace_back(*first, *second);
  } while (!in.at_end());
  return pairs;
}

void require_listen_address(std::string const& text) {
  if (!text.empty()) (void)parse_listen_address(text, "--metrics");
}

std::vector<port_id> parse_ports(std::string const& text, std::string_view what) {
  std::vector<port_id> ports;
  if (text == "none") return ports;
  port_text in{text};
  auto const require = [&](bool holds) {
    if (holds) return;
    throw usage_error(fmt::format("{}: '{}' is wrong at column {}; expected ports such as 0,2-4, or none", what, text,
                                  in.position() + 1));
  };
  do {
    auto const first = in.take_port();
    require(first.has_value());
    auto const last = in.take('-') ? in.take_port() : first;
    require(last && *last >= *first);
    for (unsigned p = *first; p <= *last; ++p) ports.emplace_back(static_cast<std::uint16_t>(p));
  } while (in.take(','));
  require(in.at_end());
  return ports;
}

}  // namespace packetwarp
