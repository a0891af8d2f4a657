// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/misplaced.h"

#include <fmt/format.h>
#include <rte_config.h>
#include <rte_version.h>

#include <algorithm>
#include <array>

#include "base/error.h"
#include "memory/eal_words.h"

namespace packetwarp {
namespace {

// Later EAL versions have options that are not known here; then the EAL judges a word that is in no list.
constexpr bool knows_all_options = RTE_VERSION < RTE_VERSION_NUM(23, 3, 0, 0);

[[nodiscard]] bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// Whether the EAL can accept this value. packetwarp and the EAL share these letters: -b (a device's address), -c and -s
// (coremasks), -d (a library or a folder), -m (MiB), -n (channels).
[[nodiscard]] bool suits_the_eal(eal_word const& word) {
  if (word.name.size() != 2) return true;
  auto const value = word.value.value_or("");
  switch (word.name[1]) {
    case 'b':
      return !value.empty() && !is_number(value);
    case 'c':
    case 's':
      return is_coremask(value);
    case 'd':  // "2k" is a size
      return !value.empty() && (value.front() < '0' || value.front() > '9' || value.find_first_of("./") != value.npos);
    case 'm':
    case 'n':
    case 'r':
      return is_number(value);
    default:
      return true;
  }
}

// The word after an option that the EAL does not know: it is most likely the option's value.
[[nodiscard]] std::string word_behind(std::size_t at, std::span<std::string const> words) {
  bool const is_alone =
      at + 1 >= words.size() || words[at + 1].starts_with('-') || words[at].find('=') != std::string::npos;
  return is_alone ? std::string{} : words[at + 1];
}

[[nodiscard]] bool takes_a_value(CLI::Option const& option) { return option.get_expected_max() != 0; }

[[nodiscard]] misplaced_word option_of_ours(eal_word const& word, std::string value) {
  return {.is = misplaced_word::kind::ours, .name = word.name, .value = std::move(value), .at = word.at};
}

[[noreturn]] void refuse_ours(misplaced_word const& word, invocation const& call) {
  throw usage_error(fmt::format("{} is packetwarp's: put it after `--`, as in 'packetwarp {} [EAL options] -- {}{}{}'",
                                word.name, call.command, word.name, word.value.empty() ? "" : " ", word.value));
}

[[noreturn]] void refuse_unknown(misplaced_word const& word, invocation const& call) {
  throw usage_error(fmt::format(
      "{}: neither the EAL nor packetwarp {} has such an option; 'packetwarp {} --help' lists packetwarp's, which go "
      "after `--`, 'dpdk-testpmd -h' the EAL's",
      word.name, call.command, call.command));
}

[[noreturn]] void refuse_stray(misplaced_word const& word, invocation const& call) {
  throw usage_error(
      fmt::format("'{}' belongs to no option of the EAL's; packetwarp's options and their values go after `--`, as in "
                  "'packetwarp {} [EAL options] -- [options]'",
                  word.name, call.command));
}

}  // namespace

std::optional<misplaced_word> find_misplaced(CLI::App const& app, std::span<std::string const> eal) {
  auto const words = read_eal_words(eal);
  for (std::size_t i = 0; i < words.size(); ++i) {
    auto const& word = words[i];
    auto const* const ours = app.get_option_no_throw(word.name);
    using enum eal_word::kind;
    if (word.is == unknown && ours != nullptr) {
      return option_of_ours(word, takes_a_value(*ours) ? word_behind(word.at, eal) : std::string{});
    }
    if (word.is == unknown && knows_all_options) {
      return misplaced_word{.is = misplaced_word::kind::unknown, .name = word.name, .value = {}, .at = word.at};
    }
    if (word.is == stray) {
      // In "-v 100" the EAL's -v takes no value.
      auto const* const before = i == 0 ? nullptr : app.get_option_no_throw(words[i - 1].name);
      if (before != nullptr && !words[i - 1].value) return option_of_ours(words[i - 1], word.name);
      return misplaced_word{.is = misplaced_word::kind::stray, .name = word.name, .value = {}, .at = word.at};
    }
    if (word.is == option && ours != nullptr && !suits_the_eal(word)) {
      return option_of_ours(word, takes_a_value(*ours) ? word.value.value_or("") : std::string{});
    }
  }
  return std::nullopt;
}

void refuse_misplaced(CLI::App const& app, invocation const& call) {
  auto const found = find_misplaced(app, call.eal);
  if (!found) return;
  switch (found->is) {
    case misplaced_word::kind::ours:
      refuse_ours(*found, call);
    case misplaced_word::kind::unknown:
      refuse_unknown(*found, call);
    case misplaced_word::kind::stray:
      refuse_stray(*found, call);
  }
}

namespace {

[[nodiscard]] std::string name_of_option(std::string const& word) {
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

}  // namespace

void refuse_eal_without_port(CLI::App const& app, invocation const& call) {
  if (call.options.empty()) return;  // there is no "--", most likely
  for (auto const& word : call.eal) {
    auto const name = name_of_option(word);
    if (!is_eal_option(name) || app.get_option_no_throw(name) != nullptr) continue;
    throw usage_error(
        fmt::format("{} is the EAL's, and EAL options go with --transport roce: give that after `--`, or leave {} out",
                    name, name));
  }
}

std::string where_else(std::string const& word, invocation const& call) {
  auto const name = name_of_option(word);
  constexpr std::array with_eal{"l2fwd", "run", "generate", "plan", "bench", "rdma-bw", "rdma-lat"};
  if (!is_eal_option(name) || std::ranges::find(with_eal, call.command) == with_eal.end()) return {};
  if (call.command == "rdma-lat" && name == "-b") {
    return "-b is an option of rdma-bw's: a latency test writes in both directions anyway; leave it out";
  }
  auto const* const first = call.command.starts_with("rdma-") ? "--transport roce " : "";  // the one that has a port
  return fmt::format("{} is the EAL's: put it in front of `--`, as in 'packetwarp {} {} ... -- {}[options]'", name,
                     call.command, word, first);
}

}  // namespace packetwarp
