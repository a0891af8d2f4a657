// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/process/pipe_wait.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <system_error>

#include "base/error.h"

namespace packetwarp {
namespace {

enum class waiting_calls : bool { go_on, end };

// After a signal with a handler.
void have_waiting_calls(waiting_calls what) {
  for (int const signal : {SIGINT, SIGTERM}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (what == waiting_calls::end) {
      action.sa_flags &= ~SA_RESTART;
    } else {
      action.sa_flags |= SA_RESTART;
    }
    sigaction(signal, &action, nullptr);
  }
}

}  // namespace

pipe_wait::pipe_wait(std::filesystem::path const& file) {
  std::error_code ignored;  // the error of opening the file is clearer
  is_pipe_ = std::filesystem::is_fifo(file, ignored);
  if (!is_pipe_) return;
  if (::gettid() != ::getpid()) {
    throw usage_error(
        fmt::format("{}: is a pipe, whose writer would hold up the running network; give a file", file.string()));
  }
  have_waiting_calls(waiting_calls::end);
}

pipe_wait::~pipe_wait() {
  if (is_pipe_) have_waiting_calls(waiting_calls::go_on);
}

}  // namespace packetwarp
