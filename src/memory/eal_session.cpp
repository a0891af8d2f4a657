// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "memory/eal_session.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/error.h"

namespace packetwarp {
namespace {

bool names_option(std::string const& word, std::string_view option) {
  return word == option || (word.starts_with(option) && word.size() > option.size() && word[option.size()] == '=');
}

bool has_option(std::vector<std::string> const& words, std::string_view option) {
  return std::any_of(words.begin(), words.end(), [&](auto const& word) { return names_option(word, option); });
}

// getopt takes "-a0000:b5:00.0" too, so a short option is recognised by its first two letters.
bool asks_for_a_device(std::vector<std::string> const& words) {
  return std::any_of(words.begin() + 1, words.end(), [](auto const& word) {
    return word == "--allow" || word.starts_with("--allow=") || (word.starts_with("-a") && word != "-a.");
  });
}

// rte_eal_init prints its usage page on standard output when an option is wrong; the one line we throw is worth more.
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

}  // namespace

eal_machine read_eal_machine() {
  namespace fs = std::filesystem;
  eal_machine machine;
  std::error_code ignored;
  for (auto const& size : fs::directory_iterator{"/sys/kernel/mm/hugepages", ignored}) {
    std::uint64_t free = 0;
    std::ifstream{size.path() / "free_hugepages"} >> free;
    machine.has_free_hugepages |= free > 0;
  }
  std::ifstream mounts{"/proc/mounts"};
  for (std::string line; std::getline(mounts, line);) {
    machine.has_hugetlbfs_mount |= line.find(" hugetlbfs ") != std::string::npos;
  }
  return machine;
}

eal_arguments complete_eal_arguments(std::vector<std::string> words, eal_machine const& machine) {
  eal_arguments result{.words = std::move(words), .notices = {}};
  auto& out = result.words;
  if (!machine.has_free_hugepages && !has_option(out, "--no-huge")) {
    constexpr auto remedy = "echo 512 > /proc/sys/vm/nr_hugepages";
    if (asks_for_a_device(out)) {
      throw usage_error(fmt::format("no free hugepages, which a physical port (-a) needs for DMA; run: {}", remedy));
    }
    out.emplace_back("--no-huge");
    // Ordinary pages are reserved now and filled when touched, so asking for plenty costs nothing.
    if (!has_option(out, "-m")) out.insert(out.end(), {"-m", "2048"});
    result.notices.push_back(
        fmt::format("no free hugepages: running on 4 KiB pages, which costs TLB misses (a slower run, same packets); "
                    "to have them, run: {}",
                    remedy));
  } else if (!machine.has_hugetlbfs_mount && !has_option(out, "--in-memory") && !has_option(out, "--no-huge") &&
             !has_option(out, "--huge-dir")) {
    out.emplace_back("--in-memory");
    result.notices.emplace_back(
        "no hugetlbfs mount: using --in-memory, so no second process (dpdk-pdump) can attach; "
        "to have one, run: mkdir -p /dev/hugepages && mount -t hugetlbfs none /dev/hugepages");
  }
  if (!has_option(out, "--log-level")) out.emplace_back("--log-level=*:warning");
  return result;
}

eal_session::eal_session(eal_arguments const& arguments) {
  // The EAL keeps and reorders the pointers it is given, so they live as long as the process.
  static std::vector<std::string> words;
  static std::vector<char*> argv;
  words = arguments.words;
  argv.clear();
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);

  quiet_stdout const quiet;
  if (rte_eal_init(static_cast<int>(words.size()), argv.data()) < 0) {
    std::string given;
    for (std::size_t i = 1; i < words.size(); ++i) given.append(i == 1 ? "" : " ").append(words[i]);
    throw failure(
        fmt::format("the EAL did not start: {} (its options: {}); the lines above say why, and "
                    "'dpdk-testpmd -h' lists every EAL option",
                    rte_strerror(rte_errno), given));
  }
}

eal_session::~eal_session() { rte_eal_cleanup(); }

}  // namespace packetwarp
