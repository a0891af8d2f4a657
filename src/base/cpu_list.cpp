// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/cpu_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <numeric>

namespace packetwarp {
namespace {

constexpr unsigned most_cpus = 8192;  // the kernel's CONFIG_NR_CPUS_RANGE_END on x86-64

[[nodiscard]] std::optional<unsigned> cpu_of(std::string_view text) {
  unsigned cpu = 0;
  auto const* const behind = text.data() + text.size();
  auto const [end, error] = std::from_chars(text.data(), behind, cpu);
  return error == std::errc{} && end == behind && cpu < most_cpus ? std::optional{cpu} : std::nullopt;
}

}  // namespace

std::optional<cpu_list> parse_cpu_list(std::string_view text) {
  cpu_list cpus;
  while (!text.empty()) {
    auto const range = text.substr(0, text.find(','));
    auto const dash = range.find('-');
    auto const first = cpu_of(range.substr(0, dash));
    auto const last = dash == range.npos ? first : cpu_of(range.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    auto const begin = cpus.size();
    cpus.resize(begin + (*last - *first + 1));
    std::iota(cpus.begin() + static_cast<std::ptrdiff_t>(begin), cpus.end(), *first);
    text.remove_prefix(range.size());
    if (text.size() == 1) return std::nullopt;  // a comma and nothing after it
    if (!text.empty()) text.remove_prefix(1);
  }
  std::sort(cpus.begin(), cpus.end());
  cpus.erase(std::unique(cpus.begin(), cpus.end()), cpus.end());
  return cpus;
}

std::string to_text(cpu_list const& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    auto end = i;
    while (end + 1 < cpus.size() && cpus[end + 1] == cpus[end] + 1) ++end;
    text += fmt::format("{}{}", text.empty() ? "" : ",", cpus[i]);
    if (end != i) text += fmt::format("-{}", cpus[end]);
    i = end + 1;
  }
  return text;
}

cpu_list without(cpu_list const& cpus, cpu_list const& others) {
  cpu_list rest;
  std::set_difference(cpus.begin(), cpus.end(), others.begin(), others.end(), std::back_inserter(rest));
  return rest;
}

}  // namespace packetwarp
