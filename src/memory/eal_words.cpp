// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/eal_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/error.h"

namespace packetwarp {
namespace {

enum class takes : std::uint8_t { nothing, a_value, perhaps };

struct long_option {
  std::string_view name;
  takes what;
};

// eal_short_options and eal_long_options of lib/eal/common/eal_common_options.c, DPDK 22.11.
constexpr std::string_view short_with_value{"abcdlSsmnr"};
constexpr std::string_view short_alone{"hv"};
constexpr std::array long_options{long_option{"--allow", takes::a_value},
                                  long_option{"--base-virtaddr", takes::a_value},
                                  long_option{"--block", takes::a_value},
                                  long_option{"--create-uio-dev", takes::nothing},
                                  long_option{"--file-prefix", takes::a_value},
                                  long_option{"--force-max-simd-bitwidth", takes::a_value},
                                  long_option{"--help", takes::nothing},
                                  long_option{"--huge-dir", takes::a_value},
                                  long_option{"--huge-unlink", takes::perhaps},
                                  long_option{"--huge-worker-stack", takes::perhaps},
                                  long_option{"--in-memory", takes::nothing},
                                  long_option{"--iova-mode", takes::a_value},
                                  long_option{"--lcores", takes::a_value},
                                  long_option{"--legacy-mem", takes::nothing},
                                  long_option{"--log-level", takes::a_value},
                                  long_option{"--main-lcore", takes::a_value},
                                  long_option{"--match-allocations", takes::nothing},
                                  long_option{"--mbuf-pool-ops-name", takes::a_value},
                                  long_option{"--no-hpet", takes::nothing},
                                  long_option{"--no-huge", takes::nothing},
                                  long_option{"--no-pci", takes::nothing},
                                  long_option{"--no-shconf", takes::nothing},
                                  long_option{"--no-telemetry", takes::nothing},
                                  long_option{"--proc-type", takes::a_value},
                                  long_option{"--single-file-segments", takes::nothing},
                                  long_option{"--socket-limit", takes::a_value},
                                  long_option{"--socket-mem", takes::a_value},
                                  long_option{"--syslog", takes::a_value},
                                  long_option{"--telemetry", takes::nothing},
                                  long_option{"--trace", takes::a_value},
                                  long_option{"--trace-bufsz", takes::a_value},
                                  long_option{"--trace-dir", takes::a_value},
                                  long_option{"--trace-mode", takes::a_value},
                                  long_option{"--vdev", takes::a_value},
                                  long_option{"--vfio-intr", takes::a_value},
                                  long_option{"--vfio-vf-token", takes::a_value},
                                  long_option{"--vmware-tsc-map", takes::nothing}};

// Finds an option by its name, or by a prefix that only one option has.
[[nodiscard]] long_option const* find_long(std::string_view name) {
  long_option const* found = nullptr;
  unsigned alike = 0;
  for (auto const& one : long_options) {
    if (one.name == name) return &one;
    if (!one.name.starts_with(name)) continue;
    found = &one;
    ++alike;
  }
  return alike == 1 ? found : nullptr;
}

// Short options whose values are numbers, and what these say.
constexpr std::array numbers{std::pair<std::string_view, std::string_view>{"-m", "MiB of memory, as -m 1024"},
                             std::pair<std::string_view, std::string_view>{"-n", "memory channels, as -n 4"},
                             std::pair<std::string_view, std::string_view>{"-r", "memory ranks, as -r 2"}};

[[nodiscard]] bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// name: the full name of an option of the EAL.
[[nodiscard]] takes takes_of(std::string_view name) {
  if (auto const* const known = find_long(name); known != nullptr) return known->what;
  return short_alone.find(name.back()) != short_alone.npos ? takes::nothing : takes::a_value;
}

// Reads the words in turn; a value is the rest of a word, or the next word.
class reader {
 public:
  explicit reader(std::span<std::string const> words) : words_{words} {}
  [[nodiscard]] std::vector<eal_word> read() {
    while (at_ < words_.size() && !unknown_) {
      begin_ = at_++;
      std::string_view const word{words_[begin_]};
      if (word.size() < 2 || word.front() != '-') {
        add(eal_word::kind::stray, std::string{word});
      } else if (word.starts_with("--")) {
        read_long(word);
      } else {
        read_short(word);
      }
    }
    return std::move(read_);
  }

