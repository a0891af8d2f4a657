// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "telemetry/host_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>

#include "base/units.h"
#include "telemetry/text_table.h"

namespace packetwarp::telemetry {
namespace {

namespace fs = std::filesystem;

[[nodiscard]] std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  auto const first = text.find_first_not_of(blanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

[[nodiscard]] std::string first_line(fs::path const& path) {
  std::ifstream file{path};
  std::string line;
  std::getline(file, line);
  return std::string{trimmed(line)};
}

// The value of the first line "key <separator> value".
[[nodiscard]] std::string value_of(fs::path const& path, std::string_view key, char separator) {
  std::ifstream file{path};
  for (std::string line; std::getline(file, line);) {
    auto const at = line.find(separator);
    if (at == line.npos || trimmed(std::string_view{line}.substr(0, at)) != key) continue;
    return std::string{trimmed(std::string_view{line}.substr(at + 1))};
  }
  return {};
}

// The digits that `text` begins with.
[[nodiscard]] std::optional<std::uint64_t> leading_number(std::string_view text) {
  std::uint64_t value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return value;
}

// The number of CPUs or nodes in a kernel list: "0-3,8" has five.
[[nodiscard]] std::optional<std::uint64_t> count_of_list(std::string_view list) {
  std::uint64_t count = 0;
  while (!list.empty()) {
    auto const comma = std::min(list.find(','), list.size());
    auto const range = list.substr(0, comma);
    auto const dash = range.find('-');
    auto const first = leading_number(range);
    auto const last = dash == range.npos ? first : leading_number(range.substr(dash + 1));
    if (!first || !last || *last < *first) return std::nullopt;
    count += *last - *first + 1;
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return count == 0 ? std::nullopt : std::optional{count};
}

// Folders are named hugepages-2048kB.
[[nodiscard]] std::vector<hugepage_info> read_hugepages(fs::path const& folder) {
  constexpr std::string_view prefix = "hugepages-";
  std::vector<hugepage_info> all;
  std::error_code missing;
  for (fs::directory_iterator at{folder, missing}, end; !missing && at != end; at.increment(missing)) {
    auto const name = at->path().filename().string();
    if (!name.starts_with(prefix)) continue;
    auto const kib = leading_number(std::string_view{name}.substr(prefix.size()));
    if (!kib) continue;
    all.push_back({.size_bytes = *kib * 1024,
                   .total = leading_number(first_line(at->path() / "nr_hugepages")),
                   .free = leading_number(first_line(at->path() / "free_hugepages"))});
  }
  std::sort(all.begin(), all.end(), [](auto const& a, auto const& b) { return a.size_bytes < b.size_bytes; });
  return all;
}

[[nodiscard]] std::string read_distribution(fs::path const& root) {
  auto name = value_of(root / "etc/os-release", "PRETTY_NAME", '=');
  if (name.size() >= 2 && (name.front() == '"' || name.front() == '\'') && name.back() == name.front()) {
    name = name.substr(1, name.size() - 2);
  }
  return name;
}

[[nodiscard]] std::string compiler_of_this_build() {
#if defined(__clang__)
  return fmt::format("clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
  return fmt::format("gcc {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
}

}  // namespace

host_info read_host_info(host_extras const& extras, fs::path const& root) {
  host_info host;
  host.cpu_model = value_of(root / "proc/cpuinfo", "model name", ':');
  host.cpus = count_of_list(first_line(root / "sys/devices/system/cpu/online"));
  host.numa_nodes = count_of_list(first_line(root / "sys/devices/system/node/online"));
  if (auto const kib = leading_number(value_of(root / "proc/meminfo", "MemTotal", ':'))) {
    host.memory_bytes = *kib * 1024;
  }
  host.hugepages = read_hugepages(root / "sys/kernel/mm/hugepages");
  host.kernel = first_line(root / "proc/sys/kernel/osrelease");
  host.distribution = read_distribution(root);
  host.dpdk = extras.dpdk;
  host.compiler = compiler_of_this_build();
  if (extras.tsc_hz > 0) host.tsc_hz = extras.tsc_hz;
  return host;
}

std::string describe(host_info const& host) {
  std::vector<std::string> parts;
  auto const add = [&](std::string_view text) {
    if (!text.empty()) parts.emplace_back(text);
  };
  auto const add_count = [&](std::optional<std::uint64_t> n, std::string_view one, std::string_view many) {
    if (n) parts.push_back(fmt::format("{} {}", *n, *n == 1 ? one : many));
  };
  add(host.cpu_model);
  add_count(host.cpus, "CPU", "CPUs");
  if (host.tsc_hz) parts.push_back(fmt::format("TSC {}Hz", format_si(*host.tsc_hz)));
  add_count(host.numa_nodes, "NUMA node", "NUMA nodes");
  if (host.memory_bytes) parts.push_back(format_size(*host.memory_bytes));
  for (auto const& pages : host.hugepages) {
    if (pages.total.value_or(0) != 0) {
      parts.push_back(fmt::format("{} x {} hugepages", *pages.total, format_size(pages.size_bytes)));
    }
  }
  for (auto const& gpu : host.gpus) {
    parts.push_back(
        fmt::format("GPU {} {} (CUDA {}, driver {})", gpu.index, gpu.name, gpu.cuda_runtime, gpu.cuda_driver));
  }
  add(host.distribution);
  if (!host.kernel.empty()) parts.push_back("kernel " + host.kernel);
  add(host.dpdk);
  add(host.compiler);
  return parts.empty() ? "unknown" : with_commas(parts);
}

}  // namespace packetwarp::telemetry
