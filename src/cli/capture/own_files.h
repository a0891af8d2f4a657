// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "plan/config.h"

namespace packetwarp {

// The values of options that name files of a run; empty without the option.
struct file_options {
  std::string json;
  std::string control;
  std::string event_log;
};

// The files that a run's command line names, for requests that must not overwrite them (run_view::own_files()):
// results, logs, replayed captures, and those of virtual devices; standard output and error, too. eal: the EAL's words.
[[nodiscard]] std::vector<std::string> files_of_command(file_options const& options,
                                                        std::span<replay_config const> replays,
                                                        std::span<std::string const> eal);

// require_distinct_files() for these, and for the captures of virtual devices among the EAL's words: rx_pcap is read,
// tx_pcap is written from the start of the EAL on.
void require_distinct_from_captures(std::vector<std::string> const& read, std::vector<std::string> const& written,
                                    std::span<std::string const> eal);

}  // namespace packetwarp
