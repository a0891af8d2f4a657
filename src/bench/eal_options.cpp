// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/eal_options.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <charconv>

#include "base/error.h"

namespace packetwarp::bench {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> names) {
  auto const name = word.substr(0, word.find('='));
  return std::find(names.begin(), names.end(), name) != names.end();
}

void refuse_what_bench_gives(std::string const& word) {
  if (is_one_of(word, {"--lcores", "--main-lcore", "-c", "-S", "-s"})) {
    throw usage_error(fmt::format("{}: bench chooses each run's lcores; give CPUs to choose from, as -l 0-8", word));
  }
  if (is_one_of(word, {"--vdev", "-a", "--allow"}) || (word.starts_with("-a") && !word.starts_with("--"))) {
    throw usage_error(fmt::format("{}: bench makes its own ports; to measure on yours, use 'packetwarp l2fwd'", word));
  }
}

void require_allowed(std::vector<unsigned> const& chosen, std::vector<unsigned> const& allowed) {
  for (auto const cpu : chosen) {
    if (std::find(allowed.begin(), allowed.end(), cpu) != allowed.end()) continue;
    throw usage_error(
        fmt::format("-l: CPU {} is not one that this process may use; allowed are {}", cpu, to_text(allowed)));
  }
}

bool has(std::vector<std::string> const& words, std::initializer_list<std::string_view> names) {
  return std::any_of(words.begin(), words.end(), [&](auto const& word) { return is_one_of(word, names); });
}

}  // namespace

std::vector<unsigned> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {0};
  std::vector<unsigned> all;
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) all.push_back(cpu);
  }
  return all;
}

std::vector<unsigned> parse_cpus(std::string const& text) {
  std::vector<unsigned> all;
  auto const* at = text.data();
  auto const* const end = at + text.size();
  auto const take = [&] {
    unsigned cpu = 0;
    auto const [next, error] = std::from_chars(at, end, cpu);
    if (error != std::errc{} || cpu >= CPU_SETSIZE) {
      throw usage_error(
          fmt::format("-l: '{}' is wrong at column {}; expected CPUs such as 0-3,8", text, at - text.data() + 1));
    }
    at = next;
    return cpu;
  };
  while (true) {
    auto const first = take();
    auto last = first;
    if (at != end && *at == '-') {
      ++at;
      last = take();
    }
    for (auto cpu = first; cpu <= last; ++cpu) {
      if (std::find(all.begin(), all.end(), cpu) == all.end()) all.push_back(cpu);
    }
    if (at == end && last >= first) return all;
    if (last < first || *at != ',') {
      throw usage_error(
          fmt::format("-l: '{}' is wrong before column {}; expected CPUs such as 0-3,8", text, at - text.data() + 1));
    }
    ++at;
  }
}

std::string to_text(std::span<unsigned const> cpus) {
  std::string text;
  for (auto const cpu : cpus) text.append(text.empty() ? "" : ",").append(std::to_string(cpu));
  return text;
}

eal_choice take_eal_options(std::vector<std::string> const& given, std::vector<unsigned> allowed) {
  eal_choice made;
  for (std::size_t i = 0; i < given.size(); ++i) {
    auto const& word = given[i];
    if (!word.starts_with("-l")) {
      refuse_what_bench_gives(word);
      made.words.push_back(word);
      continue;
    }
    if (word.size() == 2 && i + 1 == given.size()) throw usage_error("-l: needs CPUs, as -l 0-3");
    auto const cpus = word.size() == 2 ? given[++i] : word.substr(2);
    made.cpus = cpus == "allowed" ? allowed : parse_cpus(cpus);
    require_allowed(made.cpus, allowed);
  }
  if (made.cpus.empty()) made.cpus = std::move(allowed);
  if (!has(made.words, {"--in-memory", "--no-huge", "--huge-dir", "--file-prefix"}))
    made.words.emplace_back("--in-memory");
  if (!has(made.words, {"--no-pci"})) made.words.emplace_back("--no-pci");
  return made;
}

}  // namespace packetwarp::bench
