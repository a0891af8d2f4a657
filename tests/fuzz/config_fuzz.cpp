// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <string_view>

#include "base/error.h"
#include "cli/run/file/network_file.h"
#include "fuzz/memory_file.h"
#include "module/nat44/nat44_section.h"
#include "network/network_plane.h"
#include "plan/machines.h"
#include "plan/plan.h"

using namespace packetwarp;

namespace {

// The input of a log line: bytes of the file may be in it.
void check_line(std::string_view line) { fuzz::require(!line.empty()); }

// The assumptions of the rest of the program.
void check(network_config const& config) {
  fuzz::require(!config.interfaces.empty());
  for (auto const& one : config.interfaces) {
    fuzz::require(!one.name.empty() && one.mtu >= 1280 && one.mtu <= 9000);
    for (auto const& address : one.addresses) fuzz::require(address.length <= 128);
  }
  for (auto const& route : config.routes) fuzz::require(route.to.length <= 128);
  auto const& plane = config.plane;
  fuzz::require(plane.burst >= 1 && plane.burst <= max_burst_size);
  if (auto const* const nat44 = config.sections.find<nat44_section>()) {
    fuzz::require(nat44->config.interfaces.size() == config.interfaces.size());
  }
}

}  // namespace

// The file of packetwarp run, in any bytes: a network that can be planned, or a message that says what is wrong.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  static fuzz::memory_file const file;
  static auto const machine = test::machine_with(4, 4);
  file.hold(data, size);
  try {
    auto const config = read_network_file(file.path()).network;
    check(config);
    auto const planned = make_plan(plane_of(config, machine), machine);
    fuzz::require(!planned.pipelines.empty() && !describe(planned).empty());
  } catch (usage_error const& wrong) {
    check_line(wrong.what());
  } catch (failure const& failed) {
    check_line(failed.what());
  }
  return 0;
}
