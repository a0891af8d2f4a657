// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <thread>

#include "base/error.h"
#include "base/process/stop.h"
#include "cli/command.h"
#include "cli/control/control_client.h"
#include "cli/top/frame.h"
#include "cli/top/gpu_probe.h"
#include "cli/top/options.h"
#include "cli/top/sections.h"
#include "cli/top/terminal.h"

namespace packetwarp {
namespace {

using clock = std::chrono::steady_clock;

// The two last samples of one packetwarp.
class watched {
 public:
  explicit watched(std::optional<std::string> const& control) : control_{control_client{control}.path()} {}

  // Takes another sample; false if no caller waited for it. Throws failure if packetwarp has ended or is silent.
  [[nodiscard]] bool look(std::function<bool()> const& is_waited_for) {
    // Each sample has a connection: a screen may stand still for longer than the server's patience.
    control_client running{control_, limits_of_readers};
    auto report = running.ask({.command = "report", .arguments = {}}, is_waited_for);
    if (!report) return false;
    if (!telemetry::part(*report, "elapsed_seconds").is_number()) refuse_answer();
    auto gpus = gpus_.read(*report);
    // The same report again would show no change.
    if (now_ && telemetry::number(now_->report, "elapsed_seconds") != telemetry::number(*report, "elapsed_seconds")) {
      before_ = std::move(now_);
    }
    now_ = top_sample{std::move(*report), std::move(gpus)};
    return true;
  }
  [[nodiscard]] top_sample const* before() const { return before_ ? &*before_ : nullptr; }
  [[nodiscard]] top_sample const& now() const { return *now_; }

 private:
  std::string control_;
  gpu_probe gpus_;
  std::optional<top_sample> before_;
  std::optional<top_sample> now_;
};

[[nodiscard]] bool is_wanted() { return stop_requested() == stop_request::none; }

// False if the user has asked to stop meanwhile.
[[nodiscard]] bool is_wanted_for(std::chrono::nanoseconds time) {
  for (auto const until = clock::now() + time; clock::now() < until && is_wanted();) {
    std::this_thread::sleep_for(
        std::min<std::chrono::nanoseconds>(until - clock::now(), std::chrono::milliseconds{50}));
  }
  return is_wanted();
}

// Longer than the greatest --report-age of a run, a minute.
constexpr std::chrono::seconds most_for_another_report{65};

void print_once(watched& running, std::chrono::nanoseconds period) {
  if (!running.look(is_wanted)) return;
  auto const since = clock::now();
  // A report may be a second old: rates need another report.
  do {
    if (!is_wanted_for(period) || !running.look(is_wanted)) return;
    if (running.before() == nullptr && clock::now() - since >= period + most_for_another_report) {
      throw failure(fmt::format("top: packetwarp has made no other report for {} s; it stands still",
                                most_for_another_report.count()));
    }
  } while (running.before() == nullptr);
  fmt::print("{}", plain_frame(running.before(), running.now()));
}

void print_frames(watched& running, std::chrono::nanoseconds period) {
  for (bool is_first = true; running.look(is_wanted); is_first = false) {
    if (!is_first) {
      fmt::print("{}\n", plain_frame(running.before(), running.now()));
      if (std::fflush(stdout) != 0) throw failure("top: standard output takes no more");
    }
    if (!is_wanted_for(period)) return;
  }
}

// Applies a key to the screen; false for the end.
[[nodiscard]] bool act(key pressed, top_view& view, clock::time_point& next) {
  auto const page = static_cast<std::size_t>(view.page);
  auto const turn_to = [&](std::size_t to) {
    view.page = static_cast<top_page>(to % top_pages().size());
    view.first_line = 0;
  };
  switch (pressed) {
    case key::quit:
      return false;
    case key::pause:
      view.pace = view.pace == top_pace::paused ? top_pace::live : top_pace::paused;
      break;
    case key::next_page:
      turn_to(page + 1);
      break;
    case key::previous_page:
      turn_to(page + top_pages().size() - 1);
      break;
    case key::up:
      if (view.first_line != 0) --view.first_line;
      break;
    case key::down:
      ++view.first_line;
      break;
    case key::sort:
      view.sort = view.sort == top_sort::by_number ? top_sort::by_rate : top_sort::by_number;
      break;
    case key::refresh:
      next = clock::now();
      break;
    case key::none:
      break;
  }
  return true;
}

void watch(watched& running, std::chrono::nanoseconds period) {
  top_view view{.period = period};
  terminal screen;
  auto next = clock::now();
  bool is_open = true;
  bool is_refreshed = false;
  auto const take_key = [&](std::chrono::milliseconds most) {
    auto const pressed = screen.wait(most);
    is_refreshed |= pressed == key::refresh;
    is_open = is_open && is_wanted() && pressed && act(*pressed, view, next);
    return is_open;
  };
  while (is_open) {
    if (clock::now() >= next && (view.pace == top_pace::live || is_refreshed)) {
      is_refreshed = false;
      if (!running.look([&] { return take_key(std::chrono::milliseconds{0}); })) return;
      next = clock::now() + period;
    }
    auto const [columns, lines] = screen.size();
    screen.show(frame(running.before(), running.now(), view, columns, lines));
    constexpr std::chrono::milliseconds most{500};
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(next - clock::now());
    (void)take_key(view.pace == top_pace::paused ? most : std::clamp(left, std::chrono::milliseconds{0}, most));
  }
}

}  // namespace

int run_top(invocation const& call) {
  auto const options = parse_top_options(call);
  watched running{options.control};
  switch (options.output) {
    case top_output::screen:
      watch(running, options.period);
      break;
    case top_output::plain:
      print_frames(running, options.period);
      break;
    case top_output::once:
      print_once(running, options.period);
      break;
  }
  return exit_success;
}

}  // namespace packetwarp
