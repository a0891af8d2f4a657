// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "cli/run/file/port_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace packetwarp {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

port_reader reader_of(std::map<std::string, std::string> all) {
  return port_reader{[all = std::move(all)](std::string const& name) -> std::optional<std::string> {
    auto const found = all.find(name);
    return found == all.end() ? std::nullopt : std::optional{found->second};
  }};
}

yaml_place place_of(std::string const& text) { return parse_yaml("network.yaml", "port: " + text).at("port"); }

std::string refusal_of(port_reader reader, std::string const& text) {
  try {
    return "accepted: " + reader.read(place_of(text));
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
}

TEST(port_section, has_a_name_a_number_or_an_address) {
  auto reader = reader_of({});
  EXPECT_EQ(reader.read(place_of("net_af_packet0")), "net_af_packet0");
  EXPECT_EQ(reader.read(place_of("1")), "1");
  EXPECT_TRUE(reader.devices().empty());
  EXPECT_EQ(reader.read(place_of("{pci: 01:10.0, arguments: txq_inline_max=0}")), "0000:01:10.0");
  ASSERT_EQ(reader.devices().size(), 1);
  EXPECT_EQ(reader.devices()[0].address, "0000:01:10.0");
  EXPECT_EQ(reader.devices()[0].arguments, "txq_inline_max=0");
}

TEST(port_section, gives_the_devices_of_a_resource_one_after_the_other) {
  auto reader = reader_of({{"PCIDEVICE_INTEL_COM_IGB_INSIDE", "0000:01:10.2,0000:01:10.0"},
                           {"PCIDEVICE_INTEL_COM_IGB_OUTSIDE", "0000:02:10.0"}});
  EXPECT_EQ(reader.read(place_of("{resource: intel.com/igb_inside}")), "0000:01:10.2");
  EXPECT_EQ(reader.read(place_of("{resource: intel.com/igb_outside}")), "0000:02:10.0");
  EXPECT_EQ(reader.read(place_of("{resource: intel.com/igb_inside}")), "0000:01:10.0");
}

TEST(port_section, looks_where_device_plugins_put_a_resources_devices) {
  EXPECT_THAT(variables_of_resource("intel.com/igb_inside"), ElementsAre("PCIDEVICE_INTEL_COM_IGB_INSIDE"));
  EXPECT_THAT(variables_of_resource("openshift.io/mlx-a"),
              ElementsAre("PCIDEVICE_OPENSHIFT_IO_MLX-A", "PCIDEVICE_OPENSHIFT_IO_MLX_A"));
}

TEST(port_section, refuses_a_resource_that_the_pod_has_too_little_of) {
  auto const missing = refusal_of(reader_of({}), "{resource: intel.com/a}");
  EXPECT_THAT(missing, HasSubstr("network.yaml:1: port.resource: this process has no device of intel.com/a"));
  EXPECT_THAT(missing, HasSubstr("PCIDEVICE_INTEL_COM_A is not set"));
  EXPECT_THAT(missing, HasSubstr("resources.limits.'intel.com/a'"));
  auto reader = reader_of({{"PCIDEVICE_INTEL_COM_A", "0000:01:10.0"}});
  (void)reader.read(place_of("{resource: intel.com/a}"));
  EXPECT_THAT(
      refusal_of(reader, "{resource: intel.com/a}"),
      HasSubstr("intel.com/a has 1 device (PCIDEVICE_INTEL_COM_A=0000:01:10.0), and interface 2 of the file asks "
                "for one more: set resources.limits.'intel.com/a' to 2 or more"));
}

TEST(port_section, refuses_what_is_no_device) {
  EXPECT_THAT(refusal_of(reader_of({}), "{pci: eth0}"), HasSubstr("port.pci: 'eth0' is no address on PCI"));
  EXPECT_THAT(refusal_of(reader_of({{"PCIDEVICE_A_B", "sf7"}}), "{resource: a/b}"),
              HasSubstr("PCIDEVICE_A_B=sf7: 'sf7' is no address on PCI"));
  EXPECT_THAT(refusal_of(reader_of({}), "{arguments: a}"), HasSubstr("give one of pci: ADDRESS and resource: NAME"));
  EXPECT_THAT(refusal_of(reader_of({}), "{pci: 01:10.0, resource: a/b}"), HasSubstr("give one of"));
  EXPECT_THAT(refusal_of(reader_of({}), "{vdev: net_null0}"), HasSubstr("no key 'vdev'"));
}

}  // namespace
}  // namespace packetwarp
