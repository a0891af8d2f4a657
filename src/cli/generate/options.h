// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/generate/questions.h"
#include "cli/generate/stl.h"
#include "plan/config.h"
#include "port/port.h"
#include "traffic/exchange.h"
#include "traffic/referee.h"

namespace packetwarp {

// The port at which sent packets come back: on the sending port's peer, or on the port itself.
enum class return_port : std::uint8_t { peer, same };

// The fate of a run that could not send as fast as requested: its report says so, or the run fails as well.
enum class rate_keeping : std::uint8_t { reported, strict };

// The options after "--" on a generate command line.
struct generate_options {
  traffic::exchange_config exchange;
  traffic::referee::timing timing;
  std::optional<stl_request> stl;
  question_request asked;
  std::string replay;       // empty: none
  std::uint64_t rounds{1};  // of the replayed files; 0 for no limit
  bool rounds_are_given{};
  return_port returns{return_port::peer};
  rate_keeping keeping{rate_keeping::reported};
  std::uint16_t queues{1};                            // of each port
  std::optional<std::vector<port_id>> tx_ports;       // all, if not given
  std::optional<std::vector<port_id>> rx_ports;       // the same
  std::vector<std::pair<port_id, port_id>> port_map;  // empty: 0 with 1, 2 with 3, an odd last port with itself
  std::optional<data_plane_config> through;           // the data plane of --through
  std::string through_text;                           // as it was typed
  std::string json;                                   // empty: none; "-": standard output
};

// Throws usage_error with one line for anything that is unknown, malformed or impossible.
[[nodiscard]] generate_options parse_generate_options(invocation const& call);

// The sending ports, and the port at which each one's packets are awaited. Throws usage_error.
[[nodiscard]] std::vector<traffic::direction> directions_of(generate_options const& options,
                                                            std::vector<port_id> const& ports);

// Throws usage_error for frames that a receiving port would change before they can be verified.
void require_intact(traffic::exchange_config const& sent, std::span<traffic::direction const> directions,
                    std::span<port_facts const> ports);

}  // namespace packetwarp
