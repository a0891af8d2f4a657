// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <span>

#include "base/error.h"
#include "base/log/log.h"
#include "base/process/standard_error.h"
#include "base/process/stop.h"
#include "capture/pcapng_scanner.h"
#include "cli/capture/capture_requests.h"
#include "cli/capture/options.h"
#include "cli/capture/target.h"
#include "cli/control/control_client.h"

namespace packetwarp {
namespace {

using clock = std::chrono::steady_clock;

// Makes a folder that only this user may open, for a socket in it; empty, with errno, if none can be made.
[[nodiscard]] std::filesystem::path make_folder_in(std::filesystem::path const& parent) {
  constexpr std::size_t longest = 90;  // a socket's path has up to 107 bytes
  auto name = (parent / "capture-XXXXXX").string();
  errno = ENAMETOOLONG;
  if (name.size() > longest || ::mkdtemp(name.data()) == nullptr) return {};
  return name;
}

// The folder is made beside the control socket if possible, because both processes see that place: the running
// packetwarp may have a /tmp of its own (PrivateTmp of systemd, a container).
[[nodiscard]] std::filesystem::path make_meeting_folder(std::string const& control) {
  auto made = make_folder_in(std::filesystem::absolute(control).parent_path());
  if (!made.empty()) return made;
  auto const other = std::filesystem::temp_directory_path();
  made = make_folder_in(other);
  if (!made.empty()) return made;
  throw failure(fmt::format(
      "capture: no folder for a socket can be made beside the control socket {}, nor in {}: {}; give another "
      "one by TMPDIR, which the running packetwarp sees, too",
      control, other.string(), std::strerror(errno)));
}

// The socket to which the running packetwarp sends the file. It lies in a folder of its own, which the destructor
// removes.
class meeting_place {
 public:
  explicit meeting_place(std::string const& control) : folder_{make_meeting_folder(control)} {
    listening_ = listen_at(path());
  }
  meeting_place(meeting_place const&) = delete;
  meeting_place& operator=(meeting_place const&) = delete;
  ~meeting_place() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  [[nodiscard]] std::string path() const { return folder_ / "stream"; }
  // Accepts the peer, which has connected already.
  [[nodiscard]] owned_fd accept() const {
    owned_fd made{::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (!made) throw failure(fmt::format("capture: the running packetwarp has sent nothing: {}", std::strerror(errno)));
    return made;
  }

 private:
  std::filesystem::path folder_;
  owned_fd listening_;
};

// The time-out of a wait for bytes: the time left until `end`, at most one second; -1, for ever, without an end.
[[nodiscard]] int milliseconds_until(std::optional<clock::time_point> end) {
  if (!end) return -1;
  auto const left = std::chrono::ceil<std::chrono::milliseconds>(*end - clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1000));
}

// Passes the file on until it ends. Ctrl-C and the duration end the capture, also while its output takes nothing; its
// remaining bytes still come, as long as the running packetwarp is not silent.
class passage {
 public:
  passage(owned_fd const& stream, capture_target const& target, pcapng::scanner& counts,
          std::chrono::nanoseconds duration)
      : stream_{stream}, target_{target}, counts_{counts} {
    if (duration.count() != 0) end_ = clock::now() + duration;
  }

  // The end of a capture: of its stream, of its output's reader, or of the user's patience.
  enum class end : std::uint8_t { stream, reader, abandoned };

  [[nodiscard]] end run() {
    std::array<char, 262144> some;
    for (;;) {
      if (is_abandoned()) return end::abandoned;
      look_at_end();
      std::array<pollfd, 2> awaited{pollfd{.fd = stream_.get(), .events = POLLIN, .revents = 0},
                                    pollfd{.fd = target_.descriptor(), .events = 0, .revents = 0}};
      if (::poll(awaited.data(), awaited.size(), longest_wait()) <= 0) {
        refuse_silence();
        continue;
      }
      if ((awaited[1].revents & (POLLERR | POLLHUP)) != 0) return end::reader;
      auto const n = ::recv(stream_.get(), some.data(), some.size(), 0);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return end::stream;
      std::span<char const> const got{some.data(), static_cast<std::size_t>(n)};
      counts_.take(got);
      if (!write(got)) return end::reader;
      if (is_enough_) end_ = clock::now() + most_silence;
    }
  }

