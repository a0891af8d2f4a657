// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/capture/capture_requests.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/thread/background.h"
#include "cli/capture/stages.h"
#include "cli/capture/stream_output.h"
#include "cli/option_values.h"
#include "control/action.h"
#include "network/control_service.h"
#include "telemetry/text_table.h"

namespace packetwarp {
namespace {

[[nodiscard]] std::uint16_t port_of(std::string const& text, data_plane const& plane,
                                    std::vector<std::string> const& aliases) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < plane.ports().size(); ++i) {
    auto const& facts = plane.ports()[i].facts();
    auto const number = std::to_string(facts.id.value());
    auto const alias = i < aliases.size() ? aliases[i] : std::string{};
    if (text == number || text == facts.name || (!alias.empty() && text == alias)) {
      require_here(plane.ports()[i]);
      return static_cast<std::uint16_t>(i);
    }
    known.push_back(fmt::format("{} ({}{}{})", number, facts.name, alias.empty() ? "" : ", ", alias));
  }
  throw usage_error(fmt::format("--port: there is no port '{}'; give one of {}", text, telemetry::with_commas(known)));
}

// The drop and punt reasons that packets of these stages may have.
[[nodiscard]] std::vector<std::string> reasons_of(capture_selection const& wanted, capture_service const& captures) {
  std::vector<std::string> known;
  auto const add = [&](std::string_view name) {
    if (!name.empty() && std::find(known.begin(), known.end(), name) == known.end()) known.emplace_back(name);
  };
  if (wants(wanted, capture_stage::dropped)) {
    for (auto const name : captures.names()) add(name);
    for (auto const name : control_drop_names) add(name);
    add(no_room_name);
  }
  if (wants(wanted, capture_stage::punted)) {
    for (std::size_t n = 0; n < punt_reasons; ++n) add(to_string(static_cast<punt_reason>(n)));
  }
  return known;
}

void require_reason(capture_selection const& wanted, capture_service const& captures) {
  if (wanted.reason.empty()) return;
  auto const known = reasons_of(wanted, captures);
  if (std::find(known.begin(), known.end(), wanted.reason) != known.end()) return;
  throw usage_error(known.empty()
                        ? std::string{"--reason: only packets of --stage dropped or punted have one"}
                        : fmt::format("--reason: '{}' is none of {}", wanted.reason, telemetry::with_commas(known)));
}

// Buffers of captures are this process's memory, so their size is bounded.
constexpr std::size_t least_buffer = std::size_t{1} << 20;
constexpr std::size_t most_buffer = std::size_t{4} << 30;

[[nodiscard]] std::size_t buffer_of(std::string const& text) {
  auto const bytes = parse_size(text, "--buffer");
  if (bytes >= least_buffer && bytes <= most_buffer) return bytes;
  throw usage_error(fmt::format("--buffer: {} is out of range; allowed are 1m to 4g", text));
}

[[nodiscard]] file_id id_of(std::string const& text) {
  file_id made;
  auto const* const end = text.data() + text.size();
  auto const device = std::from_chars(text.data(), end, made.device);
  bool const has_inode = device.ec == std::errc{} && device.ptr != end && *device.ptr == ':';
  auto const inode = has_inode ? std::from_chars(device.ptr + 1, end, made.inode) : device;
  if (!has_inode || inode.ec != std::errc{} || inode.ptr != end) {
    throw usage_error("capture: 'file' is no DEVICE:INODE; ask by packetwarp capture");
  }
  return made;
}

// On a thread of its own, which is detached: a disk may keep it for ever.
[[nodiscard]] std::shared_future<void> require_another_file(file_id wanted, std::vector<std::string> own) {
  std::packaged_task<void()> task{[wanted, own = std::move(own)] {
    yield_to_forwarding();
    auto const* const found = find_file(wanted, own);
    if (found == nullptr) return;
    throw usage_error(
        fmt::format("-w: the running packetwarp reads or writes this file itself, as {}; give another one", *found));
  }};
  auto made = task.get_future().share();
  std::thread{std::move(task)}.detach();
  return made;
}

[[nodiscard]] owned_fd connect_to_client(std::string const& stream) {
  try {
    return connect_at_once(stream);
  } catch (failure const&) {
    throw failure(fmt::format(
        "capture: the running packetwarp cannot connect to {}, at which the command waits for packets: it has another "
        "/tmp (PrivateTmp of systemd, a container) or is another user's; give a folder by TMPDIR that both reach, or "
        "run the command as its user and in its container",
        stream));
  }
}

// A capture that has been asked for.
struct capture_begin {
  std::shared_future<void> checked{};  // nothing: there is no file to check
  capture_selection wanted{};
  capture_file file{};
  std::string stream{};
  bool is_done{false};

  // False: the check is not over, or the capture before has just ended.
  [[nodiscard]] bool step(capture_service& captures) {
    if (is_done) return true;
    if (checked.valid()) {
      if (checked.wait_for(std::chrono::seconds{0}) != std::future_status::ready) return false;
      checked.get();
    }
    if (captures.is_ending()) return false;
    is_done = true;
    captures.begin(std::move(wanted), std::move(file), std::make_unique<stream_output>(connect_to_client(stream)));
    return true;
  }
};

}  // namespace

std::string to_text(file_id id) { return fmt::format("{}:{}", id.device, id.inode); }

request_work carry_out_capture(request const& asked, capture_service& captures, data_plane const& plane,
                               captured_run const& of) {
  asked.require_known(
      {"stream", "stages", "port", "reason", "program", "filter", "packets", "bytes", "buffer", "file"});
  auto const& aliases = of.aliases;
  auto const stream = asked.find("stream");
  if (!stream) throw usage_error("capture: no stream to write to; ask by packetwarp capture");
  capture_selection wanted{.stages = parse_stages(asked.find("stages").value_or("rx"))};
  if (auto const port = asked.find("port")) wanted.port = port_of(*port, plane, aliases);
  wanted.reason = asked.find("reason").value_or("");
  require_reason(wanted, captures);
  if (auto const program = asked.find("program")) wanted.filter = parse_filter_program(*program);
  take_count(asked.find("bytes"), "--bytes", 1, capture_buffer::longest, wanted.snap);
  if (auto const buffer = asked.find("buffer")) wanted.buffer = buffer_of(*buffer);
  capture_file file;
  take_count(asked.find("packets"), "--packets", 1, no_most, file.packets);
  for (std::size_t i = 0; i < plane.ports().size(); ++i) {
    file.ports.push_back({.name = {},
                          .description = i < aliases.size() ? aliases[i] : std::string{},
                          .mac = {},
                          .bits_per_second = 0,
                          .snap = 0,
                          .filter = asked.find("filter").value_or("")});
  }
  auto const begin = std::make_shared<capture_begin>();
  if (auto const id = asked.find("file")) begin->checked = require_another_file(id_of(*id), of.files);
  begin->wanted = std::move(wanted);
  begin->file = std::move(file);
  begin->stream = *stream;
  return [begin, &captures]() -> std::optional<std::string> {
    if (!begin->step(captures) || captures.is_beginning()) return std::nullopt;
    return success_line(json::object());
  };
}

}  // namespace packetwarp
