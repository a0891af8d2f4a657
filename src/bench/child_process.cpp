// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "base/error.h"
#include "base/process/stop.h"

namespace packetwarp::bench {
namespace {

// A started program inherits neither end, unless it gets one as its own.
struct ends {
  descriptor read_from;
  descriptor write_to;
};

ends make_pipe() {
  std::array<int, 2> made{};
  if (::pipe2(made.data(), O_CLOEXEC) != 0) throw failure(fmt::format("a pipe: {}", std::strerror(errno)));
  return {descriptor{made[0]}, descriptor{made[1]}};
}

// A socket rather than a pipe: a write to a socket without a reader can be told not to raise SIGPIPE.
ends make_input() {
  std::array<int, 2> made{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, made.data()) != 0) {
    throw failure(fmt::format("a pair of sockets: {}", std::strerror(errno)));
  }
  return {descriptor{made[0]}, descriptor{made[1]}};
}

class spawn_actions {
 public:
  spawn_actions() {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&attributes_);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETPGROUP);
    posix_spawnattr_setpgroup(&attributes_, 0);
  }
  spawn_actions(spawn_actions const&) = delete;
  spawn_actions& operator=(spawn_actions const&) = delete;
  ~spawn_actions() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  void give(descriptor const& from, int as) { posix_spawn_file_actions_adddup2(&files_, from.value(), as); }
  [[nodiscard]] pid_t spawn(std::string const& program, std::vector<std::string> words) const {
    std::vector<char*> argv;
    argv.reserve(words.size() + 1);
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t pid = -1;
    int const error = posix_spawnp(&pid, program.c_str(), &files_, &attributes_, argv.data(), environ);
    if (error != 0) throw failure(fmt::format("{} cannot be run: {}", program, std::strerror(error)));
    return pid;
  }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

// Reads the available bytes. Closes a pipe that has ended or failed.
void read_into(std::string& text, descriptor& from) {
  std::array<char, 16384> buffer{};
  auto const got = ::read(from.value(), buffer.data(), buffer.size());
  if (got > 0) {
    text.append(buffer.data(), static_cast<std::size_t>(got));
  } else if (got == 0 || errno != EINTR) {
    from = descriptor{};
  }
}

}  // namespace

descriptor::~descriptor() {
  if (is_open()) ::close(value_);
}

child_process::child_process(std::string const& program, std::vector<std::string> const& words) {
  auto input = make_input(), output = make_pipe(), errors = make_pipe();
  spawn_actions actions;
  actions.give(input.read_from, STDIN_FILENO);
  actions.give(output.write_to, STDOUT_FILENO);
  actions.give(errors.write_to, STDERR_FILENO);
  pid_ = actions.spawn(program, words);
  input_ = std::move(input.write_to);
  output_pipe_ = std::move(output.read_from);
  error_pipe_ = std::move(errors.read_from);
}

child_process::~child_process() {
  if (pid_ < 0) return;
  ::kill(-pid_, SIGKILL);
  while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

void child_process::read_for(std::chrono::milliseconds time) {
  std::array<pollfd, 2> heard{{{output_pipe_.value(), POLLIN, 0}, {error_pipe_.value(), POLLIN, 0}}};
  // A signal ends the poll early, so a request to stop is seen at once.
  if (::poll(heard.data(), heard.size(), static_cast<int>(time.count())) <= 0) return;
  if (heard[0].revents != 0) read_into(output_, output_pipe_);
  if (heard[1].revents != 0) read_into(errors_, error_pipe_);
}

child_process::pause child_process::wait_until(std::function<bool()> const& holds, clock::time_point limit) {
  constexpr auto longest = std::chrono::milliseconds{200};  // a signal may arrive just before the poll
  while (true) {
    if (holds()) return pause::satisfied;
    if (!output_pipe_.is_open() && !error_pipe_.is_open()) return pause::ended;
    if (stop_requested() != stop_request::none) return pause::stopped;
    auto const left = std::chrono::ceil<std::chrono::milliseconds>(limit - clock::now());
    if (left.count() <= 0) return pause::late;
    read_for(std::min(longest, left));
  }
}

child_process::pause child_process::wait_for_end(clock::time_point limit) {
  return wait_until([] { return false; }, limit);
}

bool child_process::say(std::string_view line) {
  auto const text = fmt::format("{}\n", line);
  return ::send(input_.value(), text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
}

void child_process::stop() {
  ::kill(-pid_, SIGTERM);
  auto const limit = clock::now() + std::chrono::seconds{5};
  while ((output_pipe_.is_open() || error_pipe_.is_open()) && clock::now() < limit) {
    read_for(std::chrono::milliseconds{50});
  }
}

child_process::ending child_process::collect() {
  int how = 0;
  while (::waitpid(pid_, &how, 0) < 0 && errno == EINTR) {
  }
  ::kill(-pid_, SIGKILL);  // children that it may have left
  pid_ = -1;
  if (WIFSIGNALED(how)) return {.status = -1, .words = fmt::format("killed by signal {}", WTERMSIG(how))};
  auto const status = WEXITSTATUS(how);
  return {.status = status, .words = status == 0 ? "" : fmt::format("exit status {}", status)};
}

}  // namespace packetwarp::bench
