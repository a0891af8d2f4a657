// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/control/unix_socket.h"
#include "request/request.h"

namespace packetwarp {

// How long the client asks for a place while other clients have all of them, the time between two attempts, and how
// long it waits for each part of an answer: for ever, if nothing is given, because a change may take its time.
struct control_client_limits {
  std::chrono::milliseconds again{10'000};
  std::chrono::milliseconds pause{10};
  std::optional<std::chrono::milliseconds> answer{};
};

// For requests that only read. A run that is not stopped answers them at once.
inline constexpr control_client_limits limits_of_readers{.answer = std::chrono::seconds{20}};

// A client of a running packetwarp's control socket. Blocks. If the server answers that it had no place, so that
// nothing of the request was done, the request is repeated by another connection. If a connection ends without an
// answer, the fate of the request is not known, and it is not repeated.
class control_client {
 public:
  // path: nothing for the only running packetwarp. Throws failure if none runs, usage_error if several run.
  explicit control_client(std::optional<std::string> const& path, control_client_limits limits = {});

  // Throws usage_error or failure with the server's words, by the answer's status; failure if no answer came, or not in
  // the limit's time.
  // failure, too, after SIGINT or SIGTERM.
  [[nodiscard]] json ask(request const& asked);
  // The same as long as is_waited_for(), which is called ten times per second, returns true; nothing once it returns
  // false.
  [[nodiscard]] std::optional<json> ask(request const& asked, std::function<bool()> const& is_waited_for);

  [[nodiscard]] std::string const& path() const { return path_; }
  // A descriptor of the process that answered the last request, which polls as readable once the process has ended
  // (pidfd_open(2)); nothing for a process of another PID namespace, and for one that has ended.
  [[nodiscard]] owned_fd process() const;

 private:
  using clock = std::chrono::steady_clock;
  using waiting = std::function<bool()>;
  // False, or nothing: no caller waits for the answer any more.
  [[nodiscard]] bool connect(clock::time_point until, waiting const& is_waited_for);
  [[nodiscard]] bool send(std::string_view line, waiting const& is_waited_for);
  void refuse_silence(clock::time_point since) const;
  [[nodiscard]] std::optional<std::string> receive(waiting const& is_waited_for);

  std::string path_;
  control_client_limits limits_;
  owned_fd connection_;
  std::string read_;
};

}  // namespace packetwarp
