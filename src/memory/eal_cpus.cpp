// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/eal_cpus.h"

#include <fmt/format.h>
#include <rte_config.h>
#include <sched.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <thread>

#include "base/error.h"
#include "memory/eal_words.h"

namespace packetwarp {
namespace {

using lcore = requested_lcores::lcore;

[[nodiscard]] lcore on_cpu_of_its_number(unsigned id) { return {.id = id, .cpus = {id}}; }

[[nodiscard]] std::vector<lcore> lcores_of_list(std::string const& text) {
  auto const cpus = parse_cpu_list(text);
  if (!cpus || cpus->empty()) throw usage_error(fmt::format("-l: '{}' is no list of CPUs such as 0-3,8", text));
  std::vector<lcore> made;
  for (auto const cpu : *cpus) made.push_back(on_cpu_of_its_number(cpu));
  return made;
}

[[nodiscard]] std::vector<lcore> lcores_of_mask(std::string const& text) {
  if (!is_coremask(text)) {
    throw usage_error(fmt::format(
        "-c: '{}' is no coremask (hexadecimal, as 0x3); -l 0-1 says the same, and a file goes after `--`", text));
  }
  auto const digits = std::string_view{text}.substr(text.find_first_of("xX") == text.npos ? 0 : 2);
  std::vector<lcore> made;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    auto const digit = digits[digits.size() - 1 - i];
    auto const bits = std::isdigit(static_cast<unsigned char>(digit)) != 0 ? digit - '0' : (digit | 0x20) - 'a' + 10;
    for (unsigned bit = 0; bit < 4; ++bit) {
      if ((bits >> bit & 1) != 0) made.push_back(on_cpu_of_its_number(static_cast<unsigned>(i * 4 + bit)));
    }
  }
  if (made.empty()) throw usage_error(fmt::format("-c: '{}' names no CPU", text));
  return made;
}

// Takes "3", "0-2", or "(0,2-3)" off the front of the text.
[[nodiscard]] std::optional<cpu_list> take_set(std::string_view& text) {
  auto const has_brackets = text.starts_with('(');
  auto const end = std::min(has_brackets ? text.find(')') : text.find_first_of(",@"), text.size());
  if (has_brackets && end == text.size()) return std::nullopt;
  auto made = parse_cpu_list(text.substr(has_brackets ? 1 : 0, end - (has_brackets ? 1 : 0)));
  text.remove_prefix(end + (has_brackets ? 1 : 0));
  return made && !made->empty() ? made : std::nullopt;
}

// Parses "<lcores[@cpus]>[,<lcores[@cpus]>...]". Lcores in brackets share all the CPUs of the brackets; an lcore
// without brackets and without CPUs has the CPU of its number.
[[nodiscard]] std::optional<std::vector<lcore>> lcores_of_map(std::string_view text) {
  std::vector<lcore> made;
  while (true) {
    auto const share = text.starts_with('(');
    auto const ids = take_set(text);
    if (!ids) return std::nullopt;
    std::optional<cpu_list> cpus;
    if (text.starts_with('@')) {
      text.remove_prefix(1);
      if (!(cpus = take_set(text))) return std::nullopt;
    } else if (share) {
      cpus = ids;
    }
    for (auto const id : *ids) made.push_back(cpus ? lcore{.id = id, .cpus = *cpus} : on_cpu_of_its_number(id));
    if (text.empty()) return made;
    if (!text.starts_with(',')) return std::nullopt;
    text.remove_prefix(1);
  }
}

[[nodiscard]] std::vector<lcore> lcores_of_map(std::string const& given) {
  auto text = given;
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  auto made = lcores_of_map(std::string_view{text});
  if (!made) throw usage_error(fmt::format("--lcores: '{}' is no map of lcores such as (0-3)@0,4@1", given));
  return *std::move(made);
}

[[nodiscard]] bool says_lcores(std::string_view option) {
  return option == "-l" || option == "-c" || option == "--lcores";
}

// "2,5-7", or "0@130,1@131" where a CPU's number is too high for an lcore.
[[nodiscard]] std::string lcores_on(cpu_list const& cpus) {
  if (cpus.back() < RTE_MAX_LCORE) return to_text(cpus);
  std::string map;
  for (std::size_t i = 0; i < cpus.size(); ++i) map += fmt::format("{}{}@{}", map.empty() ? "" : ",", i, cpus[i]);
  return map;
}

}  // namespace

