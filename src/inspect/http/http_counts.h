// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace packetwarp::inspect {

// Messages that are not inspected in full, by the reason.
struct http_counts {
  std::uint64_t messages{};
  std::uint64_t heads_too_long{};  // the rest of their connection is not read
  std::uint64_t unreadable{};      // no HTTP where a message should begin: the rest is not read
  std::uint64_t bodies_encoded{};  // by a Content-Encoding that is not decoded: not inspected
  std::uint64_t bodies_decoded{};
  std::uint64_t bodies_cut_short{};    // inspected to the bound
  std::uint64_t requests_not_known{};  // without a response, beyond those whose kind is kept (pending_requests.h)
  friend bool operator==(http_counts const&, http_counts const&) = default;
};

}  // namespace packetwarp::inspect
