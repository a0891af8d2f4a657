// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/generate/through.h"

#include <fmt/format.h>

#include <iterator>
#include <sstream>

#include "base/error.h"
#include "cli/l2fwd/options.h"
#include "port/ring_wire.h"
#include "traffic/loop.h"

namespace packetwarp {
namespace {

std::vector<std::string> split_words(std::string const& text) {
  std::istringstream in{text};
  return {std::istream_iterator<std::string>{in}, {}};
}

}  // namespace

data_plane_config parse_through(std::string const& text) {
  l2fwd_options parsed;
  try {
    parsed = parse_l2fwd_options(
        {.program = "", .command = "l2fwd", .eal = {}, .options = split_words(text), .wants_help = false});
  } catch (usage_error const& wrong) {
    throw usage_error(fmt::format("--through \"{}\": {}", text, wrong.what()));
  }
  auto const& limits = parsed.limits;
  if (limits.packets != 0 || limits.warmup != 0 || limits.until_idle.count() != 0 || limits.duration.count() != 0 ||
      !parsed.json.empty()) {
    throw usage_error(
        fmt::format("--through \"{}\": -v, -z, --until-idle, --duration and --json are not for the data plane between; "
                    "say --count, --duration and --json of generate",
                    text));
  }
  if (!parsed.control.empty() || !parsed.observers.metrics.empty() || !parsed.observers.event_log.empty()) {
    throw usage_error(
        fmt::format("--through \"{}\": --control, --metrics and --event-log are l2fwd's own; leave them out", text));
  }
  if (parsed.plane.pipelines > traffic::loop::most_pipelines) {
    throw usage_error(fmt::format(
        "--through \"{}\": -p: {} is out of range; allowed are 1 to {}, because each of its {} wires has at "
        "most {} queues, one for each pipeline",
        text, parsed.plane.pipelines, traffic::loop::most_pipelines, traffic::loop::wires, ring_wire::most_queues));
  }
  if (!parsed.plane.replays.empty()) {
    throw usage_error(
        fmt::format("--through \"{}\": --replay overwrites the sent packets; use --replay of generate", text));
  }
  return parsed.plane;
}

}  // namespace packetwarp
