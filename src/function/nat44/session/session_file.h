// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>

// Sessions in a file outlive the process. Every function throws failure, one line that names the file.
namespace packetwarp::nat {

// A session as it is kept, in the machine's byte order: keys of its endpoints, seconds without a packet, tcp_state.
struct saved_session {
  std::uint64_t inside;
  std::uint64_t outside;
  std::uint32_t idle;
  std::uint32_t tcp;
};
static_assert(sizeof(saved_session) == 24);

struct close_session_file {
  void operator()(std::FILE* file) const { (void)std::fclose(file); }
};
using session_file_handle = std::unique_ptr<std::FILE, close_session_file>;

// Writes a file that has its name only once it is whole: a reader meanwhile finds the old file, and an unfinished one
// leaves nothing. The file is for this user alone (mode 0600), and ends with a checksum.
class session_file_writer {
 public:
  explicit session_file_writer(std::string path);
  // The name that the file has until it is whole.
  [[nodiscard]] static std::string unfinished_name(std::string const& path) { return path + ".new"; }
  session_file_writer(session_file_writer const&) = delete;
  session_file_writer& operator=(session_file_writer const&) = delete;
  ~session_file_writer();

  void add(saved_session const& one);
  void finish();
  [[nodiscard]] std::uint64_t sessions() const { return sessions_; }

 private:
  [[noreturn]] void fail() const;

  std::string path_;
  std::string unfinished_;
  session_file_handle file_;
  std::uint64_t sessions_{};
  std::uint64_t checksum_{};
};

// Calls visit for every session of a file. Throws before the first call if the file is something else, is cut, or
// differs from its checksum. Files of earlier versions have no checksum.
void read_session_file(std::string const& path, std::function<void(saved_session const&)> const& visit);

}  // namespace packetwarp::nat
