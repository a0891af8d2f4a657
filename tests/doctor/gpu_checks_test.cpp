// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/machine_tree.h"

namespace packetwarp::doctor {
namespace {

using testing::HasSubstr;

constexpr auto driver_file = "/proc/driver/nvidia/version";
constexpr auto proprietary =
    "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun  6 22:20:39 UTC 2023\n";

class gpus : public machine_tree {
 protected:
  // Removes the GPU, and all files about it.
  void remove_gpu() {
    remove("/sys/bus/pci/devices/0000:b6:00.0");
    remove("/proc/driver");
    cuda_ = {.driver = {}, .runtime = {}, .problem = "no NVIDIA driver here"};
  }
};

TEST_F(gpus, checks_are_skipped_without_one) {
  remove_gpu();
  for (auto const* id : {"gpu-driver", "cuda", "gpudirect", "gdrcopy", "gpu-distance"}) {
    EXPECT_THAT(one_of(id), reads(status::skip, "no NVIDIA GPU")) << id;
  }
}

TEST_F(gpus, one_that_only_cuda_sees_is_one) {
  remove_gpu();
  cuda_ = {.driver = "13.0", .runtime = "13.0", .problem = {}};
  EXPECT_THAT(one_of("cuda"), has_status(status::ok));
  EXPECT_THAT(one_of("gpu-distance"), has_status(status::skip));
}

TEST_F(gpus, the_driver_says_its_version) {
  EXPECT_THAT(one_of("gpu-driver"), reads(status::ok, "580.95.05, open kernel module"));
  write(driver_file, proprietary);
  EXPECT_THAT(one_of("gpu-driver"), reads(status::ok, "535.54.03, proprietary kernel module"));
  write(driver_file, "NVRM version: none\n");
  EXPECT_THAT(one_of("gpu-driver"), reads(status::unknown, "no version"));
  make_unreadable(driver_file);
  EXPECT_THAT(one_of("gpu-driver"), has_status(status::unknown));
}

TEST_F(gpus, nvidia_smi_is_asked_where_the_kernel_does_not_tell) {
  remove("/proc/driver");
  EXPECT_THAT(one_of("gpu-driver"), reads(status::fail, "not loaded"));
  EXPECT_THAT(one_of("gpu-driver").command, HasSubstr("nvidia-open"));
  programs_.prints("nvidia-smi --query-gpu=driver_version --format=csv,noheader", "580.95.05\n580.95.05\n");
  EXPECT_THAT(one_of("gpu-driver"), reads(status::ok, "580.95.05, as nvidia-smi says"));
  programs_.prints("nvidia-smi --query-gpu=driver_version --format=csv,noheader", "\n");
  EXPECT_THAT(one_of("gpu-driver"), has_status(status::unknown));
  programs_.fails("nvidia-smi --query-gpu=driver_version --format=csv,noheader", "exit status 9: no devices");
  EXPECT_THAT(one_of("gpu-driver"), reads(status::unknown, "exit status 9"));
}

TEST_F(gpus, cuda_says_why_it_does_not_start) {
  EXPECT_THAT(one_of("cuda"), reads(status::ok, "CUDA 13.0, this binary is of 13.0"));
  cuda_ = {.driver = {}, .runtime = {}, .problem = "the NVIDIA driver speaks CUDA 12.2, this program needs 13.0"};
  EXPECT_THAT(one_of("cuda"), reads(status::fail, "speaks CUDA 12.2"));
  cuda_ = {};
  EXPECT_THAT(one_of("cuda"), reads(status::skip, "no GPU code"));
}

TEST_F(gpus, nics_reach_gpu_memory_by_peermem_and_dma_buf_is_told) {
  EXPECT_THAT(one_of("gpudirect"), reads(status::ok, "nvidia-peermem"));
  remove("/sys/module/nvidia_peermem");
  EXPECT_THAT(one_of("gpudirect"), reads(status::warn, "dma-buf, which is there"));
  write("/proc/sys/kernel/osrelease", "5.11.0-27-generic\n");
  EXPECT_THAT(one_of("gpudirect"), reads(status::warn, "older than 5.12"));
  EXPECT_THAT(one_of("gpudirect").command, testing::StartsWith("modprobe nvidia-peermem"));
  write("/proc/sys/kernel/osrelease", "5.12.1\n");
  EXPECT_THAT(one_of("gpudirect"), reads(status::warn, "dma-buf, which is there"));
  write(driver_file, proprietary);
  EXPECT_THAT(one_of("gpudirect"), reads(status::warn, "proprietary"));
  write("/proc/sys/kernel/osrelease", "new\n");
  write(driver_file, "NVIDIA UNIX Open Kernel Module for x86_64  580.95.05\n");
  EXPECT_THAT(one_of("gpudirect"), reads(status::unknown, "osrelease"));
  make_unreadable(driver_file);
  EXPECT_THAT(one_of("gpudirect"), has_status(status::unknown));
}

TEST_F(gpus, gdrcopy_is_a_device) {
  EXPECT_THAT(one_of("gdrcopy"), has_status(status::ok));
  remove("/dev/gdrdrv");
  EXPECT_THAT(one_of("gdrcopy"), reads(status::warn, "not loaded"));
  EXPECT_EQ(one_of("gdrcopy").command, "modprobe gdrdrv");
  write("/sys/module/gdrdrv/refcnt", "0\n");
  EXPECT_THAT(one_of("gdrcopy"), reads(status::warn, "is loaded, but"));
}

TEST_F(gpus, the_nearest_one_counts) {
  EXPECT_THAT(one_of("gpu-distance"), reads(status::ok, "PIX to the nearest GPU, 0000:b6:00.0"));
  EXPECT_EQ(one_of("gpu-distance").of, "0000:b5:00.0");
}

// Other places of the GPU, and nvidia-smi's name for each.
TEST_F(gpus, distances_are_those_of_nvidia_smi) {
  struct place {
    std::string bridges;
    std::string node;
    status is;
    std::string name;
  };
  for (auto const& there : {
           place{"pci0000:b2/0000:b2:00.0/0000:b3:00.0/0000:b4:10.0", "0", status::ok, "PIX"},
           place{"pci0000:b2/0000:b2:00.0/0000:b3:00.0/0000:b4:10.0/0000:b6:00.0/0000:b7:00.0", "0", status::ok, "PXB"},
           place{"pci0000:b2/0000:b2:02.0", "0", status::warn, "PHB"},
           place{"pci0000:80/0000:80:01.0", "0", status::warn, "NODE"},
           place{"pci0000:00/0000:00:01.0", "1", status::warn, "SYS"},
       }) {
    remove("/sys/bus/pci/devices/0000:b6:00.0");
    add_device(there.bridges, "0000:c8:00.0");
    std::string const folder = "/sys/bus/pci/devices/0000:c8:00.0";
    write(folder + "/class", "0x030200\n");
    write(folder + "/vendor", "0x10de\n");
    write(folder + "/numa_node", there.node + "\n");
    EXPECT_THAT(one_of("gpu-distance"), reads(there.is, there.name + " to the nearest GPU")) << there.bridges;
  }
}

TEST_F(gpus, a_distance_between_devices_of_unknown_nodes_is_unknown) {
  add_device("pci0000:80/0000:80:01.0", "0000:81:00.0");
  std::string const folder = "/sys/bus/pci/devices/0000:81:00.0";
  write(folder + "/class", "0x030200\n");
  write(folder + "/vendor", "0x10de\n");
  write(folder + "/numa_node", "-1\n");
  remove("/sys/bus/pci/devices/0000:b6:00.0");
  EXPECT_THAT(one_of("gpu-distance"), reads(status::unknown, "NUMA node"));
  remove(folder);
  write(folder + "/class", "0x030200\n");  // no link, but a folder: the way to it has no bridges
  write(folder + "/vendor", "0x10de\n");
  EXPECT_THAT(one_of("gpu-distance"), has_status(status::unknown));
}

}  // namespace
}  // namespace packetwarp::doctor
