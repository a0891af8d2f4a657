// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/machine/pci_express.h"

#include <gtest/gtest.h>

#include <string>

#include "doctor/machine_tree.h"

namespace packetwarp::doctor {
namespace {

using enum device_control::search;

device_control find_in(std::string const& bytes) {
  return find_device_control({reinterpret_cast<std::uint8_t const*>(bytes.data()), bytes.size()});
}

TEST(pci_express, the_readme_s_values_mean_what_lspci_printed) {
  auto const before = find_in(config_space(0x2930));
  EXPECT_EQ(before.how, found);
  EXPECT_EQ(before.offset, 0x68u);
  EXPECT_EQ(before.max_payload(), 256u);
  EXPECT_EQ(before.max_read_request(), 512u);
  EXPECT_EQ(before.with_largest_read_request(), 0x5930);
  EXPECT_EQ(find_in(config_space(0x5930)).max_read_request(), 4096u);
}

TEST(pci_express, every_encoding_is_read_or_is_reserved) {
  for (unsigned encoding = 0; encoding < 8; ++encoding) {
    device_control const control{.value = static_cast<std::uint16_t>(encoding << 12 | encoding << 5)};
    if (encoding > 5) {
      EXPECT_FALSE(control.max_read_request() || control.max_payload()) << encoding;
    } else {
      EXPECT_EQ(control.max_read_request(), 128u << encoding);
      EXPECT_EQ(control.max_payload(), 128u << encoding);
    }
  }
}

TEST(pci_express, a_device_without_capabilities_has_no_such_register) {
  auto bytes = config_space(0x5930);
  bytes[0x06] = 0;
  EXPECT_EQ(find_in(bytes).how, no_capability);
  bytes = config_space(0x5930);
  bytes[0x60] = 0x05;  // its last capability is another one
  EXPECT_EQ(find_in(bytes).how, no_capability);
}

TEST(pci_express, the_64_bytes_that_anybody_reads_are_too_few) {
  EXPECT_EQ(find_in(config_space(0x5930).substr(0, 64)).how, cut_short);
  EXPECT_EQ(find_in(config_space(0x5930).substr(0, 0x69)).how, cut_short);
  EXPECT_EQ(find_in(config_space(0x5930).substr(0, 0x6a)).how, found);
  EXPECT_EQ(find_in({}).how, cut_short);
}

TEST(pci_express, a_list_that_bites_its_tail_ends) {
  auto bytes = config_space(0x5930);
  bytes[0x60] = 0x05;
  bytes[0x61] = 0x40;
  EXPECT_EQ(find_in(bytes).how, no_capability);
}

TEST(pci_express, a_pointer_into_the_header_ends_the_list) {
  auto bytes = config_space(0x5930);
  bytes[0x34] = 0x10;
  EXPECT_EQ(find_in(bytes).how, no_capability);
}

TEST(pci_express, reserved_bits_of_a_pointer_are_no_part_of_it) {
  auto bytes = config_space(0x5930);
  bytes[0x41] = 0x63;
  EXPECT_EQ(find_in(bytes).offset, 0x68u);
}

}  // namespace
}  // namespace packetwarp::doctor
