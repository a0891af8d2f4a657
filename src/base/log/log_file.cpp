// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"
#include "base/log/log.h"
#include "base/log/log_writer.h"
#include "base/process/hang_up.h"
#include "base/process/owned_fd.h"
#include "base/process/private_file.h"
#include "base/sleep.h"

namespace packetwarp {
namespace {

// False also for a name that is no regular file, or may not be read.
[[nodiscard]] bool ends_within_a_line(std::string const& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_size == 0) return false;
  owned_fd const file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
  char last = 0;
  return ::pread(file.get(), &last, 1, found.st_size - 1) == 1 && last != '\n';
}

class log_file final : public log_target {
 public:
  explicit log_file(std::string const& path)
      : path_{path}, file_{open_private_log(path)}, lacks_line_end_{ends_within_a_line(path)} {}
  log_file(log_file const&) = delete;
  log_file& operator=(log_file const&) = delete;
  ~log_file() override {
    if (file_ >= 0) (void)::close(file_);
  }

  [[nodiscard]] std::ptrdiff_t write(std::string_view bytes) override {
    if (file_ < 0) open_again();
    if (file_ < 0) return -EAGAIN;
    if (!is_within_a_line_ && hang_ups_ != count_of_hang_ups()) follow_the_name();
    if (lacks_line_end_) {
      if (::write(file_, "\n", 1) != 1) return -errno;
      lacks_line_end_ = false;
    }
    auto const n = ::write(file_, bytes.data(), bytes.size());
    if (n > 0) is_within_a_line_ = bytes[static_cast<std::size_t>(n) - 1] != '\n';
    return n >= 0 ? n : -errno;
  }

  // A full disk and a FIFO without a reader answer at once, so only the time can be waited for.
  void wait(std::chrono::milliseconds most) override {
    pollfd writable{.fd = file_, .events = POLLOUT, .revents = 0};
    auto const ready = file_ < 0 ? 0 : ::poll(&writable, 1, 0);
    if (ready == 0 && file_ >= 0) {
      (void)::poll(&writable, 1, static_cast<int>(most.count()));
    } else {
      sleep_for(most);
    }
  }
  // A file that another process has written to since keeps them.
  void take_back(std::size_t bytes) override {
    struct stat found {};
    if (::fstat(file_, &found) != 0 || !S_ISREG(found.st_mode)) return;
    auto const left = found.st_size - static_cast<off_t>(bytes);
    bool const is_last = left >= 0 && ::lseek(file_, 0, SEEK_CUR) == found.st_size;
    if (is_last && ::ftruncate(file_, left) != 0) return;  // the part stays, as after a process that was killed
  }

 private:
  // For a FIFO that had no reader at the start.
  void open_again() {
    try {
      file_ = open_private_log(path_);
    } catch (failure const&) {
      file_ = -1;  // the FIFO has been removed since
    }
  }

  // After SIGHUP: the file may have got another name, as logrotate gives it. The old one stays if there is none.
  void follow_the_name() {
    hang_ups_ = count_of_hang_ups();
    try {
      auto const made = open_private_log(path_);
      if (made < 0) return;
      (void)::close(file_);
      file_ = made;
      lacks_line_end_ = ends_within_a_line(path_);
    } catch (failure const& failed) {
      log().warn("{}; its lines go on to the file that was opened before", failed.what());
    }
  }

  std::string path_;
  unsigned hang_ups_{count_of_hang_ups()};
  int file_;
  bool lacks_line_end_;
  bool is_within_a_line_{false};
};

}  // namespace

std::unique_ptr<log_target> make_log_file(std::string const& path) { return std::make_unique<log_file>(path); }

}  // namespace packetwarp
