// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace packetwarp {

// Rights of Linux that a process can have apart from each other (capabilities(7)), by their numbers there.
enum class capability : unsigned {
  dac_override = 1,  // files whatever their mode says
  net_admin = 12,
  net_raw = 13,
  ipc_lock = 14,
  sys_rawio = 17,
  sys_admin = 21,
  bpf = 39
};

class capability_set {
 public:
  constexpr capability_set() = default;
  constexpr capability_set(std::initializer_list<capability> these) {
    for (auto const one : these) add(one);
  }
  static constexpr capability_set of_bits(std::uint64_t bits) {
    capability_set made;
    made.bits_ = bits;
    return made;
  }
  constexpr void add(capability one) { bits_ |= std::uint64_t{1} << static_cast<unsigned>(one); }
  constexpr void add(capability_set more) { bits_ |= more.bits_; }
  [[nodiscard]] constexpr bool has(capability one) const { return (bits_ >> static_cast<unsigned>(one) & 1) != 0; }
  [[nodiscard]] constexpr bool is_within(capability_set all) const { return (bits_ & ~all.bits_) == 0; }
  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  [[nodiscard]] constexpr bool operator==(capability_set const&) const = default;

 private:
  std::uint64_t bits_{};
};

// The rights of the calling thread. The kernel is asked by system calls: the C library has no functions for it, and a
// library that has would be a dependency for three of them.
[[nodiscard]] capability_set own_capabilities();

// Takes away from every thread of the process all rights but those in `kept`, for good, and what programs that it
// starts would gain over it (PR_SET_NO_NEW_PRIVS). Rights are each thread's own: every one is sent a signal for it, as
// the C library does where a process changes its user. Says how many threads took no signal and have what they had.
// Throws failure.
[[nodiscard]] unsigned keep_only(capability_set kept);

// A file or a directory that is used later, and how.
struct later_use {
  enum class how : std::uint8_t { read, write } way{};  // write: files in this directory
  std::string path;
};
// Whether all of these can be used without CAP_DAC_OVERRIDE. For the calling thread, which has its rights back after
// it.
[[nodiscard]] bool file_modes_allow(std::vector<later_use> const& all);

}  // namespace packetwarp
