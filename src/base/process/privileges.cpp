// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/process/privileges.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>

#include "base/error.h"
#include "base/sleep.h"

namespace packetwarp {
namespace {

struct thread_capabilities {
  capability_set permitted;
  capability_set effective;
};

[[nodiscard]] thread_capabilities read_capabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
  if (::syscall(SYS_capget, &header, data.data()) != 0) return {};
  return {.permitted = capability_set::of_bits(std::uint64_t{data[1].permitted} << 32 | data[0].permitted),
          .effective = capability_set::of_bits(std::uint64_t{data[1].effective} << 32 | data[0].effective)};
}

[[nodiscard]] bool write_capabilities(thread_capabilities const& wanted) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3> data{};
  for (unsigned half = 0; half < data.size(); ++half) {
    data[half].permitted = static_cast<std::uint32_t>(wanted.permitted.bits() >> 32 * half);
    data[half].effective = static_cast<std::uint32_t>(wanted.effective.bits() >> 32 * half);
  }
  return ::syscall(SYS_capset, &header, data.data()) == 0;
}

// The rights that the signal handler keeps: a handler takes no other argument.
std::atomic<std::uint64_t> kept_bits{0};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

// Gives up the calling thread's rights. Makes system calls and nothing else.
void give_up_rights() {
  auto const kept = capability_set::of_bits(kept_bits.load(std::memory_order_relaxed));
  (void)::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  (void)::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  (void)write_capabilities({.permitted = kept, .effective = kept});
}

extern "C" void on_give_up_signal(int) {
  auto const error = errno;
  give_up_rights();
  errno = error;
}

struct thread_status {
  capability_set permitted;
  std::uint64_t blocked{};
  bool gains_rights{true};  // by programs that the thread starts
};

// Nothing for a thread that has ended.
[[nodiscard]] std::optional<thread_status> read_status(std::filesystem::path const& thread) {
  std::ifstream file{thread / "status"};
  thread_status made;
  bool is_whole = false;
  for (std::string name; file >> name;) {
    std::string value;
    std::getline(file, value);
    if (name == "CapPrm:") made.permitted = capability_set::of_bits(std::stoull(value, nullptr, 16));
    if (name == "SigBlk:") made.blocked = std::stoull(value, nullptr, 16);
    if (name == "NoNewPrivs:") made.gains_rights = std::stoi(value) == 0;
    is_whole = is_whole || name == "CapPrm:";
  }
  return is_whole ? std::optional{made} : std::nullopt;
}

// The threads of the process that still have more rights. deaf: how many of them block the signal.
struct remaining_threads {
  std::vector<::pid_t> to_tell;
  unsigned deaf{};
};
[[nodiscard]] remaining_threads find_remaining(capability_set kept, int signal) {
  remaining_threads found;
  for (auto const& thread : std::filesystem::directory_iterator{"/proc/self/task"}) {
    auto const status = read_status(thread.path());
    if (!status || (status->permitted.is_within(kept) && !status->gains_rights)) continue;
    if ((status->blocked >> (signal - 1) & 1) != 0) {
      ++found.deaf;
    } else {
      found.to_tell.push_back(std::stoi(thread.path().filename().string()));
    }
  }
  return found;
}

[[nodiscard]] std::string name_of_thread(::pid_t thread) {
  std::ifstream file{fmt::format("/proc/self/task/{}/comm", thread)};
  std::string name;
  std::getline(file, name);
  return name;
}

// A thread takes the signal when it runs next in user mode: on a busy machine, or in a long system call, this takes a
// while.
[[nodiscard]] unsigned tell_all(capability_set kept, int signal) {
  constexpr std::chrono::seconds patience{30};
  constexpr std::chrono::milliseconds longest_pause{32};
  auto const until = std::chrono::steady_clock::now() + patience;
  for (std::chrono::milliseconds pause{1};; pause = std::min(2 * pause, longest_pause)) {
    // Threads that had not been told may have started others meanwhile.
    auto const remaining = find_remaining(kept, signal);
    if (remaining.to_tell.empty()) return remaining.deaf;
    if (std::chrono::steady_clock::now() >= until) {
      throw failure(fmt::format(
          "privileges: thread {} ('{}') has kept its rights for {} s; give --keep-privileges to run with all "
          "of them",
          remaining.to_tell.front(), name_of_thread(remaining.to_tell.front()), patience.count()));
    }
    for (auto const thread : remaining.to_tell) (void)::syscall(SYS_tgkill, ::getpid(), thread, signal);
    sleep_for(pause);
  }
}

}  // namespace

capability_set own_capabilities() { return read_capabilities().permitted; }

void raise_permitted(capability_set wanted) {
  auto own = read_capabilities();
  auto const before = own.effective;
  own.effective.add(capability_set::of_bits(wanted.bits() & own.permitted.bits()));
  if (own.effective != before) (void)write_capabilities(own);
}

unsigned keep_only(capability_set wanted) {
  auto const kept = capability_set::of_bits(wanted.bits() & own_capabilities().bits());
  kept_bits.store(kept.bits(), std::memory_order_relaxed);
  int const signal = SIGRTMAX;
  struct sigaction action {};
  action.sa_handler = on_give_up_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  if (::sigaction(signal, &action, nullptr) != 0) {
    throw failure(fmt::format("privileges: sigaction: {}", std::strerror(errno)));
  }
  // The calling thread comes first, so that threads that it starts from now on have no more.
  give_up_rights();
  // The handler stays installed: a thread may have been sent one signal more than it needed, and receive it later.
  return tell_all(kept, signal);
}

bool file_modes_allow(std::vector<later_use> const& all) {
  auto const own = own_capabilities();
  if (!own.has(capability::dac_override)) return true;
  // CAP_DAC_READ_SEARCH, which is 2, is given up as well.
  constexpr std::uint64_t of_files = 1U << static_cast<unsigned>(capability::dac_override) | 1U << 2;
  if (!write_capabilities({.permitted = own, .effective = capability_set::of_bits(own.bits() & ~of_files)}))
    return false;
  bool const is_allowed = std::all_of(all.begin(), all.end(), [](later_use const& one) {
    int const mode = one.way == later_use::how::read ? R_OK : W_OK | X_OK;
    return ::faccessat(AT_FDCWD, one.path.c_str(), mode, AT_EACCESS) == 0;
  });
  (void)write_capabilities({.permitted = own, .effective = own});
  return is_allowed;
}

}  // namespace packetwarp
