// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace packetwarp {

// Rights of Linux that a process can have separately, with the numbers of capabilities(7).
enum class capability : unsigned {
  dac_override = 1,  // any file, whatever its mode
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

// The rights of the calling thread. System calls ask the kernel: the C library has no functions for it, and a library
// that has them would be a dependency for three calls.
[[nodiscard]] capability_set own_capabilities();

// The rights that opening ports may need: kernel interfaces, memory that devices access, a NIC's flow rules.
inline constexpr capability_set rights_of_ports{capability::net_admin, capability::net_raw, capability::ipc_lock,
                                                capability::sys_rawio};

// The same as setcap's words for a program's file. setcap replaces a file's rights, so advice always has all of them.
inline constexpr std::string_view setcap_of_ports = "CAP_NET_ADMIN,CAP_NET_RAW,CAP_IPC_LOCK,CAP_SYS_RAWIO=ep";

// Makes these rights effective for the calling thread, as far as they are permitted to it. A container's image gives
// its program permitted rights alone (`setcap ...+p`): the kernel would refuse to start a program whose effective
// rights the container does not have. Called before other threads start.
void raise_permitted(capability_set wanted);

// Takes all rights but those in `kept` away from every thread of the process, for good, as well as rights that a
// started program would gain (PR_SET_NO_NEW_PRIVS). Each thread has its own rights, so every thread is sent a signal,
// as the C library does when a process changes its user. Returns how many threads took no signal and keep the rights
// they had. Throws failure.
[[nodiscard]] unsigned keep_only(capability_set kept);

// A file or a directory that is used later, and its use.
struct later_use {
  enum class how : std::uint8_t { read, write } way{};  // write: files in this directory
  std::string path;
};
// Whether all of these can be used without CAP_DAC_OVERRIDE. Tests with the calling thread, whose rights are restored
// before it returns.
[[nodiscard]] bool file_modes_allow(std::vector<later_use> const& all);

}  // namespace packetwarp
