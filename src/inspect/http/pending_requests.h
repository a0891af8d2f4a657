// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>

#include "inspect/http/text.h"

namespace packetwarp::inspect {

// Requests by how their responses are read.
enum class request_kind : std::uint8_t {
  other,
  head,    // a response has no body
  connect  // a response of 2xx has no body, and a tunnel follows (RFC 9110, 9.3.6)
};

[[nodiscard]] inline request_kind kind_of_request(http_message const& message) {
  auto const& method = message.buffer(rule_buffer::http_method);
  if (detail::is_word(method, "head")) return request_kind::head;
  return detail::is_word(method, "connect") ? request_kind::connect : request_kind::other;
}

// The requests of a connection whose responses have not come, the first one first: responses come in the order of their
// requests (RFC 9112, 9.3.2). Beyond the bound a request is one of kind `other`.
class pending_requests {
 public:
  static constexpr std::uint32_t most = 512;

  // False: beyond the bound.
  [[nodiscard]] bool add(request_kind kind) {
    if (early_ != 0) {
      --early_;
      return true;
    }
    if (beyond_ != 0 || count_ == most) {
      ++beyond_;
      return false;
    }
    put((first_ + count_++) % most, kind);
    return true;
  }
  // The kind of the request that the next response belongs to.
  [[nodiscard]] request_kind first() const {
    if (count_ == 0) return request_kind::other;
    return static_cast<request_kind>(std::uint32_t{kinds_[first_ / per_byte]} >> shift(first_) & mask);
  }
  // The response to the first one has come. A response without a request belongs to the next one, as clients take it.
  void take_first() {
    if (count_ != 0) {
      first_ = (first_ + 1) % most;
      --count_;
    } else if (beyond_ != 0) {
      --beyond_;
    } else {
      ++early_;
    }
  }

 private:
  static constexpr std::uint32_t per_byte = 4;
  static constexpr std::uint32_t mask = 3;
  [[nodiscard]] static std::uint32_t shift(std::uint32_t place) { return place % per_byte * 2; }
  void put(std::uint32_t place, request_kind kind) {
    auto& byte = kinds_[place / per_byte];
    auto const others = std::uint32_t{byte} & ~(mask << shift(place));
    byte = static_cast<std::uint8_t>(others | static_cast<std::uint32_t>(kind) << shift(place));
  }

  std::array<std::uint8_t, most / per_byte> kinds_{};
  std::uint32_t first_{};
  std::uint32_t count_{};
  std::uint64_t beyond_{};
  std::uint64_t early_{};  // responses that came before their requests
};

}  // namespace packetwarp::inspect
