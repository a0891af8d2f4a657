// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/nat44/session/session_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/error.h"
#include "base/process/private_file.h"

namespace packetwarp::nat {
namespace {

// The header comes before the sessions; their checksum, 8 bytes, comes after them.
struct file_header {
  std::array<char, 8> magic;
  std::uint64_t sessions;
};
static_assert(sizeof(file_header) == 16);
constexpr std::array<char, 8> file_magic{'p', 'w', 'n', 'a', 't', '4', '4', '2'};
constexpr std::array<char, 8> magic_without_checksum{'p', 'w', 'n', 'a', 't', '4', '4', '1'};

[[noreturn]] void fail_at(std::string const& path, std::string const& why) {
  throw failure(fmt::format("nat44 sessions: {}: {}", path, why));
}

[[nodiscard]] session_file_handle open_to_read(std::string const& path) {
  session_file_handle file{std::fopen(path.c_str(), "rb")};
  if (!file) fail_at(path, std::strerror(errno));
  return file;
}

[[nodiscard]] session_file_handle open_to_write(std::string const& path) {
  try {
    return session_file_handle{::fdopen(make_private_file(path), "wb")};
  } catch (failure const& wrong) {
    throw failure(fmt::format("nat44 sessions: {}", wrong.what()));
  }
}

// The checksum of the session and all before it: each bit of each word changes it (FNV-1a, by words of 64 bits).
[[nodiscard]] std::uint64_t checksum_with(std::uint64_t before, saved_session const& one) {
  constexpr std::uint64_t prime = 0x0000'0100'0000'01b3;
  for (auto const word : {one.inside, one.outside, std::uint64_t{one.idle} << 32 | one.tcp}) {
    before = std::rotl((before ^ word) * prime, 29);
  }
  return before;
}

// Makes sure that the names of a folder are on the disk.
void sync_folder_of(std::string const& path) {
  auto const folder = std::filesystem::path{path}.parent_path();
  int const opened = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  (void)::fsync(opened);
  (void)::close(opened);
}

}  // namespace

session_file_writer::session_file_writer(std::string path)
    : path_{std::move(path)}, unfinished_{unfinished_name(path_)}, file_{open_to_write(unfinished_)} {
  file_header const header{file_magic, 0};
  if (!file_ || std::fwrite(&header, sizeof header, 1, file_.get()) != 1) fail();
}

session_file_writer::~session_file_writer() {
  if (file_) (void)::unlink(unfinished_.c_str());
}

void session_file_writer::add(saved_session const& one) {
  if (std::fwrite(&one, sizeof one, 1, file_.get()) != 1) fail();
  ++sessions_;
  checksum_ = checksum_with(checksum_, one);
}

void session_file_writer::finish() {
  file_header const header{file_magic, sessions_};
  // The content is on the disk before the file has its name: a machine that fails leaves the old file or the new one.
  bool const is_written = std::fwrite(&checksum_, sizeof checksum_, 1, file_.get()) == 1 &&
                          std::fseek(file_.get(), 0, SEEK_SET) == 0 &&
                          std::fwrite(&header, sizeof header, 1, file_.get()) == 1 && std::fflush(file_.get()) == 0 &&
                          ::fdatasync(::fileno(file_.get())) == 0;
  if (!is_written || std::rename(unfinished_.c_str(), path_.c_str()) != 0) fail();
  file_.reset();
  sync_folder_of(path_);
}

void session_file_writer::fail() const {
  throw failure(fmt::format("nat44 sessions: writing {}: {}", path_, std::strerror(errno)));
}

void read_session_file(std::string const& path, std::function<void(saved_session const&)> const& visit) {
  auto const file = open_to_read(path);
  file_header header{};
  bool const has_header = std::fread(&header, sizeof header, 1, file.get()) == 1;
  bool const has_checksum = header.magic == file_magic;
  if (!has_header || (!has_checksum && header.magic != magic_without_checksum)) {
    throw failure(fmt::format("nat44 sessions: {} is no file of saved sessions", path));
  }
  auto const each = [&](auto const& use) {
    if (std::fseek(file.get(), sizeof header, SEEK_SET) != 0) fail_at(path, std::strerror(errno));
    saved_session one{};
    for (std::uint64_t n = 0; n < header.sessions; ++n) {
      if (std::fread(&one, sizeof one, 1, file.get()) != 1) {
        throw failure(fmt::format("nat44 sessions: {} ends after {} of {} sessions", path, n, header.sessions));
      }
      use(one);
    }
  };
  std::uint64_t checksum = 0, stored = 0;
  each([&](saved_session const& one) { checksum = checksum_with(checksum, one); });
  if (has_checksum && (std::fread(&stored, sizeof stored, 1, file.get()) != 1 || stored != checksum)) {
    throw failure(fmt::format("nat44 sessions: {} differs from the file as written: its checksum is wrong", path));
  }
  each(visit);
}

}  // namespace packetwarp::nat
