// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace packetwarp::nat {

// Why a packet that is to be translated is dropped.
enum class fault : std::uint16_t {
  transport_truncated,  // no whole header of UDP, TCP or ICMP
  protocol,             // another protocol, and the address is not translated as a whole
  icmp_type,            // neither a query nor an error
  bad_icmp_error,       // its content is no packet that could have been sent (RFC 5508, REQ-3)
  no_session,           // from outside, and no session has the port
  filtered,             // from outside, and the session has sent nothing to the sender (RFC 4787, REQ-8)
  no_port,              // every port of the outside address is in use
  table_full,           // as many sessions as there may be
  host_limit,           // the inside host has as many sessions as it may have
  prefix_limit,         // the host's prefix has as many sessions, or ports of the outside address, as it may have
  remotes_full,         // as many remote endpoints as are remembered
  remote_limit,         // the inside host or its prefix has as many of them as it may have
  draining,             // it needs a new session, and the run drains
  none
};
inline constexpr std::array<std::string_view, static_cast<std::size_t>(fault::none)> fault_names{
    "transport_truncated", "protocol",   "icmp_type",    "bad_icmp_error", "no_session",   "filtered", "no_port",
    "table_full",          "host_limit", "prefix_limit", "remotes_full",   "remote_limit", "draining"};

}  // namespace packetwarp::nat
