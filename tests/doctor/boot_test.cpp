// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/machine/boot.h"

#include <cstdlib>

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
            "sed -i 's/^\\(GRUB_CMDLINE_LINUX_DEFAULT=\"[^\"]*\\)\"/\\1 isolcpus=2 nowatchdog hugepages=16\"/' "
            "/etc/default/grub && update-grub");
}

TEST_F(machine_tree, without_grub_or_need_there_is_no_edit_of_its_file) {
  EXPECT_FALSE(plan_boot(files(), {asks_for("")}).has_value());
  EXPECT_EQ(plan_boot(files(), {asks_for("iommu=pt")})->command, "") << "this machine has no GRUB";
  write("/etc/default/grub", "");
  EXPECT_EQ(plan_boot(files(), {asks_for("iommu=pt")})->command, "") << "nor what writes its menu";
  write("/usr/sbin/grub2-mkconfig", "");
  EXPECT_EQ(plan_boot(files(), {asks_for("iommu=pt")})->command, "") << "its file has no line for them";
  write("/etc/default/grub", "GRUB_CMDLINE_LINUX_DEFAULT=\"\"\n");
  EXPECT_THAT(plan_boot(files(), {asks_for("iommu=pt")})->command,
              testing::EndsWith("&& grub2-mkconfig -o /boot/grub2/grub.cfg"));
}

// The file's line after the printed command, whose second half is left out.
class boot_command : public machine_tree {
 protected:
  [[nodiscard]] std::string line_after(std::string const& before) const {
    write("/etc/default/grub", "GRUB_TIMEOUT=5\n" + before + "\nGRUB_CMDLINE_LINUX=\"a\"\n");
    auto command = plan_boot(files(), {asks_for("intel_iommu=on iommu=pt")})->command;
    if (command.empty()) return "no command";
    command.resize(command.find(" && "));
    constexpr std::string_view file = "/etc/default/grub";
    command.replace(command.find(file), file.size(), (root_ / "etc/default/grub").string());
    if (std::system(command.c_str()) != 0) return "failed: " + command;
    auto const text = files().text("/etc/default/grub");
    auto const lines = lines_of(text);
    EXPECT_THAT(lines, testing::SizeIs(3));
    EXPECT_EQ(lines.back(), "GRUB_CMDLINE_LINUX=\"a\"");
    return std::string{lines.at(1)};
  }
};

TEST_F(boot_command, puts_parameters_after_those_that_are_there) {
  write("/usr/sbin/update-grub", "");
  EXPECT_EQ(line_after("GRUB_CMDLINE_LINUX_DEFAULT=\"quiet iommu=off\""),
            "GRUB_CMDLINE_LINUX_DEFAULT=\"quiet iommu=off intel_iommu=on iommu=pt\"");
  EXPECT_EQ(line_after("GRUB_CMDLINE_LINUX_DEFAULT=\"\" # none"),
            "GRUB_CMDLINE_LINUX_DEFAULT=\" intel_iommu=on iommu=pt\" # none");
  EXPECT_EQ(line_after("GRUB_CMDLINE_LINUX_DEFAULT='quiet'"),
            "GRUB_CMDLINE_LINUX_DEFAULT='quiet intel_iommu=on iommu=pt'");
}

TEST_F(boot_command, is_none_where_it_would_change_nothing) {
  write("/usr/sbin/update-grub", "");
  for (auto const* const line :
       {"GRUB_CMDLINE_LINUX_DEFAULT=quiet", "GRUB_CMDLINE_LINUX_DEFAULT=", "#GRUB_CMDLINE_LINUX_DEFAULT=\"quiet\"",
        "GRUB_CMDLINE_LINUX_DEFAULT=\"quiet", "GRUB_CMDLINE_LINUX_DEFAULT=\"dyndbg=\\\"file x\\\"\"", ""}) {
    EXPECT_EQ(line_after(line), "no command") << line;
  }
}

TEST_F(boot_command, changes_all_kernels_where_grubby_does_that) {
  write("/etc/default/grub", "GRUB_CMDLINE_LINUX=\"crashkernel=1G\"\n");
  write("/usr/sbin/grub2-mkconfig", "");
  write("/usr/sbin/grubby", "");
  EXPECT_EQ(plan_boot(files(), {asks_for("intel_iommu=on iommu=pt")})->command,
            "grubby --update-kernel=ALL --args=\"intel_iommu=on iommu=pt\"");
}

}  // namespace
}  // namespace packetwarp::doctor
