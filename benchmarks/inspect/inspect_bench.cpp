// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
// Rules of Suricata on one CPU core: how long loading takes, and the rate of the inspection of captures beside
// Hyperscan's block mode with the literals by which the same rules are found. PACKETWARP_RULES and PACKETWARP_CAPTURES
// are folders of *.rules and *.pcap; cases whose files are missing are skipped by name.
#include <benchmark/benchmark.h>
#if defined(PACKETWARP_HYPERSCAN)
#include <hs/hs.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "inspect/compiled/compile.h"
#include "inspect/compiled/literal.h"
#include "inspect/compiled/prefilter.h"
#include "inspect/language/rule_file.h"
#include "inspect/packet/inspector.h"
#include "inspect/packet/read_packet.h"
#include "traffic/capture/capture_reader.h"

namespace packetwarp::inspect {
namespace {

constexpr hash_key key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};

[[nodiscard]] std::vector<std::string> files_of(char const* variable, std::string_view extension) {
  std::vector<std::string> made;
  auto const* folder = std::getenv(variable);
  if (folder == nullptr) return made;
  for (auto const& file : std::filesystem::recursive_directory_iterator{folder}) {
    if (file.path().extension() == extension) made.push_back(file.path());
  }
  std::sort(made.begin(), made.end());
  return made;
}

[[nodiscard]] rule_set const& all_rules() {
  static rule_set const made = read_rule_files(files_of("PACKETWARP_RULES", ".rules"), variables{});
  return made;
}

// The frames of the captures, to 64 MiB, and the payloads in them. Flows of one capture are those of no other: each
// has a time of its own.
struct frame {
  std::vector<std::byte> bytes;
  std::uint64_t time;
  text_view payload;
};
[[nodiscard]] std::vector<frame> const& all_frames() {
  static std::vector<frame> const made = [] {
    constexpr std::size_t most = std::size_t{64} << 20;
    std::vector<frame> frames;
    std::size_t bytes = 0;
    for (auto const& file : files_of("PACKETWARP_CAPTURES", ".pcap")) {
      try {
        traffic::capture_reader reader{file};
        traffic::capture_reader::packet packet;
        while (bytes < most && reader.next(packet)) {
          frames.push_back({{packet.bytes.begin(), packet.bytes.end()}, packet.time, {}});
          bytes += packet.bytes.size();
        }
      } catch (failure const&) {
        continue;  // another link type
      }
    }
    for (auto& one : frames) {
      auto const size = static_cast<std::uint32_t>(one.bytes.size());
      auto const packet = read_packet(one.bytes, size, feature::facts_of(one.bytes.data(), size, size));
      one.payload = {packet.payload, packet.payload_size};
    }
    return frames;
  }();
  return made;
}

[[nodiscard]] bool has_files(benchmark::State& state) {
  bool const has = !all_rules().rules.empty() && !all_frames().empty();
  if (!has) state.SkipWithError("PACKETWARP_RULES and PACKETWARP_CAPTURES name no files");
  return has;
}

void count_payloads(benchmark::State& state, std::uint64_t bytes, std::uint64_t packets) {
  state.counters["Gbit/s"] = benchmark::Counter(8e-9 * static_cast<double>(bytes), benchmark::Counter::kIsRate);
  state.counters["Mpps"] = benchmark::Counter(1e-6 * static_cast<double>(packets), benchmark::Counter::kIsRate);
}

void load_rules(benchmark::State& state) {
  auto const files = files_of("PACKETWARP_RULES", ".rules");
  if (files.empty()) return state.SkipWithError("PACKETWARP_RULES names no files");
  std::size_t rules = 0;
  for (auto _ : state) {
    auto const made = read_rule_files(files, variables{});
    auto const compiled = compile_rules(made);
    regex_library const regexes{compiled.regexes()};
    rules = compiled.ref().header().rules.count;
  }
  state.counters["rules"] = static_cast<double>(rules);
}
BENCHMARK(load_rules)->Unit(benchmark::kMillisecond);

void inspect_frames(benchmark::State& state) {
  if (!has_files(state)) return;
  auto const compiled = compile_rules(all_rules());
  std::uint64_t bytes = 0;
  std::uint64_t packets = 0;
  std::uint64_t alerts = 0;
  for (auto _ : state) {
    state.PauseTiming();
    auto const one = std::make_unique<inspector>(compiled, all_rules().rules.size(), key);
    state.ResumeTiming();
    for (auto const& frame : all_frames()) {
      alerts += one->inspect(frame.bytes, static_cast<std::uint32_t>(frame.bytes.size()), frame.time).size();
      bytes += frame.payload.size;
      ++packets;
    }
  }
  count_payloads(state, bytes, packets);
  state.counters["alerts"] = benchmark::Counter(static_cast<double>(alerts), benchmark::Counter::kAvgIterations);
}
BENCHMARK(inspect_frames)->Unit(benchmark::kMillisecond);

void search_windows_alone(benchmark::State& state) {
  if (!has_files(state)) return;
  auto const compiled = compile_rules(all_rules());
  std::uint64_t bytes = 0;
  std::uint64_t packets = 0;
  std::uint64_t found = 0;
  for (auto _ : state) {
    for (auto const& frame : all_frames()) {
      for (std::uint32_t at = 0; at < frame.payload.size; ++at)
        search_windows(compiled.ref(), frame.payload.bytes, frame.payload.size, at, [&](std::uint32_t) { ++found; });
      bytes += frame.payload.size;
      ++packets;
    }
  }
  count_payloads(state, bytes, packets);
  state.counters["found"] = benchmark::Counter(static_cast<double>(found), benchmark::Counter::kAvgIterations);
}
BENCHMARK(search_windows_alone)->Unit(benchmark::kMillisecond);

#if defined(PACKETWARP_HYPERSCAN)
struct hyperscan_deleter {
  void operator()(hs_database_t* one) const { hs_free_database(one); }
  void operator()(hs_scratch_t* one) const { hs_free_scratch(one); }
};

// The literals of four bytes or more, in any case, as the windows are.
[[nodiscard]] std::unique_ptr<hs_database_t, hyperscan_deleter> database_of(rule_set const& rules) {
  std::vector<std::string> literals;
  for (auto const& one : rules.rules) {
    if (one.gaps.empty() && window_of(one)) literals.push_back(literal_of(one));
  }
  std::sort(literals.begin(), literals.end());
  literals.erase(std::unique(literals.begin(), literals.end()), literals.end());
  std::vector<char const*> texts;
  std::vector<std::size_t> sizes;
  std::vector<unsigned> numbers;
  std::vector<unsigned> const flags(literals.size(), HS_FLAG_CASELESS);
  for (auto const& literal : literals) {
    numbers.push_back(static_cast<unsigned>(numbers.size()));
    texts.push_back(literal.data());
    sizes.push_back(literal.size());
  }
  hs_database_t* made = nullptr;
  hs_compile_error_t* error = nullptr;
  (void)hs_compile_lit_multi(texts.data(), flags.data(), numbers.data(), sizes.data(),
                             static_cast<unsigned>(texts.size()), HS_MODE_BLOCK, nullptr, &made, &error);
  return std::unique_ptr<hs_database_t, hyperscan_deleter>{made};
}

void hyperscan_block(benchmark::State& state) {
  if (!has_files(state)) return;
  auto const database = database_of(all_rules());
  hs_scratch_t* scratch = nullptr;
  if (database == nullptr || hs_alloc_scratch(database.get(), &scratch) != HS_SUCCESS)
    return state.SkipWithError("Hyperscan does not compile the literals");
  std::unique_ptr<hs_scratch_t, hyperscan_deleter> const owner{scratch};
  std::uint64_t bytes = 0;
  std::uint64_t packets = 0;
  std::uint64_t found = 0;
  auto const count = [](unsigned, unsigned long long, unsigned long long, unsigned, void* to) {
    ++*static_cast<std::uint64_t*>(to);
    return 0;
  };
  for (auto _ : state) {
    for (auto const& frame : all_frames()) {
      if (frame.payload.size != 0) {
        (void)hs_scan(database.get(), reinterpret_cast<char const*>(frame.payload.bytes), frame.payload.size, 0,
                      scratch, count, &found);
      }
      bytes += frame.payload.size;
      ++packets;
    }
  }
  count_payloads(state, bytes, packets);
  state.counters["found"] = benchmark::Counter(static_cast<double>(found), benchmark::Counter::kAvgIterations);
}
BENCHMARK(hyperscan_block)->Unit(benchmark::kMillisecond);
#endif

}  // namespace
}  // namespace packetwarp::inspect
