// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <string_view>

#include "base/error.h"
#include "function/nat44/nat44_table.h"
#include "fuzz/memory_file.h"
#include "fuzz/nat44_check.h"

using namespace packetwarp;

namespace {

constexpr std::uint32_t sessions = 24;

[[nodiscard]] nat44_config small() {
  nat44_config made;
  made.pool = {{{0xcb00'7101}, {0xcb00'7101}}};
  made.first_port = 2000;
  made.last_port = 2015;
  made.sessions = sessions;
  made.address_room = 1;
  made.per_host = 12;
  made.hosts = 8;
  made.journal = 64;
  made.hash_key = {0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};
  made.interfaces = {nat::side::inside, nat::side::outside};
  made.port_forwards = {{nat::transport::tcp, {{0x0a00'0002}, 80}, {{0xcb00'7101}, 2003}}};
  made.static_addresses = {{{0x0a00'0003}, {0xcb00'7121}}};
  return made;
}

}  // namespace

// A file of saved sessions, by any writer. With any content, the table is sound afterwards, and sessions end.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static fuzz::memory_file const file;
  file.hold(data, size);
  nat44_table table{small()};
  table.tick(0);
  try {
    fuzz::require(table.restore(file.path()) <= sessions);
  } catch (failure const& wrong) {
    fuzz::require(std::string_view{wrong.what()}.find('\n') == std::string_view::npos);
  }
  fuzz::check_sessions(table.cpu(), sessions);
  table.tick(1'000'000);
  for (int round = 0; round < 3; ++round) table.maintain();
  table.tick(1'000'100);
  for (int round = 0; round < 3; ++round) table.maintain();
  fuzz::check_sessions(table.cpu(), sessions);
  fuzz::require(table.counts().live == 1);  // the port forward
  return 0;
}
