// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/machine/boot.h"

#include "doctor/machine_tree.h"

namespace packetwarp::doctor {
namespace {

finding asks_for(std::string parameters) {
  return {.id = "x", .subject = "cpu", .why = "y", .seen = {.is = status::warn, .boot = {std::move(parameters)}}};
}

TEST_F(machine_tree, one_edit_has_the_parameters_of_all_findings_each_once) {
  write("/etc/default/grub", "GRUB_CMDLINE_LINUX_DEFAULT=\"quiet\"\n");
  write("/usr/sbin/update-grub", "");
  auto const edit = plan_boot(files(), {asks_for("isolcpus=1 nowatchdog"), asks_for(""),
                                        asks_for("isolcpus=1 nowatchdog"), asks_for("hugepages=16 isolcpus=2")});
  ASSERT_TRUE(edit.has_value());
  EXPECT_EQ(edit->parameters, "isolcpus=2 nowatchdog hugepages=16");
  EXPECT_EQ(edit->command,
            "sed -i 's/^GRUB_CMDLINE_LINUX_DEFAULT=\"/&isolcpus=2 nowatchdog hugepages=16 /' /etc/default/grub && "
            "update-grub");
}

TEST_F(machine_tree, without_grub_or_need_there_is_no_edit_of_its_file) {
  EXPECT_FALSE(plan_boot(files(), {asks_for("")}).has_value());
  EXPECT_EQ(plan_boot(files(), {asks_for("iommu=pt")})->command, "") << "this machine has no GRUB";
  write("/etc/default/grub", "");
  EXPECT_EQ(plan_boot(files(), {asks_for("iommu=pt")})->command, "") << "nor what writes its menu";
  write("/usr/sbin/grub2-mkconfig", "");
  EXPECT_THAT(plan_boot(files(), {asks_for("iommu=pt")})->command,
              testing::EndsWith("&& grub2-mkconfig -o /boot/grub2/grub.cfg"));
}

}  // namespace
}  // namespace packetwarp::doctor
