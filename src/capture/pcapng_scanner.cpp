// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "capture/pcapng_scanner.h"

#include <algorithm>
#include <cstring>

namespace packetwarp::pcapng {
namespace {

constexpr std::size_t head_bytes = 8;  // of a block: its type and its length
constexpr std::size_t least_block = 12;

template <class Value>
[[nodiscard]] Value read(std::string const& block, std::size_t at) {
  Value value{};
  if (at + sizeof value <= block.size()) std::memcpy(&value, &block[at], sizeof value);
  return value;
}

}  // namespace

void scanner::take(std::span<char const> some) {
  while (!some.empty()) {
    auto const wanted =
        block_.size() < head_bytes ? head_bytes : std::max<std::size_t>(read<std::uint32_t>(block_, 4), least_block);
    auto const n = std::min(some.size(), wanted - block_.size());
    block_.append(some.data(), n);
    some = some.subspan(n);
    if (block_.size() < least_block || block_.size() < read<std::uint32_t>(block_, 4)) continue;
    count_block();
    block_.clear();
  }
}

void scanner::count_block() {
  auto const type = static_cast<block_type>(read<std::uint32_t>(block_, 0));
  if (type == block_type::enhanced_packet) ++packets_;
  if (type != block_type::interface_statistics) return;
  has_ended_ = true;
  // The options follow the interface and the time.
  for (std::size_t at = head_bytes + 12; at + 4 < block_.size();) {
    auto const code = read<count_option>(block_, at);
    auto const size = read<std::uint16_t>(block_, at + 2);
    auto const value = read<std::uint64_t>(block_, at + 4);
    if (code == count_option::end) break;
    if (code == count_option::seen) counts_.seen += value;
    if (code == count_option::missed) counts_.missed += value;
    if (code == count_option::accepted) counts_.accepted += value;
    if (code == count_option::written) counts_.written += value;
    at += 4 + (size + 3U) / 4 * 4;
  }
}

}  // namespace packetwarp::pcapng
