// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace packetwarp::traffic {

class capture_reader;

// The times at which the packets of captures are sent: as recorded, or by a rate.
enum class capture_pace : std::uint8_t { recorded, by_rate };

// The packets of a pcap or pcapng file, in memory, for replay.
class capture {
 public:
  // The largest packet kept, and the most memory used for all of them.
  struct limits {
    std::uint32_t packet_bytes{9600 - 4};
    std::uint64_t total_bytes{std::uint64_t{1} << 32};
  };

  struct packet {
    std::uint64_t offset;  // into the capture's memory
    std::uint64_t time;    // nanoseconds since the epoch, as recorded
    std::uint32_t length;  // bytes recorded, without a frame check sequence
  };

  // Throws usage_error with one line for a file that cannot be opened, is no capture, has another link type than
  // Ethernet, has no usable packet, or is too large: an option has named it. A file that ends in the middle of a
  // packet, or is damaged further on, gives the packets before; see problem().
  [[nodiscard]] static capture read(std::filesystem::path const& file, limits most);
  [[nodiscard]] static capture read(std::filesystem::path const& file) { return read(file, limits{}); }

  // The same from an open stream, which is closed; `name` stands for it in errors, which are failures.
  [[nodiscard]] static capture read(std::FILE* open, std::string const& name, limits most);

  [[nodiscard]] std::span<packet const> packets() const { return packets_; }
  [[nodiscard]] std::span<std::byte const> bytes(packet const& one) const {
    return std::span{bytes_}.subspan(one.offset, one.length);
  }

  [[nodiscard]] std::uint64_t total_bytes() const { return bytes_.size(); }
  [[nodiscard]] std::uint32_t smallest() const { return smallest_; }  // bytes
  [[nodiscard]] std::uint32_t largest() const { return largest_; }

  // Packets left out: recorded only in part (snap length), without a whole Ethernet header, or above the limit.
  [[nodiscard]] std::uint64_t skipped() const { return skipped_; }

  // The reason why reading ended before the file did, in one line; empty if it did not.
  [[nodiscard]] std::string const& problem() const { return problem_; }

 private:
  [[nodiscard]] static capture read(capture_reader from, std::string const& name, limits most);
  void add(std::span<std::byte const> recorded, std::uint64_t time);

  std::vector<std::byte> bytes_;
  std::vector<packet> packets_;
  std::uint32_t smallest_{};
  std::uint32_t largest_{};
  std::uint64_t skipped_{};
  std::string problem_;
};

}  // namespace packetwarp::traffic
