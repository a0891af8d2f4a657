// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/eal_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

#include "base/error.h"
#include "memory/standing_interrupt.h"

namespace packetwarp {
namespace {

// getopt accepts "--allow=0000:b5:00.0" and "-a0000:b5:00.0" as well.
bool names_option(std::string_view word, std::string_view option) {
  if (!word.starts_with(option)) return false;
  bool const is_short = !option.starts_with("--");
  return is_short || word.size() == option.size() || word[option.size()] == '=';
}

// The word that gives an option, or nullptr.
std::string const* find_option(std::vector<std::string> const& words, std::initializer_list<std::string_view> options) {
  auto const found = std::find_if(words.begin(), words.end(), [&](auto const& word) {
    return std::any_of(options.begin(), options.end(), [&](auto option) { return names_option(word, option); });
  });
  return found == words.end() ? nullptr : &*found;
}

bool has_option(std::vector<std::string> const& words, std::string_view option) {
  return find_option(words, {option}) != nullptr;
}

[[nodiscard]] std::string_view hugepages_remedy(surroundings where) {
  switch (where) {
    case surroundings::pod:
      return "set resources.limits.hugepages-2Mi of the container, as 1Gi, and mount an emptyDir of medium "
             "HugePages-2Mi "
             "at /dev/hugepages";
    case surroundings::container:
      return "run on the host: echo 512 > /proc/sys/vm/nr_hugepages, and start the container with --volume "
             "/dev/hugepages:/dev/hugepages";
    case surroundings::machine:
      break;
  }
  return "run: echo 512 > /proc/sys/vm/nr_hugepages";
}

[[nodiscard]] std::string_view mount_remedy(surroundings where) {
  switch (where) {
    case surroundings::pod:
      return "mount an emptyDir of medium HugePages at /dev/hugepages";
    case surroundings::container:
      return "start the container with --volume /dev/hugepages:/dev/hugepages";
    case surroundings::machine:
      break;
  }
  return "run: mkdir -p /dev/hugepages && mount -t hugetlbfs none /dev/hugepages";
}

void refuse_what_needs_hugepages(std::vector<std::string> const& words, surroundings where) {
  if (has_option(words, "-a") || has_option(words, "--allow")) {
    throw usage_error(
        fmt::format("no free hugepages, which a physical port (-a) needs for DMA; {}", hugepages_remedy(where)));
  }
  auto const* const wrong =
      find_option(words, {"--socket-mem", "--socket-limit", "--huge-dir", "--huge-unlink", "--single-file-segments"});
  if (wrong != nullptr) {
    throw usage_error(fmt::format("no free hugepages, which {} is about; leave it out to run on ordinary pages, or {}",
                                  *wrong, hugepages_remedy(where)));
  }
}

// MiB of ordinary pages. They are reserved when the EAL starts and filled when touched, so a large amount costs nothing
// up to a memory limit, beyond which the kernel ends the process. The limit also holds the program itself.
[[nodiscard]] std::uint64_t ordinary_memory(eal_machine const& machine) {
  constexpr std::uint64_t usual = 2048, of_program = 128, least = 128;
  if (!machine.memory_limit) return usual;
  auto const limit = *machine.memory_limit >> 20;
  if (limit < of_program + least) {
    throw usage_error(
        fmt::format("the memory limit of {} MiB is too small for packets without hugepages; give {} MiB or more: {}",
                    limit, of_program + least, memory_limit_name(machine.where)));
  }
  return std::min(usual, limit - of_program);
}

void use_ordinary_pages(eal_arguments& arguments, eal_machine const& machine) {
  auto& words = arguments.words;
  words.emplace_back("--no-huge");
  if (!has_option(words, "-m")) words.insert(words.end(), {"-m", std::to_string(ordinary_memory(machine))});
  // The EAL refuses --in-memory here; --no-shconf keeps its main effect: no files that another process could find.
  std::erase(words, "--in-memory");
  if (!has_option(words, "--no-shconf")) words.emplace_back("--no-shconf");
  arguments.notices.push_back(
      fmt::format("no free hugepages: running on 4 KiB pages, which costs TLB misses (a slower run, same packets); "
                  "to have them, {}",
                  hugepages_remedy(machine.where)));
}

// rte_eal_init prints its usage page on standard output if an option is wrong; packetwarp's one line is clearer.
class quiet_stdout {
 public:
  quiet_stdout() {
    std::fflush(stdout);
    saved_ = ::dup(STDOUT_FILENO);
    int const null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) {
      ::dup2(null, STDOUT_FILENO);
      ::close(null);
    }
  }
  quiet_stdout(quiet_stdout const&) = delete;
  quiet_stdout& operator=(quiet_stdout const&) = delete;
  ~quiet_stdout() {
    std::fflush(stdout);
    if (saved_ >= 0) {
      ::dup2(saved_, STDOUT_FILENO);
      ::close(saved_);
    }
  }

 private:
  int saved_{-1};
};

// lines: of the EAL's log.
[[noreturn]] void fail(std::vector<std::string> const& words, std::string const& lines) {
  auto reason = reason_in(lines);
  if (reason.empty()) reason = rte_strerror(rte_errno);
  std::string given;
  for (std::size_t i = 1; i < words.size(); ++i) given.append(i == 1 ? "" : " ").append(words[i]);
  auto const line = fmt::format("the EAL did not start: {} (its options: {}); 'dpdk-testpmd -h' lists every EAL option",
                                reason, given);
  if (is_about_words(lines)) throw usage_error(line);
  throw failure(line);
}

}  // namespace

