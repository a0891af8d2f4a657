// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "doctor/examine.h"
#include "doctor/machine/machine.h"
#include "doctor/machine/text.h"

namespace packetwarp::doctor {

// Programs with outputs that a test defines, by their words.
class told_tools : public tools {
 public:
  void install(std::string const& program) { installed_[program] = true; }
  void remove(std::string const& program) { installed_.erase(program); }
  // Installs the program, too.
  void prints(std::string const& words, std::string output);
  void fails(std::string const& words, std::string message);

  [[nodiscard]] bool is_installed(std::string const& program) const override { return installed_.contains(program); }
  // Throws failure, also for words that no test defined.
  [[nodiscard]] std::string output_of(std::vector<std::string> const& words) const override;

 private:
  std::map<std::string, bool> installed_;
  std::map<std::string, std::string> output_, failures_;
};

// Files of a machine below a folder of its own: l2fwd-nv's test machine as in its readme, with a ConnectX and a GPU on
// one PCIe switch, everything as it should be. A test changes the part that it is about.
class machine_tree : public testing::Test {
 protected:
  static constexpr auto nic = "/sys/bus/pci/devices/0000:b5:00.0";
  static constexpr auto gpu = "/sys/bus/pci/devices/0000:b6:00.0";
  static constexpr auto cpus = "/sys/devices/system/cpu";

  void SetUp() override;
  void TearDown() override;

  void write(std::string const& path, std::string_view text) const;
  void link(std::string const& path, std::string const& target) const;
  void remove(std::string const& path) const;
  // A folder where a file should be: it opens, and cannot be read, even by root.
  void make_unreadable(std::string const& path) const;
  void add_device(std::string const& bridges, std::string const& address) const;

  [[nodiscard]] machine_reader files() const { return machine_reader{root_}; }
  // The results of a check, by its name.
  [[nodiscard]] std::vector<reading> all_of(std::string const& id) const;
  // The check's result for the machine, or for the one device that it checks.
  [[nodiscard]] reading one_of(std::string const& id) const;

  std::filesystem::path root_;
  told_tools programs_;
  cuda_facts cuda_{.driver = "13.0", .runtime = "13.0", .problem = {}};
  std::uint64_t hugepage_bytes_{std::uint64_t{1} << 30};
  surroundings where_{surroundings::machine};

 private:
  void write_memory() const;
  void write_cpus() const;
  void write_process() const;
  void write_devices();
};

// The configuration space of a device whose PCI Express capability is at 0x60, as the readme's ConnectX-6 has it, and
// whose Device Control register, at 0x68, holds `control`.
[[nodiscard]] std::string config_space(std::uint16_t control);

inline void PrintTo(reading const& one, std::ostream* into) { *into << to_string(one.is) << ": " << one.text; }

MATCHER_P(has_status, what, std::string{"has the status "} + std::string{to_string(what)}) { return arg.is == what; }
MATCHER_P2(reads, what, part, std::string{to_string(what)} + ", with the words '" + part + "'") {
  return arg.is == what && arg.text.find(part) != std::string::npos;
}

}  // namespace packetwarp::doctor
