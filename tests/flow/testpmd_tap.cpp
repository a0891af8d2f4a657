// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <rte_flow.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "flow/rte_flow_text.h"

// Loaded in front of dpdk-testpmd's libraries (LD_PRELOAD): the calls by which it hands rules to drivers end here, are
// written to its standard output as lines that start with @, and succeed. No driver of this machine need know rte_flow.

namespace {

// In order with what testpmd writes about the command, so past stdio's buffer.
void say(std::string const& text) {
  auto const line = "@" + text + "\n";
  std::fflush(stdout);
  for (std::size_t at = 0; at < line.size();) {
    auto const written = write(STDOUT_FILENO, line.data() + at, line.size() - at);
    if (written <= 0) return;
    at += static_cast<std::size_t>(written);
  }
}

std::string on_port(std::uint16_t port) { return " " + std::to_string(port) + " "; }

[[gnu::constructor]] void write_lines_at_once() { std::setvbuf(stdout, nullptr, _IOLBF, 0); }

}  // namespace

extern "C" {

int rte_flow_validate(std::uint16_t port, rte_flow_attr const* attr, rte_flow_item const pattern[],
                      rte_flow_action const actions[], rte_flow_error*) {
  say("validate" + on_port(port) + packetwarp::test::rule_text(*attr, pattern, actions));
  return 0;
}

rte_flow* rte_flow_create(std::uint16_t port, rte_flow_attr const* attr, rte_flow_item const pattern[],
                          rte_flow_action const actions[], rte_flow_error*) {
  say("create" + on_port(port) + packetwarp::test::rule_text(*attr, pattern, actions));
  // testpmd only hands it back.
  static char handle;
  return reinterpret_cast<rte_flow*>(&handle);
}

int rte_flow_destroy(std::uint16_t, rte_flow*, rte_flow_error*) { return 0; }
int rte_flow_flush(std::uint16_t, rte_flow_error*) { return 0; }

int rte_flow_isolate(std::uint16_t port, int set, rte_flow_error*) {
  say("isolate" + on_port(port) + std::to_string(set));
  return 0;
}

int rte_flow_query(std::uint16_t, rte_flow*, rte_flow_action const*, void*, rte_flow_error*) { return 0; }
}
