// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "doctor/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace packetwarp::doctor {
namespace {

using testing::HasSubstr;

std::vector<finding> sample() {
  return {
      {.id = "tsc", .subject = "cpu", .why = "it is the clock", .seen = {.is = status::ok, .text = "constant_tsc"}},
      {.id = "link",
       .subject = "pci",
       .why = "lanes bound packets",
       .seen = {.of = "0000:01:00.0", .is = status::warn, .text = "x8", .command = "lspci"}},
      {.id = "link",
       .subject = "pci",
       .why = "lanes bound packets",
       .seen = {.of = "0000:02:00.0", .is = status::fail, .text = "x1", .command = "lspci"}},
      {.id = "pause", .subject = "nic", .why = "they hide loss", .seen = {.is = status::unknown, .text = "why not"}}};
}

TEST(doctor_report, is_a_table_with_what_to_do_below) {
  EXPECT_EQ(to_table(sample(), {}),
            "status   check  of            reading\n"
            "ok       tsc                  constant_tsc\n"
            "warn     link   0000:01:00.0  x8\n"
            "fail     link   0000:02:00.0  x1\n"
            "unknown  pause                why not\n"
            "\n"
            "link: lanes bound packets\n"
            "  lspci\n"
            "\n"
            "1 ok, 1 warn, 1 fail, 0 skip, 1 unknown\n");
}

TEST(doctor_report, is_json_with_every_finding) {
  hugepage_step const step{.path = "/p", .page_bytes = 2 << 20, .before = 1, .asked = 5, .refused = {}};
  auto const made = nlohmann::json::parse(to_json(sample(), {result_of(step, 4)}, {}));
  EXPECT_EQ(made["failed"], true);
  EXPECT_EQ(made["counts"], (nlohmann::json{{"ok", 1}, {"warn", 1}, {"fail", 1}, {"skip", 0}, {"unknown", 1}}));
  ASSERT_EQ(made["findings"].size(), 4u);
  EXPECT_EQ(made["findings"][1], (nlohmann::json{{"id", "link"},
                                                 {"subject", "pci"},
                                                 {"of", "0000:01:00.0"},
                                                 {"status", "warn"},
                                                 {"reading", "x8"},
                                                 {"why", "lanes bound packets"},
                                                 {"command", "lspci"},
                                                 {"boot_parameters", nullptr},
                                                 {"manifest", nullptr}}));
  EXPECT_TRUE(made["findings"][0]["of"].is_null() && made["findings"][0]["command"].is_null());
  EXPECT_EQ(made["fixes"][0]["got"], 4);
  EXPECT_THAT(made["fixes"][0]["problem"].get<std::string>(), HasSubstr("4 of 5"));
}

TEST(doctor_report, names_fields_of_a_manifest_instead_of_commands) {
  auto findings = sample();
  for (std::size_t const n : {1U, 2U}) {
    findings[n].seen.command.clear();
    findings[n].seen.manifest = "resources.limits.cpu: 2";
  }
  EXPECT_THAT(to_table(findings, {}),
              HasSubstr("\nlink: lanes bound packets\n  manifest: resources.limits.cpu: 2\n\n1 ok"));
  EXPECT_EQ(nlohmann::json::parse(to_json(findings, {}, {}))["findings"][1]["manifest"], "resources.limits.cpu: 2");
}

TEST(doctor_report, has_one_change_of_the_kernels_command_line_and_the_reboot_apart) {
  auto findings = sample();
  findings[1].seen.command.clear();
  findings[1].seen.boot = findings[2].seen.boot = {"iommu=pt"};
  findings[2].seen.command.clear();
  boot_edit const boot{.parameters = "iommu=pt", .command = "sed x && update-grub"};
  EXPECT_THAT(to_table(findings, boot), HasSubstr("\nlink: lanes bound packets\n"
                                                  "\nkernel command line, for link; it counts from the next boot on:\n"
                                                  "  sed x && update-grub\n"
                                                  "then, when the machine can be spared:\n"
                                                  "  reboot\n"));
  auto const without = to_table(findings, boot_edit{.parameters = "iommu=pt", .command = {}});
  EXPECT_THAT(without,
              HasSubstr("no GRUB with a line for them is here; give these to this machine's boot loader: iommu=pt\n"));
  EXPECT_THAT(without, testing::Not(HasSubstr("reboot")));
  auto const made = nlohmann::json::parse(to_json(findings, {}, boot));
  EXPECT_EQ(made["boot"], (nlohmann::json{{"parameters", "iommu=pt"}, {"command", "sed x && update-grub"}}));
  EXPECT_EQ(made["findings"][1]["boot_parameters"], "iommu=pt");
}

TEST(doctor_report, bytes_that_are_no_text_are_replaced) {
  auto findings = sample();
  findings[0].seen.text = "\xff\xfe";
  EXPECT_EQ(nlohmann::json::parse(to_json(findings, {}, {}))["findings"].size(), findings.size());
}

TEST(doctor_report, a_step_says_what_it_writes) {
  hugepage_step step{.path = "/p/nr_hugepages", .page_bytes = 2 << 20, .before = 1, .asked = 5, .refused = {}};
  EXPECT_EQ(describe(step), "writing 5 into /p/nr_hugepages, which is 1 now (pages of 2.00 MiB)");
  EXPECT_EQ(describe(result_of(step, 5)), "/p/nr_hugepages is 5");
  EXPECT_THAT(describe(result_of(step, 3)), HasSubstr("/p/nr_hugepages is 3: the kernel gave 3 of 5"));
  step.refused = "no room";
  EXPECT_EQ(describe(step), "/p/nr_hugepages stays 1: no room");
}

}  // namespace
}  // namespace packetwarp::doctor