namespace {

// Whether control groups allow pages of a folder "hugepages-2048kB": a pod without a limit for them has the limit 0.
[[nodiscard]] bool is_allowed(std::filesystem::path const& size) {
  constexpr std::string_view before = "hugepages-";
  constexpr std::uint64_t mib = 1024, gib = mib * 1024;
  auto const name = size.filename().string();
  std::uint64_t kib = 0;
  if (!name.starts_with(before)) return true;
  std::from_chars(name.data() + before.size(), name.data() + name.size(), kib);
  auto const text = kib % gib == 0   ? fmt::format("{}GB", kib / gib)
                    : kib % mib == 0 ? fmt::format("{}MB", kib / mib)
                                     : fmt::format("{}KB", kib);
  return control_group_limit("hugetlb", fmt::format("hugetlb.{}.max", text),
                             fmt::format("hugetlb.{}.limit_in_bytes", text)) != 0;
}

}  // namespace

eal_machine read_eal_machine() {
  namespace fs = std::filesystem;
  eal_machine machine;
  machine.where = find_surroundings();
  machine.memory_limit = control_group_limit("memory", "memory.max", "memory.limit_in_bytes");
  std::error_code ignored;
  for (auto const& size : fs::directory_iterator{"/sys/kernel/mm/hugepages", ignored}) {
    std::uint64_t free = 0;
    std::ifstream{size.path() / "free_hugepages"} >> free;
    machine.has_free_hugepages |= free > 0 && is_allowed(size.path());
  }
  bool has_hugetlbfs = false;
  std::ifstream mounts{"/proc/mounts"};
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream words{line};
    std::string device, folder, type;
    words >> device >> folder >> type;
    has_hugetlbfs |= type == "hugetlbfs";
    // A mount without write access is of no use here.
    machine.has_hugetlbfs_mount |= type == "hugetlbfs" && ::access(folder.c_str(), W_OK) == 0;
  }
  // A pod that asks for hugepages has a volume of them. The pages of the node that it sees otherwise are those of other
  // pods, and RuntimeDefault's seccomp refuses the calls by which the EAL would take them.
  if (machine.where == surroundings::pod) machine.has_free_hugepages &= has_hugetlbfs;
  return machine;
}

eal_arguments complete_eal_arguments(std::vector<std::string> words, eal_machine const& machine) {
  eal_arguments result{.words = std::move(words), .notices = {}};
  auto& out = result.words;
  if (find_option(out, {"-a", "--allow", "-b", "--block", "--no-pci"}) == nullptr) out.emplace_back("--no-pci");
  if (!machine.has_free_hugepages && !has_option(out, "--no-huge")) {
    refuse_what_needs_hugepages(out, machine.where);
    use_ordinary_pages(result, machine);
  } else if (!machine.has_hugetlbfs_mount && !has_option(out, "--in-memory") && !has_option(out, "--no-huge") &&
             !has_option(out, "--huge-dir")) {
    out.emplace_back("--in-memory");
    result.notices.push_back(
        fmt::format("no hugetlbfs mount to write to: using --in-memory, so no second process (dpdk-pdump) can attach; "
                    "to have one, {}",
                    mount_remedy(machine.where)));
  }
  // The EAL's own log only shows errors that stop it: missing 1 GiB pages, or missing telemetry callbacks, need no
  // message. For a library that registers its log later, as telemetry does, the first pattern that matches it counts.
  if (has_option(out, "--log-level")) {
    result.lines = eal_log_lines::shown;
  } else {
    for (auto const* level : {"lib.telemetry:error", "*:warning", "lib.eal:error"}) {
      out.push_back(fmt::format("--log-level={}", level));
    }
  }
  return result;
}

std::vector<std::string> with_memory_of_its_own(std::vector<std::string> words) {
  auto const* const settled = find_option(words, {"--in-memory", "--no-huge", "--legacy-mem", "--huge-unlink=never"});
  if (settled == nullptr) words.emplace_back("--in-memory");
  return words;
}

eal_sharing sharing_of(std::vector<std::string> const& words) {
  return find_option(words, {"--in-memory", "--no-shconf", "--no-huge"}) != nullptr ? eal_sharing::alone
                                                                                    : eal_sharing::with_secondaries;
}

eal_session::eal_session(eal_arguments const& arguments)
    : eal_session{arguments, *std::make_unique<eal_log>(arguments.lines)} {}

eal_session::eal_session(eal_arguments const& arguments, eal_log& log) : sharing_{sharing_of(arguments.words)} {
  // The EAL keeps and reorders the pointers it is given, so they live as long as the process.
  static std::vector<std::string> words;
  static std::vector<char*> argv;
  words = arguments.words;
  argv.clear();
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  quiet_stdout const quiet;
  if (rte_eal_init(static_cast<int>(words.size()), argv.data()) < 0) fail(words, log.take());
}

eal_session::~eal_session() {
  retire_interrupt_thread();
  rte_eal_cleanup();
}

}  // namespace packetwarp
