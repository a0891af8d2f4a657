// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace packetwarp::traffic {

// Reads the packets of a pcap or pcapng file, one after the other.
class capture_reader {
 public:
  struct packet {
    std::span<std::byte const> bytes{};  // recorded; valid until the next one is read
    std::uint64_t time{};                // nanoseconds since the epoch, as recorded
    std::uint32_t length{};              // of the frame: more than was recorded if the recording cut it short
  };

  // Throws usage_error for a file that cannot be opened, and failure with one line for a file that is no capture, or
  // has another link type than Ethernet.
  explicit capture_reader(std::filesystem::path const& file);
  // The same from an open stream, which is closed; `name` stands for it in errors.
  capture_reader(std::FILE* open, std::string name);

  // False: no packet is left, or the file is cut or damaged here; see problem(). Every later call gives false, too.
  [[nodiscard]] bool next(packet& into);

  // The reason why reading ended before the file did, in one line; empty if it did not.
  [[nodiscard]] std::string const& problem() const { return problem_; }

 private:
  struct closer {
    void operator()(void* open) const;
  };
  std::string name_;
  std::unique_ptr<void, closer> handle_;  // libpcap's
  std::uint64_t count_{};
  bool is_over_{};
  std::string problem_;
};

}  // namespace packetwarp::traffic
