// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/nat44/session/session_log.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <string_view>

#include "function/nat44/nat44_table.h"
#include "wire/address_text.h"

namespace packetwarp::nat {
namespace {

[[nodiscard]] std::string_view name_of(transport kind) {
  switch (kind) {
    case transport::udp:
      return "udp";
    case transport::tcp:
      return "tcp";
    default:
      return "icmp";
  }
}
[[nodiscard]] std::string to_text(endpoint at) { return fmt::format("{}:{}", wire::to_text(at.address), at.port); }

}  // namespace

std::string to_json(journal_entry const& entry, std::string_view time) {
  return fmt::format(R"({{"time":"{}","event":"{}","protocol":"{}","inside":"{}","outside":"{}"}})", time,
                     entry.what == event::made ? "made" : "ended", name_of(transport_of(entry.inside)),
                     to_text(endpoint_of(entry.inside)), to_text(endpoint_of(entry.outside)));
}

std::string const& session_log::time_at(std::uint32_t when) {
  auto const second = clock_(when - nat44_table::clock_start);
  if (second != second_) {
    time_ = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(second));
    second_ = second;
  }
  return time_;
}

bool session_log::takes(journal_entry const& entry) const { return one_in_ != 0 && mix(entry.inside) % one_in_ == 0; }

void session_log::operator()(journal_entry const& entry) {
  if (takes(entry)) to_(to_json(entry, time_at(entry.when)));
}

void session_log::run_started(std::uint32_t when, std::uint64_t restored) {
  to_(fmt::format(R"({{"time":"{}","event":"run_started","restored":{}}})", time_at(when), restored));
}

}  // namespace packetwarp::nat
