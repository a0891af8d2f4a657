// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/error.h"
#include "cli/metrics/http_message.h"
#include "cli/metrics/listen_address.h"

using namespace packetwarp;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

// Any bytes are a request with a printable path or none; any text is an address that reads back as it is, or one line.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const bytes{reinterpret_cast<char const*>(data), size};
  if (auto const asked = parse_http_request(bytes)) {
    require(asked->path.starts_with('/') && asked->path.find('?') == std::string::npos);
    for (char const c : asked->path) require(c > ' ' && c <= '~');
  }
  try {
    auto const at = parse_listen_address(bytes, "--metrics");
    require(to_text(parse_listen_address(to_text(at), "--metrics")) == to_text(at));
  } catch (usage_error const&) {
  }
  return 0;
}
