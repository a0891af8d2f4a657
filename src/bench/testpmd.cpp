// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/testpmd.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "bench/child_process.h"
#include "telemetry/traffic.h"

namespace packetwarp::bench {
namespace {

using pause = child_process::pause;
using clock = child_process::clock;

constexpr auto start_patience = std::chrono::seconds{30};
constexpr auto warm_up = std::chrono::milliseconds{500};
constexpr std::string_view start_mark = " packet forwarding - ports=";
constexpr auto show = "show port stats all";

attempt testpmd_failed(std::string reason) {
  return {.status = case_status::failed, .reason = "testpmd " + std::move(reason)};
}

// The last whole line that contains the mark.
std::string_view line_with(std::string_view text, std::string_view mark) {
  auto const at = text.rfind(mark);
  if (at == std::string_view::npos) return {};
  auto const end = text.find('\n', at);
  if (end == std::string_view::npos) return {};
  auto const begin = text.rfind('\n', at);
  auto const first = begin == std::string_view::npos ? 0 : begin + 1;
  return text.substr(first, end - first);
}

// The line that reports the error: usage texts and clean-up follow it.
std::string complaint(child_process const& child) {
  for (auto const* text : {&child.errors(), &child.output()}) {
    for (auto const* mark : {"Error", "error", "cause:", "nvalid", "annot"}) {
      if (auto const line = line_with(*text, mark); !line.empty()) return std::string{line};
    }
  }
  return last_words(child.errors().empty() ? child.output() : child.errors());
}

// Lets the program run for this time.
pause let_run(child_process& child, std::chrono::nanoseconds time) {
  auto const end = clock::now() + time;
  return child.wait_until([] { return false; }, end);
}

// Drives testpmd from step to step; `late` is the expected end of the steps that only let time pass.
attempt drive(child_process& child, peer_parameters const& what, run_setup const& setup) {
  auto const started = [&] { return !line_with(child.output(), start_mark).empty(); };
  auto const came = child.wait_until(started, clock::now() + start_patience);
  if (came == pause::stopped) return {};
  if (came != pause::satisfied) return testpmd_failed("did not start: " + complaint(child));
  auto const line = line_with(child.output(), start_mark);
  if (!is_start_of(line, what)) return testpmd_failed(fmt::format("does not do what it was asked for: {}", line));
  for (auto const time : {std::chrono::nanoseconds{warm_up}, setup.run_time}) {
    auto const over = let_run(child, time);
    if (over == pause::stopped) return {};
    if (over == pause::ended || !child.say(show)) return testpmd_failed("ended by itself: " + complaint(child));
  }
  if (!child.say("stop") || !child.say("quit")) return testpmd_failed("ended by itself: " + complaint(child));
  auto const end = child.wait_for_end(clock::now() + start_patience);
  if (end == pause::stopped) return {};
  if (end != pause::ended) return testpmd_failed("does not end");
  auto const mpps = sent_mpps(child.output(), what.pipelines);
  if (!mpps) return testpmd_failed("did not show each port's rates twice");
  if (*mpps <= 0) return testpmd_failed("sent nothing");
  telemetry::traffic const a_second{static_cast<std::uint64_t>(*mpps * 1e6),
                                    static_cast<std::uint64_t>(*mpps * 1e6) * (what.frame_bytes - 4)};
  return {.status = case_status::ok,
          .measured = {.mpps = *mpps, .gbps_l1 = a_second.l1_bits() / 1e9, .gbps_l2 = a_second.l2_bits() / 1e9}};
}

}  // namespace

std::string find_program(std::string const& name) {
  auto const is_program = [](std::filesystem::path const& path) {
    std::error_code ignored;
    return std::filesystem::is_regular_file(path, ignored) && ::access(path.c_str(), X_OK) == 0;
  };
  if (name.find('/') != std::string::npos) return is_program(name) ? name : "";
  char const* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    auto const end = std::min(rest.find(':'), rest.size());
    auto const file = std::filesystem::path{rest.substr(0, end)} / name;
    if (end != 0 && is_program(file)) return file.string();
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

bool is_start_of(std::string_view line, peer_parameters const& what) {
  return line.starts_with(fmt::format("{}{}{} - cores={} ", to_string(what.mode), start_mark, what.pipelines,
                                      std::min<unsigned>(what.pipelines, what.lcores - 1)));
}

std::optional<double> sent_mpps(std::string_view output, unsigned ports) {
  constexpr std::string_view mark = "Tx-pps:";
  std::vector<double> rates;
  for (auto at = output.find(mark); at != std::string_view::npos; at = output.find(mark, at)) {
    at = std::min(output.find_first_not_of(' ', at + mark.size()), output.size());
    std::uint64_t packets = 0;
    auto const [end, error] = std::from_chars(output.data() + at, output.data() + output.size(), packets);
    if (error != std::errc{}) return std::nullopt;
    rates.push_back(static_cast<double>(packets));
  }
  if (rates.size() != std::size_t{2} * ports) return std::nullopt;
  double sum = 0;
  for (std::size_t i = ports; i < rates.size(); ++i) sum += rates[i];
  return sum / 1e6;
}

attempt run_once(peer_parameters const& what, run_setup const& setup) {
  auto const words = command_of(what, setup);
  child_process child{words.front(), words};
  auto made = drive(child, what, setup);
  if (made.status == case_status::pending) child.stop();
  return made;
}

}  // namespace packetwarp::bench
