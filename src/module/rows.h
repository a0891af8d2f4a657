// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "address/ip_address.h"
#include "address/ip_prefix.h"
#include "module/config.h"
#include "request/request.h"

namespace packetwarp {

// The rows of an answer as JSON text, so that an answer of a thousand rows is no tree of ten thousand nodes.
class json_rows {
 public:
  // row: JSON.
  void add(std::string_view row) {
    if (count_++ != 0) text_ += ',';
    text_ += row;
  }
  void clear() {
    text_.clear();
    count_ = 0;
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool is_empty() const { return count_ == 0; }
  // The rows within brackets.
  [[nodiscard]] std::string array() const { return '[' + text_ + ']'; }

 private:
  std::string text_;
  std::size_t count_{};
};

// Text as a JSON value; bytes that are no UTF-8 are replaced.
[[nodiscard]] std::string json_text(std::string_view text);

// Interfaces' names as JSON values, in their order.
[[nodiscard]] std::vector<std::string> json_names(network_config const& config);

// The most rows of an answer, and the number that `limit` among its arguments allows. Throws usage_error unless it is a
// number from 1 on.
inline constexpr std::size_t most_rows_of_a_page = 1024;
[[nodiscard]] std::size_t rows_of_a_page(request const& asked);
// The row number in `from` among its arguments, 0 without it. Throws usage_error if it is no number.
[[nodiscard]] std::size_t first_row(request const& asked);

// Nothing if the text is no address.
[[nodiscard]] std::optional<ip_address> parse_address(std::string_view text);
[[nodiscard]] std::optional<ip_prefix> parse_prefix(std::string_view text);

}  // namespace packetwarp
