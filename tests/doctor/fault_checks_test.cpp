// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/machine_tree.h"

namespace packetwarp::doctor {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class iommu_faults : public machine_tree {
 protected:
  [[nodiscard]] reading with_log(std::string const& log) {
    programs_.prints("dmesg", log);
    return one_of("iommu-faults");
  }
  std::string const nic_{nic};
};

TEST_F(iommu_faults, are_none_in_a_log_without_them) {
  EXPECT_THAT(with_log("[    0.1] DMAR: IOMMU enabled\n[    1.2] DMAR: DRHD: handling fault status reg 2\n"),
              reads(status::ok, "none in the kernel's log"));
}

TEST_F(iommu_faults, of_intels_are_counted_and_the_last_is_told) {
  auto const seen = with_log(
      "[   31.2] DMAR: [DMA Read NO_PASID] Request device [b5:00.0] fault addr 0x0 [fault reason 0x06] PTE Read access "
      "is not set\n"
      "[   31.2] DMAR: DRHD: handling fault status reg 2\n"
      "[   32.5] DMAR: [DMA Write NO_PASID] Request device [b5:00.0] fault addr 0xdead000 [fault reason 0x05] PTE "
      "Write "
      "access is not set\n");
  EXPECT_THAT(seen, reads(status::warn, "2 in the kernel's log; the last: DMAR: [DMA Write"));
  EXPECT_THAT(seen.text, AllOf(HasSubstr("fault addr 0xdead000"), Not(HasSubstr("\n"))));
  EXPECT_EQ(seen.of, "0000:b5:00.0");
}

TEST_F(iommu_faults, of_amds_are_found_in_both_forms) {
  EXPECT_THAT(
      with_log("[1.0] AMD-Vi: Event logged [IO_PAGE_FAULT device=b5:00.0 domain=0x000e address=0x0 flags=0x20]\n"
               "[2.0] vfio-pci 0000:b5:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x19 address=0x1000]\n"),
      reads(status::warn, "2 in the kernel's log; the last: AMD-Vi: Event logged"));
}

TEST_F(iommu_faults, of_other_devices_are_theirs) {
  EXPECT_THAT(with_log("[1.0] DMAR: [DMA Read] Request device [b5:00.1] fault addr 0x0 [fault reason 06] not set\n"
                       "[1.0] nvme 0000:b5:00.0: nothing to do with it\n"),
              has_status(status::ok));
}

TEST_F(iommu_faults, cannot_be_where_the_iommu_is_off) {
  remove(nic_ + "/iommu_group");
  EXPECT_THAT(with_log(""), reads(status::skip, "the IOMMU is off"));
}

TEST_F(iommu_faults, are_unknown_where_the_log_cannot_be_read) {
  programs_.remove("dmesg");
  EXPECT_THAT(one_of("iommu-faults"), reads(status::unknown, "dmesg"));
  programs_.install("dmesg");
  programs_.fails("dmesg", "dmesg: read kernel buffer failed: Operation not permitted");
  EXPECT_THAT(one_of("iommu-faults"), reads(status::unknown, "not permitted"));
}

TEST_F(iommu_faults, are_of_nics_alone) {
  remove("/sys/bus");
  EXPECT_THAT(one_of("iommu-faults"), has_status(status::skip));
}

}  // namespace
}  // namespace packetwarp::doctor
