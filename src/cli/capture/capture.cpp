// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>

#include "base/error.h"
#include "base/log/log.h"
#include "base/process/stop.h"
#include "capture/pcapng_scanner.h"
#include "cli/capture/capture_requests.h"
#include "cli/capture/options.h"
#include "cli/control/control_client.h"
#include "file/distinct_files.h"

namespace packetwarp {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::string_view standard_output = "-";

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

// The destination of captured packets. It is opened before the request is sent; its old content stays until packets
// come.
class capture_target {
 public:
  explicit capture_target(std::string const& name) : name_{name} {
    if (name == standard_output) return;
    // Packets may be confidential: a new file is for this user alone.
    constexpr mode_t mode = S_IRUSR | S_IWUSR;
    is_new_ = !std::filesystem::exists(name);
    file_ = owned_fd{::open(name.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, mode)};
    if (!file_) refuse();
  }
  capture_target(capture_target const&) = delete;
  capture_target& operator=(capture_target const&) = delete;
  ~capture_target() {
    if (is_new_ && !has_begun_) (void)::unlink(name_.c_str());
  }
  // Nothing for standard output, and for a device or a pipe.
  [[nodiscard]] std::optional<file_id> id() const {
    struct stat found {};
    bool const is_file = file_ && ::fstat(file_.get(), &found) == 0 && S_ISREG(found.st_mode);
    return is_file ? std::optional{file_id{found.st_dev, found.st_ino}} : std::nullopt;
  }
  void begin() {
    has_begun_ = true;
    if (id() && ::ftruncate(file_.get(), 0) != 0) refuse();
  }
  void write(std::span<char const> bytes) const {
    int const to = file_ ? file_.get() : STDOUT_FILENO;
    while (!bytes.empty()) {
      auto const n = ::write(to, bytes.data(), bytes.size());
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) refuse();
      bytes = bytes.subspan(static_cast<std::size_t>(n));
    }
  }

 private:
  [[noreturn]] void refuse() const { throw failure(fmt::format("-w {}: {}", name_, std::strerror(errno))); }
  std::string name_;
  owned_fd file_;
  bool is_new_{};
  bool has_begun_{};
};

// The time-out of a wait for bytes: the time left until `end`, at most one second; -1, for ever, without an end.
[[nodiscard]] int milliseconds_until(std::optional<clock::time_point> end) {
  if (!end) return -1;
  auto const left = std::chrono::ceil<std::chrono::milliseconds>(*end - clock::now()).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 1000));
}

// Passes the file on until it ends. Ctrl-C and the duration end the capture; its remaining bytes still come.
void pass_on(owned_fd const& stream, capture_target const& target, pcapng::scanner& counts,
             std::chrono::nanoseconds duration) {
  std::optional<clock::time_point> end;
  if (duration.count() != 0) end = clock::now() + duration;
  bool is_enough = false;
  std::array<char, 262144> some;
  for (;;) {
    if (stop_requested() == stop_request::abandon) return;
    bool const is_over = end && clock::now() >= *end;
    if (!is_enough && (is_over || stop_requested() != stop_request::none)) {
      is_enough = true;
      end.reset();
      (void)::shutdown(stream.get(), SHUT_WR);
    }
    pollfd readable{.fd = stream.get(), .events = POLLIN, .revents = 0};
    if (::poll(&readable, 1, milliseconds_until(end)) <= 0) continue;
    auto const n = ::recv(stream.get(), some.data(), some.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;
    std::span<char const> const got{some.data(), static_cast<std::size_t>(n)};
    counts.take(got);
    target.write(got);
  }
}

}  // namespace

int run_capture(invocation const& call) {
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
  pass_on(stream, target, counts, options.duration);
  auto const missed = counts.is_whole() ? fmt::format(", {} missed for want of room", counts.counts().missed) : "";
  fmt::print(options.file == standard_output ? stderr : stdout, "{} packets captured{}\n", counts.packets(), missed);
  if (counts.is_whole()) return exit_success;
  log().warn("the running packetwarp ended before the capture did: the number of missed packets is not known");
  return exit_failure;
}

}  // namespace packetwarp
