// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/nat44/session_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/error.h"

namespace packetwarp::nat {
namespace {

// In front of the sessions.
struct file_header {
  std::array<char, 8> magic;
  std::uint64_t sessions;
};
static_assert(sizeof(file_header) == 16);
constexpr std::array<char, 8> file_magic{'p', 'w', 'n', 'a', 't', '4', '4', '1'};

[[nodiscard]] session_file_handle open(std::string const& path, char const* mode) {
  session_file_handle file{std::fopen(path.c_str(), mode)};
  if (!file) throw failure(fmt::format("nat44 sessions: {}: {}", path, std::strerror(errno)));
  return file;
}

}  // namespace

session_file_writer::session_file_writer(std::string path)
    : path_{std::move(path)}, unfinished_{path_ + ".new"}, file_{open(unfinished_, "wb")} {
  file_header const header{file_magic, 0};
  if (std::fwrite(&header, sizeof header, 1, file_.get()) != 1) fail();
}

session_file_writer::~session_file_writer() {
  if (file_) (void)::unlink(unfinished_.c_str());
}

void session_file_writer::add(saved_session const& one) {
  if (std::fwrite(&one, sizeof one, 1, file_.get()) != 1) fail();
  ++sessions_;
}

void session_file_writer::finish() {
  file_header const header{file_magic, sessions_};
  // On the disk before it has its name: a machine that fails leaves the old file or the new one.
  bool const is_written = std::fseek(file_.get(), 0, SEEK_SET) == 0 &&
                          std::fwrite(&header, sizeof header, 1, file_.get()) == 1 && std::fflush(file_.get()) == 0 &&
                          ::fdatasync(::fileno(file_.get())) == 0;
  if (!is_written || std::rename(unfinished_.c_str(), path_.c_str()) != 0) fail();
  file_.reset();
}

void session_file_writer::fail() const {
  throw failure(fmt::format("nat44 sessions: writing {}: {}", path_, std::strerror(errno)));
}

void read_session_file(std::string const& path, std::function<void(saved_session const&)> const& visit) {
  auto const file = open(path, "rb");
  file_header header{};
  if (std::fread(&header, sizeof header, 1, file.get()) != 1 || header.magic != file_magic) {
    throw failure(fmt::format("nat44 sessions: {} is no file of saved sessions", path));
  }
  for (std::uint64_t n = 0; n < header.sessions; ++n) {
    saved_session one{};
    if (std::fread(&one, sizeof one, 1, file.get()) != 1) {
      throw failure(fmt::format("nat44 sessions: {} ends after {} of {} sessions", path, n, header.sessions));
    }
    visit(one);
  }
}

}  // namespace packetwarp::nat
