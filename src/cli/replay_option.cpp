// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/replay_option.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/log/log.h"
#include "plan/plan.h"
#include "port/replay/replayed_frames.h"
#include "traffic/capture/capture.h"

namespace packetwarp {
namespace {

// The frames of the list point into the capture.
struct replayed_capture {
  traffic::capture recorded;
  frame_list list;
};

[[nodiscard]] std::shared_ptr<frame_list const> read_frames(std::string const& file) {
  // The packets that frames are written into limit their length; reading sets no limit.
  constexpr traffic::capture::limits any_length{.packet_bytes = std::numeric_limits<std::uint32_t>::max()};
  auto read = std::make_shared<replayed_capture>(
      replayed_capture{.recorded = traffic::capture::read(file, any_length), .list = {.file = file, .frames = {}}});
  auto const& recorded = read->recorded;
  if (!recorded.problem().empty()) log().warn("{}; the packets before that are replayed", recorded.problem());
  if (recorded.skipped() != 0) {
    log().warn("{}: {} packets left out: recorded only in part, or shorter than an Ethernet header", file,
               recorded.skipped());
  }
  for (auto const& one : recorded.packets()) read->list.frames.push_back(recorded.bytes(one));
  return {read, &read->list};
}

}  // namespace

std::vector<replay_config> parse_replays(std::vector<std::string> const& values) {
  std::vector<replay_config> replays;
  for (auto const& value : values) {
    auto const equals = value.find('=');
    if (equals == value.npos || equals == 0 || equals + 1 == value.size()) {
      throw usage_error(fmt::format("--replay: '{}' is not PORT=CAPTURE, such as 0=flows.pcap", value));
    }
    replays.push_back({.port = value.substr(0, equals), .file = value.substr(equals + 1)});
    auto const& port = replays.back().port;
    if (std::count_if(replays.begin(), replays.end(), [&](auto const& one) { return one.port == port; }) > 1) {
      throw usage_error(fmt::format("--replay: port '{}' is given twice", port));
    }
  }
  return replays;
}

void read_replays(data_plane_config& plane) {
  require_writable_packets(plane);
  for (auto& replay : plane.replays) replay.frames = read_frames(replay.file);
}

}  // namespace packetwarp
