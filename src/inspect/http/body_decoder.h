// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "inspect/http/message.h"

namespace packetwarp::inspect {

// Decodes a body's content codings (RFC 9110, 8.4.1: gzip, deflate), one within the other, by zlib. A body that is none
// of its coding is taken as it is, and bytes after a damaged place are left out, as receivers do it. On a CPU.
class body_decoder {
 public:
  static constexpr std::size_t most_layers = 3;
  // The bytes that all codings but the innermost may produce: a body that would be larger is cut short.
  static constexpr std::uint64_t most_between = std::uint64_t{1} << 20;

  // For the message's Content-Encoding; none: a coding is not known, or there are more than most_layers.
  [[nodiscard]] static std::optional<body_decoder> of(http_message const& message);

  body_decoder(body_decoder&&) noexcept;
  body_decoder& operator=(body_decoder&&) noexcept;
  ~body_decoder();

  // Appends what the next bytes of the body mean, until `to` has `most` bytes. Throws std::bad_alloc, also if zlib has
  // no memory.
  void decode(std::span<std::byte const> bytes, std::vector<std::byte>& to, std::size_t most);
  // A bound has ended it: the decoded body is longer.
  [[nodiscard]] bool is_cut_short() const { return is_cut_short_; }
  [[nodiscard]] std::size_t bytes() const;

 private:
  class layer;
  explicit body_decoder(std::size_t layers);
  void feed(std::size_t layer, std::span<std::byte const> bytes, std::vector<std::byte>& to, std::size_t most);

  std::vector<std::unique_ptr<layer>> layers_;
  std::uint64_t between_{};
  bool is_cut_short_{};
};

}  // namespace packetwarp::inspect
