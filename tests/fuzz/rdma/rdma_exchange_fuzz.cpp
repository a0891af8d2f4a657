// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "rdma/network/queue_key.h"

namespace {

using namespace packetwarp::rdma;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

// Any bytes as a message of perftest's exchange: a key that was read is written and read as the same.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string_view const text{reinterpret_cast<char const*>(data), size};
  if (auto const key = parse_queue_key(text)) {
    require(key->number <= 0xff'ffff && key->psn <= 0xff'ffff);
    auto const again = to_text(*key);
    require(again.back() == '\0');
    require(parse_queue_key({again.data(), again.size()}) == key);
    if (auto const address = ipv4_of(key->gid)) require(gid_of(*address) == key->gid);
    require(to_text(key->gid).size() == 39);
  }
  if (auto const version = parse_version(text)) require(*version < 100'100);
  if (auto const mtu = parse_mtu_code(text)) require(*mtu >= 256 && *mtu <= 4096);
  return 0;
}
