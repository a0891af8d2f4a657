// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "module/nat44/session_tally.h"

namespace packetwarp {

std::optional<nat_report> session_tally::step() {
  constexpr std::uint32_t records_counted_a_slice = 8192;
  table_->for_each(at_, at_ + records_counted_a_slice, [this](nat44_session const& one) {
    auto& kind = one.kind == nat::transport::udp ? seen_.udp : one.kind == nat::transport::tcp ? seen_.tcp : seen_.icmp;
    ++kind;
    if (one.from == nat::origin::configured) ++seen_.configured;
  });
  at_ += records_counted_a_slice;
  if (at_ < table_->records()) return std::nullopt;
  auto const counts = table_->counts_but_live();
  seen_.room = table_->config().sessions;
  seen_.made = counts.made;
  seen_.ended = counts.ended;
  seen_.evicted = counts.evicted;
  seen_.untracked = counts.untracked;
  seen_.unlogged = counts.unlogged;
  seen_.conflicts = counts.conflicts;
  return seen_;
}

}  // namespace packetwarp
