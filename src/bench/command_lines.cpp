// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/command_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "bench/eal_options.h"
#include "telemetry/traffic.h"

namespace packetwarp::bench {
namespace {

// The time as options take it, in the largest unit of which it is a whole number.
std::string time_word(std::chrono::nanoseconds time) {
  for (auto const& [unit, name] : {std::pair{std::int64_t{1'000'000'000}, "s"},
                                   std::pair{std::int64_t{1'000'000}, "ms"}, std::pair{std::int64_t{1'000}, "us"}}) {
    if (time.count() % unit == 0) return fmt::format("{}{}", time.count() / unit, name);
  }
  return fmt::format("{}ns", time.count());
}

std::vector<std::string> eal_words(run_setup const& setup, std::uint32_t lcores) {
  auto const count = std::min<std::size_t>(lcores, setup.cpus.size());
  std::vector<std::string> words{"-l", to_text(std::span{setup.cpus}.first(count))};
  words.insert(words.end(), setup.eal.begin(), setup.eal.end());
  return words;
}

// Adds a port for each pipeline: one pipeline receives from the port, and its peer's sends by it. copy=0: forwarding is
// measured, not memcpy.
void add_null_ports(std::vector<std::string>& to, std::uint32_t frame_bytes, std::uint16_t ports) {
  for (unsigned i = 0; i < ports; ++i) {
    to.push_back(fmt::format("--vdev=net_null{},copy=0,size={}", i, frame_bytes - telemetry::traffic::fcs_bytes));
  }
}

// Enough packets to warm the caches, and only a small part of the run even for a slow executor.
std::uint64_t warm_up_packets(parameters const& what, std::chrono::nanoseconds run_time) {
  constexpr double a_second = 250'000, most = 1'000'000;
  auto packets = std::min(a_second * std::chrono::duration<double>(run_time).count(), most);
  if (what.packet_time.count() != 0) {
    packets =
        std::min(packets, 0.1 * static_cast<double>(run_time.count()) / static_cast<double>(what.packet_time.count()));
  }
  return std::max<std::uint64_t>(static_cast<std::uint64_t>(packets), 1) * what.pipelines;
}

void add_words(std::vector<std::string>& to, std::string const& words) {
  std::istringstream in{words};
  for (std::string word; in >> word;) to.push_back(word);
}

std::vector<std::string> forward_command(parameters const& what, run_setup const& setup) {
  std::vector<std::string> words{"packetwarp", "l2fwd"};
  auto const eal = eal_words(setup, what.lcores);
  words.insert(words.end(), eal.begin(), eal.end());
  add_null_ports(words, what.frame_bytes, what.pipelines);
  words.emplace_back("--");
  add_words(words, plane_words(what));
  constexpr std::uint32_t usual_data_room = 2048;
  if (what.frame_bytes > usual_data_room) add_words(words, fmt::format("-d {}", what.frame_bytes));
  add_words(words, fmt::format("--warmup {} --duration {} --stats-period 0 --json -",
                               warm_up_packets(what, setup.run_time), time_word(setup.run_time)));
  return words;
}

// The data plane under test has two ports; with one pipeline only one of them is fed.
std::string rate_word(parameters const& what, double mpps) {
  return fmt::format("{:.0f}pps", std::max(1.0, mpps * 1e6 / std::min<unsigned>(what.pipelines, 2)));
}

std::vector<std::string> generate_command(parameters const& what, run_setup const& setup, std::string const& how_fast) {
  std::vector<std::string> words{"packetwarp", "generate"};
  auto const eal = eal_words(setup, what.lcores);
  words.insert(words.end(), eal.begin(), eal.end());
  words.insert(words.end(), {"--", "--through", plane_words(what)});
  add_words(words, fmt::format("--rate {} --size {} --check signature --duration {} --stats-period 0 --json -",
                               how_fast, what.frame_bytes, time_word(setup.run_time)));
  return words;
}

bool is_plain(std::string const& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view{"-_=,./:@+"}.find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::string quoted(std::string const& word) {
  std::string made{'\''};
  for (char const c : word) c == '\'' ? made.append("'\\''") : made.append(1, c);
  return made + '\'';
}

}  // namespace

std::string plane_words(parameters const& what) {
  auto text = fmt::format("-w {}", to_string(what.executor));
  text += what.where == placement::split ? " -s" : fmt::format(" -m {}", to_string(what.where));
  text += fmt::format(" -b {} -p {}", what.burst, what.pipelines);
  if (what.packet_time.count() != 0) text += " -t " + time_word(what.packet_time);
  return text + fmt::format(" --workers {}", to_string(what.workers));
}

std::vector<std::string> command_of(parameters const& what, run_setup const& setup) {
  if (!what.offered_mpps) return forward_command(what, setup);
  return generate_command(what, setup, rate_word(what, *what.offered_mpps));
}

std::vector<std::string> trial_command(parameters const& what, run_setup const& setup,
                                       std::optional<double> offered_mpps) {
  if (!offered_mpps) return generate_command(what, setup, "max");
  auto words = generate_command(what, setup, rate_word(what, *offered_mpps));
  words.insert(words.end(), {"--when-full", "drop"});
  return words;
}

std::vector<std::string> command_of(peer_parameters const& what, run_setup const& setup) {
  // Into a pipe testpmd would print in blocks, and its start would be seen late.
  std::vector<std::string> words{"stdbuf", "-oL", setup.testpmd};
  auto eal = eal_words(setup, what.lcores);
  if (!setup.machine.has_free_hugepages) eal = complete_eal_arguments(std::move(eal), setup.machine).words;
  words.insert(words.end(), eal.begin(), eal.end());
  add_null_ports(words, what.frame_bytes, what.pipelines);
  add_words(words, fmt::format("-- -i --forward-mode={} --burst={} --nb-cores={} --no-lsc-interrupt --auto-start",
                               to_string(what.mode), what.burst, std::min<unsigned>(what.pipelines, what.lcores - 1)));
  return words;
}

std::string joined(std::vector<std::string> const& words) {
  std::string line;
  for (auto const& word : words) {
    line.append(line.empty() ? "" : " ").append(is_plain(word) ? word : quoted(word));
  }
  return line;
}

}  // namespace packetwarp::bench
