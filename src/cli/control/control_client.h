// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "cli/control/unix_socket.h"
#include "request/request.h"

namespace packetwarp {

// The client's action when no part of an answer has come for a time. A change may take its time, and a client that
// leaves cannot know whether it is done: it logs one line, and waits on.
enum class at_silence : std::uint8_t { tell, fail };

// How long the client asks for a place while other clients have all of them, the time between two attempts, and the
// time that it waits for each part of an answer before it does what `then` says.
struct control_client_limits {
  std::chrono::milliseconds again{10'000};
  std::chrono::milliseconds pause{10};
  std::chrono::milliseconds silence{20'000};
  at_silence then{at_silence::tell};
};

// For requests that only read. A run that is not stopped answers them at once.
inline constexpr control_client_limits limits_of_readers{.then = at_silence::fail};

// A client of a running packetwarp's control socket. Blocks. If the server answers that it had no place, so that
// nothing of the request was done, the request is repeated by another connection. If a connection ends without an
// answer, the fate of the request is not known, and it is not repeated.
class control_client {
 public:
  // path: nothing for the only running packetwarp. Throws failure if none runs, usage_error if several run.
  explicit control_client(std::optional<std::string> const& path, control_client_limits limits = {});

  // Throws usage_error or failure with the server's words, by the answer's status; failure if no answer came, or, by a
  // reader's limits, not in time, and after SIGINT or SIGTERM.
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
  // Throws failure by a reader's limits.
  void notice_silence(clock::time_point since);
  [[nodiscard]] std::optional<std::string> receive(waiting const& is_waited_for);

  std::string path_;
  control_client_limits limits_;
  owned_fd connection_;
  std::string read_;
  bool has_told_{};
};

}  // namespace packetwarp