 private:
  void add(eal_word::kind is, std::string name, std::optional<std::string> value = std::nullopt) {
    unknown_ = is == eal_word::kind::unknown;
    read_.push_back({.is = is, .name = std::move(name), .value = std::move(value), .at = begin_});
  }
  [[nodiscard]] std::optional<std::string> next() {
    return at_ < words_.size() ? std::optional{words_[at_++]} : std::nullopt;
  }
  void read_long(std::string_view word) {
    auto const equals = word.find('=');
    auto const name = word.substr(0, equals);
    auto const* const known = find_long(name);
    if (known == nullptr) return add(eal_word::kind::unknown, std::string{name});
    std::optional<std::string> value;
    if (equals != word.npos) value = word.substr(equals + 1);
    if (!value && known->what == takes::a_value) value = next();
    add(eal_word::kind::option, std::string{known->name}, std::move(value));
  }
  // Letters without a value may precede a letter with a value.
  void read_short(std::string_view word) {
    for (word.remove_prefix(1); !word.empty() && !unknown_;) {
      auto const letter = word.front();
      word.remove_prefix(1);
      std::string name{'-', letter};
      if (short_alone.find(letter) != short_alone.npos) {
        add(eal_word::kind::option, std::move(name));
      } else if (short_with_value.find(letter) != short_with_value.npos) {
        return add(eal_word::kind::option, std::move(name), word.empty() ? next() : std::string{word});
      } else {
        return add(eal_word::kind::unknown, std::move(name));
      }
    }
  }

  std::span<std::string const> words_;
  std::size_t at_{};
  std::size_t begin_{};  // start of the current piece
  bool unknown_{};
  std::vector<eal_word> read_;
};

// LEVEL, PATTERN:LEVEL or EXPRESSION,LEVEL, where a level's name may be cut. The EAL itself only says that a level is
// none, and starts.
void require_log_level(std::string_view value) {
  constexpr std::array<std::string_view, 8> levels{"emergency", "alert",  "critical", "error",
                                                   "warning",   "notice", "info",     "debug"};
  if (value == "help") return;
  auto const before = value.find_last_of(value.find(',') != value.npos ? ',' : ':');
  auto const level = before == value.npos ? value : value.substr(before + 1);
  bool const is_number = level.size() == 1 && level.front() >= '0' && level.front() <= '8';
  auto const begins_so = [&](std::string_view name) { return !level.empty() && name.starts_with(level); };
  if (is_number || std::ranges::any_of(levels, begins_so)) return;
  throw usage_error(
      fmt::format("--log-level: '{}' is no level; give 0 to 8, or emergency, alert, critical, error, warning, notice, "
                  "info, debug",
                  level));
}

// The EAL of a secondary process waits without end for a primary one, whatever signals come; one that finds a primary
// process has that one's ports and memory.
void require_primary(std::string_view value) {
  if (value == "primary") return;
  throw usage_error(
      fmt::format("--proc-type: '{}' is not for packetwarp, which has ports and memory of its own; give primary, or "
                  "leave the option out",
                  value));
}

}  // namespace

std::vector<eal_word> read_eal_words(std::span<std::string const> words) { return reader{words}.read(); }

void require_option_values(std::span<std::string const> words) {
  for (auto const& word : read_eal_words(words)) {
    if (word.is != eal_word::kind::option) continue;
    auto const what = takes_of(word.name);
    if (what == takes::a_value && word.value.value_or("").empty()) {
      throw usage_error(fmt::format("{}: needs a value; 'dpdk-testpmd -h' says which", word.name));
    }
    if (what == takes::nothing && word.value) {
      throw usage_error(fmt::format("{}={}: {} takes no value; leave it out", word.name, *word.value, word.name));
    }
    for (auto const& [option, means] : numbers) {
      if (word.name == option && !is_number(*word.value)) {
        throw usage_error(fmt::format("{}: '{}' is no number; give {}", option, *word.value, means));
      }
    }
    if (word.name == "--log-level") require_log_level(*word.value);
    if (word.name == "--proc-type") require_primary(*word.value);
    if (word.name == "--file-prefix" && word.value->find('/') != std::string::npos) {
      throw usage_error(
          fmt::format("--file-prefix: '{}' is part of a file's name; give a word without '/'", *word.value));
    }
  }
}

bool is_eal_option(std::string_view name) {
  if (name.starts_with("--")) {
    return std::ranges::any_of(long_options, [&](auto const& one) { return one.name == name; });
  }
  if (name.size() != 2 || name.front() != '-') return false;
  return short_with_value.find(name[1]) != short_with_value.npos || short_alone.find(name[1]) != short_alone.npos;
}

bool is_coremask(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) text.remove_prefix(2);
  return !text.empty() && text.find_first_not_of("0123456789abcdefABCDEF") == text.npos;
}

}  // namespace packetwarp
