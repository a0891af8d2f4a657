// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "cli/bench/options.h"
#include "cli/generate/options.h"
#include "cli/l2fwd/options.h"
#include "cli/run/options.h"

using namespace packetwarp;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

// The words of a command line, one per line: they hold no zero bytes.
std::vector<std::string> to_words(std::string_view text) {
  std::vector<std::string> words;
  constexpr std::string_view ends{"\n\0", 2};
  while (!text.empty()) {
    auto const end = std::min(text.find_first_of(ends), text.size());
    words.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

// The assumptions of the rest of the program.
void check(l2fwd_options const& options) {
  auto const& plane = options.plane;
  require(plane.burst >= 1 && plane.burst <= max_burst_size);
  require(plane.data_room >= 128 && plane.data_room <= 65535 - RTE_PKTMBUF_HEADROOM);
  require(plane.pipelines <= 1024 && plane.rx_descriptors >= 1 && plane.tx_descriptors >= 1);
  require(plane.ring_slots <= 4096 && (plane.ring_slots & (plane.ring_slots - 1)) == 0);
  require(!plane.gpu.indexes.empty() && plane.gpu.blocks <= 64 && plane.gpu.timeout.count() >= 0);
  for (auto const index : plane.gpu.indexes) require(index >= 0);
  require(plane.packet_time.count() >= 0 && plane.burst_timeout.count() >= 0 && plane.tx_timeout.count() >= 0);
  require(options.limits.warmup + options.limits.packets >= options.limits.packets);
}

void check(bench::options const& options) {
  auto const& m = options.cases;
  for (auto const burst : m.bursts) require(burst >= 1 && burst <= max_burst_size);
  for (auto const bytes : m.frame_bytes) require(bytes >= 64 && bytes <= 9600);
  for (auto const pipelines : m.pipelines) require(pipelines >= 1 && pipelines <= 32);
  require(!m.functions.empty() && !m.executors.empty() && !m.placements.empty() && !m.workers.empty());
  require(!m.bursts.empty() && !m.frame_bytes.empty() && !m.pipelines.empty() && !m.packet_times.empty());
  require(options.repeats >= 1 && options.repeats <= bench::most_repeats && options.run_time.count() > 0);
  if (options.what == bench::task::advise) require(options.wanted.mpps > 0);
}

// Any words are either options that make sense or one line about the error.
template <class Parse>
void parse_any(std::string_view command, std::vector<std::string> const& words, Parse parse) {
  try {
    parse(invocation{
        .program = "packetwarp", .command = std::string{command}, .eal = {}, .options = words, .wants_help = false});
  } catch (usage_error const& wrong) {
    require(!std::string_view{wrong.what()}.empty());
    require(std::string_view{wrong.what()}.find('\n') == std::string_view::npos);
  } catch (failure const& failed) {
    require(!std::string_view{failed.what()}.empty());
  }
}

void split_any(std::vector<std::string> const& words) {
  std::vector<char const*> argv{"packetwarp"};
  for (auto const& word : words) argv.push_back(word.c_str());
  try {
    auto const call = split_command_line(argv);
    require(call.eal.size() + call.options.size() <= words.size());
  } catch (usage_error const& wrong) {
    require(!std::string_view{wrong.what()}.empty());
  }
}

}  // namespace

// The command's name, then its words, one per line. The first byte of an unknown name chooses a command: the fuzzer's
// words are worth a run for each command, but not all at once, because declaring options takes most of the time.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto words = to_words({reinterpret_cast<char const*>(data), size});
  if (words.empty()) return 0;
  auto const command = words.front();
  words.erase(words.begin());
  constexpr std::array<std::string_view, 6> commands{"l2fwd", "generate", "bench", "bench_eal", "run", "command_line"};
  auto const named = std::find(commands.begin(), commands.end(), command);
  auto const first = command.empty() ? 0U : static_cast<unsigned char>(command.front());
  switch (named != commands.end() ? static_cast<std::size_t>(named - commands.begin()) : first % commands.size()) {
    case 0:
      parse_any("l2fwd", words, [](invocation const& call) { check(parse_l2fwd_options(call)); });
      return 0;
    case 1:
      parse_any("generate", words, [](invocation const& call) { (void)parse_generate_options(call); });
      return 0;
    case 2:
      parse_any("bench", words, [](invocation const& call) { check(bench::parse_options(call, {0, 1})); });
      return 0;
    case 3:
      parse_any("bench", {}, [&](invocation call) {
        call.eal = words;
        require(!bench::parse_options(call, {0, 1}).cpus.empty());
      });
      return 0;
    case 4:
      parse_any("run", words, [](invocation const& call) { require(!parse_run_options(call).config.empty()); });
      return 0;
    default:
      split_any(words);
      return 0;
  }
}