 private:
  static constexpr std::chrono::milliseconds a_while{100};
  // How long an output may take nothing once the capture has ended.
  static constexpr std::chrono::milliseconds patience{1000};
  // How long the running packetwarp may send nothing once the capture has ended.
  static constexpr std::chrono::milliseconds most_silence{10'000};
  // Signals that come within this time are one: coreutils' timeout signals the command, and then its process group.
  static constexpr std::chrono::milliseconds together{100};
  static constexpr std::chrono::milliseconds look{10};  // at signals, within that time

  // Whether a second signal has come, not together with the first. To be asked often after the first one.
  [[nodiscard]] bool is_abandoned() {
    auto const asked = stop_requested();
    if (asked == stop_request::none) return false;
    if (!first_signal_) first_signal_ = clock::now();
    if (asked != stop_request::abandon) return false;
    if (is_first_signal_new()) are_one_ = true;
    return !are_one_;
  }
  [[nodiscard]] bool is_first_signal_new() const { return first_signal_ && clock::now() - *first_signal_ < together; }
  [[nodiscard]] int longest_wait() const {
    return is_first_signal_new() ? static_cast<int>(look.count()) : milliseconds_until(end_);
  }

  void look_at_end() {
    bool const is_over = end_ && clock::now() >= *end_;
    if (is_enough_ || (!is_over && stop_requested() == stop_request::none)) return;
    is_enough_ = true;
    end_ = clock::now() + most_silence;
    (void)::shutdown(stream_.get(), SHUT_WR);
  }

  void refuse_silence() const {
    if (!is_enough_ || clock::now() < *end_) return;
    throw failure(fmt::format(
        "capture: packetwarp has sent nothing for {:.3g} s since the end of the capture, whose last packets are "
        "missing; it may be stopped (SIGSTOP), or have too little of the CPU",
        std::chrono::duration<double>{most_silence}.count()));
  }

  // False: the output has no reader any more.
  [[nodiscard]] bool write(std::span<char const> bytes) {
    auto since = clock::now();  // the output took something, or the capture went on
    while (!bytes.empty() && !is_abandoned()) {
      auto const taken = target_.write_some(bytes, is_first_signal_new() ? look : a_while);
      if (!taken) return false;
      if (*taken != 0) {
        bytes = bytes.subspan(*taken);
        since = clock::now();
        continue;
      }
      if (!is_enough_) since = clock::now();
      look_at_end();
      if (clock::now() - since >= patience) target_.give_up(patience);
    }
    return true;
  }

  owned_fd const& stream_;
  capture_target const& target_;
  pcapng::scanner& counts_;
  std::optional<clock::time_point> end_;  // of the capture, then of the wait for its rest
  bool is_enough_{};
  std::optional<clock::time_point> first_signal_;
  bool are_one_{};  // the first two signals
};

}  // namespace

int run_capture(invocation const& call) {
  survive_broken_pipes();
  auto const options = parse_capture_options(call);
  capture_target target{options.file};
  pcapng::scanner counts;
  owned_fd stream;
  {
    control_client running{options.control};
    meeting_place const place{running.path()};
    request asked{.command = "capture", .arguments = options.arguments};
    asked.arguments["stream"] = place.path();
    if (auto const id = target.id()) asked.arguments["file"] = to_text(*id);
    (void)running.ask(asked);
    stream = place.accept();
  }
  target.begin();
  auto const ended = passage{stream, target, counts, options.duration}.run();
  auto const missed = counts.is_whole() ? fmt::format(", {} missed for want of room", counts.counts().missed) : "";
  fmt::print(options.file == capture_to_standard_output ? stderr : stdout, "{} packets captured{}\n", counts.packets(),
             missed);
  if (ended == passage::end::abandoned) {
    log().warn(
        "a second signal ended the capture at once: the last packets are missing, and the number of missed packets is "
        "not known");
    return exit_failure;
  }
  if (counts.is_whole() || ended == passage::end::reader) return exit_success;
  log().warn("the running packetwarp ended before the capture did: the number of missed packets is not known");
  return exit_failure;
}

}  // namespace packetwarp
