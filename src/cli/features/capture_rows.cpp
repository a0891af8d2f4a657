// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/features/capture_rows.h"

#include <algorithm>

#include "feature/observe.h"
#include "model/integer_network.h"

namespace packetwarp {

bool capture_rows::read(std::size_t most, std::vector<std::int8_t>& rows) {
  constexpr std::uint64_t nanoseconds_per_epoch = 1'000'000;
  traffic::capture_reader::packet packet;
  std::size_t count = 0;
  while (count < most && reader_.next(packet)) {
    if (!begin_) begin_ = packet.time;
    // Packets that were recorded out of order belong to the epoch that has begun.
    if (packet.time > *begin_) epoch_ = std::max(epoch_, (packet.time - *begin_) / nanoseconds_per_epoch + 1);
    auto const begin = rows.size();
    rows.resize(begin + model::row_bytes);
    auto const recorded = static_cast<std::uint32_t>(packet.bytes.size());
    auto const facts = feature::facts_of(packet.bytes.data(), recorded, packet.length);
    feature::observe(facts, epoch_, state_.ref(), rows.data() + begin);
    ++count;
  }
  return count != 0;
}

}  // namespace packetwarp