cpu_list requested_lcores::cpus() const {
  cpu_list all;
  for (auto const& one : lcores) all.insert(all.end(), one.cpus.begin(), one.cpus.end());
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

requested_lcores read_requested_lcores(std::span<std::string const> words) {
  requested_lcores asked;
  for (auto const& word : read_eal_words(words)) {
    if (!says_lcores(word.name)) continue;
    if (!word.value) throw usage_error(fmt::format("{}: needs CPUs, as -l 0-3", word.name));
    if (!asked.option.empty()) {
      throw usage_error(fmt::format("{} beside {}: lcores are said once", word.name, asked.option));
    }
    asked.option = word.name;
    asked.lcores = word.name == "-l"   ? lcores_of_list(*word.value)
                   : word.name == "-c" ? lcores_of_mask(*word.value)
                                       : lcores_of_map(*word.value);
  }
  std::ranges::sort(asked.lcores, {}, &lcore::id);
  return asked;
}

cpu_list usable_cpus() {
  cpu_list usable;
  // A thread of its own, whose CPUs do not matter, tries all CPUs: the kernel removes the unusable ones.
  std::thread{[&] {
    cpu_set_t set;
    std::fill_n(reinterpret_cast<unsigned char*>(&set), sizeof set, static_cast<unsigned char>(0xff));
    (void)::sched_setaffinity(0, sizeof set, &set);
    if (::sched_getaffinity(0, sizeof set, &set) != 0) return;
    for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
      if (CPU_ISSET(cpu, &set)) usable.push_back(cpu);
    }
  }}.join();
  return usable;
}

cpu_list allowed_cpus() {
  cpu_list allowed;
  cpu_set_t set;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return usable_cpus();
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) allowed.push_back(cpu);
  }
  return allowed;
}

std::vector<std::string> with_allowed_lcores(std::span<std::string const> words, cpu_list allowed) {
  std::vector<std::string> made{words.begin(), words.end()};
  for (auto const& word : read_eal_words(words)) {
    if ((word.name != "-l" && word.name != "--lcores") || word.value != allowed_lcores) continue;
    if (allowed.size() < 2) {
      throw usage_error(fmt::format(
          "{} allowed: this process may use CPU {} only, and the master and a worker need one each; give it two CPUs "
          "or more: in a pod resources.limits.cpu and resources.requests.cpu, 2 or more, whole and equal",
          word.name, to_text(allowed)));
    }
    if (allowed.size() > RTE_MAX_LCORE) allowed.resize(RTE_MAX_LCORE);
    auto const value = lcores_on(allowed);
    auto const option = value.find('@') == value.npos ? word.name : std::string{"--lcores"};
    auto const is_joined = made[word.at].ends_with(allowed_lcores);
    auto const* const between = option.starts_with("--") ? "=" : "";
    made[word.at] = is_joined ? fmt::format("{}{}{}", option, between, value) : option;
    if (!is_joined) made[word.at + 1] = value;
  }
  return made;
}

void require_usable_cpus(requested_lcores const& asked, cpu_list const& usable) {
  if (auto const missing = without(asked.cpus(), usable); !missing.empty() && !usable.empty()) {
    throw usage_error(fmt::format("{}: CPU {} is not one that this process may use; it may use {}{}", asked.option,
                                  to_text(missing), to_text(usable),
                                  usable.size() < asked.lcores.size()
                                      ? fmt::format(", and --lcores '(0-{})@{}' puts several lcores on one",
                                                    asked.lcores.size() - 1, usable.front())
                                      : ""));
  }
  auto const beyond = std::ranges::find_if(asked.lcores, [](auto const& one) { return one.id >= RTE_MAX_LCORE; });
  if (beyond == asked.lcores.end()) return;
  throw usage_error(fmt::format("{}: lcores are numbered up to {}; for CPU {} say --lcores 0@{}", asked.option,
                                RTE_MAX_LCORE - 1, beyond->cpus.front(), beyond->cpus.front()));
}

std::vector<std::string> without_lcores(std::span<std::string const> words) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string_view const word{words[i]};
    auto const is = [&](std::string_view option) {
      return word.starts_with(option) &&
             (!option.starts_with("--") || word.size() == option.size() || word[option.size()] == '=');
    };
    auto const* const found = [&]() -> char const* {
      for (auto const* option : {"-l", "-c", "--lcores", "--main-lcore"}) {
        if (is(option)) return option;
      }
      return nullptr;
    }();
    if (found == nullptr) {
      kept.push_back(words[i]);
    } else if (word == found) {
      ++i;  // skips its value
    }
  }
  return kept;
}

}  // namespace packetwarp
