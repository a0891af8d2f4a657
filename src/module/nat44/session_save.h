// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "function/nat44/nat44_tables.h"
#include "function/nat44/session/session_file.h"

namespace packetwarp {

// Saves a NAT44's sessions while it runs: each call reads a slice of the table, and a thread beside the master writes
// the file, so that a disk that stands still holds up no other work. For the master; the table outlives it.
class session_save {
 public:
  // Whether the host's table knows how long sessions have been idle; while a GPU has the true one, it does not.
  enum class idle_times : std::uint8_t { known, unknown };
  // own: files of the run that the save must not replace.
  session_save(nat44_tables const& table, std::string path, idle_times idle, std::vector<std::string> own = {});

  // Does a slice of the work, of `records` records of the table; it has no effect once the save is over.
  void step(std::uint32_t records);
  [[nodiscard]] bool is_over() const { return is_over_; }
  // The records that step() has read so far.
  [[nodiscard]] std::uint32_t records_seen() const { return at_ - 1; }
  // Calls step() until the save is over, or the disk has taken nothing for `patience`, which counts as an error.
  void finish(std::chrono::seconds patience);
  // When it is over: the number of saved sessions; the error, empty without one.
  [[nodiscard]] std::uint64_t sessions() const { return sessions_; }
  [[nodiscard]] std::string const& error() const { return error_; }
  // Whether the error is that the file must not be replaced; nothing has been written then.
  [[nodiscard]] bool is_refused() const { return is_refused_; }
  [[nodiscard]] std::string const& path() const { return path_; }

 private:
  struct writing {
    std::optional<nat::session_file_writer> file;
  };
  static void open(writing& to, std::string const& path, std::span<std::string const> own);
  void collect(std::uint32_t records);
  void write();

  nat44_tables const& table_;
  std::string path_;
  idle_times idle_;
  std::vector<std::string> own_;
  std::uint32_t at_{1};
  std::vector<nat::saved_session> chunk_;
  std::shared_ptr<writing> to_{std::make_shared<writing>()};  // the thread's, while it writes
  std::future<void> written_;                                 // valid while a thread writes
  std::uint64_t sessions_{};
  bool is_over_{false};
  bool is_refused_{false};
  std::string error_;
};

}  // namespace packetwarp
