// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "doctor/machine_tree.h"

namespace packetwarp::doctor {
namespace {

using testing::HasSubstr;

constexpr auto version_file = "/proc/driver/nvidia/version";
constexpr auto closed_module = "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.54.03  Tue Jun  6 2023\n";

class rdma_devices : public machine_tree {
 protected:
  void remove_gpu() {
    remove(gpu);
    remove("/proc/driver");
    cuda_ = {.driver = {}, .runtime = {}, .problem = "no NVIDIA driver here"};
  }
};

TEST_F(rdma_devices, are_told_with_the_transports_that_they_serve) {
  EXPECT_THAT(one_of("rdma-device"), reads(status::ok, "mlx5, for --transport mlx5 and verbs; port 1 is active"));
  EXPECT_EQ(one_of("rdma-device").of, "mlx5_0");
  write("/sys/class/infiniband/rxe0/ports/1/state", "1: DOWN\n");
  auto const all = all_of("rdma-device");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[1].of, "rxe0");
  EXPECT_THAT(all[1], reads(status::warn, "not mlx5, for --transport verbs; port 1 is in state DOWN"));
  write("/sys/class/infiniband/rxe0/ports/1/state", "down\n");
  EXPECT_THAT(all_of("rdma-device")[1], reads(status::unknown, "names no state"));
  remove("/sys/class/infiniband/rxe0/ports");
  EXPECT_THAT(all_of("rdma-device")[1], has_status(status::unknown));
  remove("/sys/class/infiniband");
  EXPECT_THAT(one_of("rdma-device"), reads(status::skip, "no verbs device"));
  EXPECT_THAT(one_of("rdma-mode"), reads(status::skip, "no mlx5 device"));
}

TEST_F(rdma_devices, have_doorbells_that_a_gpu_rings_if_its_driver_has_the_option) {
  EXPECT_THAT(one_of("rdma-doorbell"), reads(status::ok, "lets a GPU ring"));
  for (auto const* words : {"\"\"", "\"PeerMappingOverride=0;\"", "\"XPeerMappingOverride=1\""}) {
    write("/proc/driver/nvidia/params", std::string{"RegistryDwords: "} + words + "\n");
    EXPECT_THAT(one_of("rdma-doorbell"), reads(status::warn, "a CPU thread does")) << words;
  }
  EXPECT_THAT(one_of("rdma-doorbell").command, HasSubstr("NVreg_RegistryDwords=\"PeerMappingOverride=1;\""));
  write("/proc/driver/nvidia/params", "EnableMSI: 1\n");
  EXPECT_THAT(one_of("rdma-doorbell"), has_status(status::warn));
  remove("/proc/driver/nvidia/params");
  EXPECT_THAT(one_of("rdma-doorbell"), reads(status::unknown, "params"));
}

TEST_F(rdma_devices, reach_gpu_memory_by_dma_buf_or_else_by_peermem) {
  EXPECT_THAT(one_of("rdma-payload"), reads(status::ok, "by dma-buf"));
  write("/proc/sys/kernel/osrelease", "5.11.0-27-generic\n");
  EXPECT_THAT(one_of("rdma-payload"), reads(status::ok, "by nvidia-peermem"));
  remove("/sys/module/nvidia_peermem");
  EXPECT_THAT(one_of("rdma-payload"), reads(status::warn, "older than 5.12"));
  EXPECT_THAT(one_of("rdma-payload").command, testing::StartsWith("modprobe nvidia-peermem"));
  write(version_file, closed_module);
  EXPECT_THAT(one_of("rdma-payload"), reads(status::warn, "proprietary"));
}

TEST_F(rdma_devices, have_a_mode_in_which_mlx5_would_run) {
  EXPECT_THAT(one_of("rdma-mode"), reads(status::ok,
                                         "a CPU or a GPU posts, the GPU itself rings for the GPU; payload is in "
                                         "host memory, or in GPU memory by dma-buf"));
  write("/proc/driver/nvidia/params", "RegistryDwords: \"\"\n");
  write(version_file, closed_module);
  EXPECT_THAT(one_of("rdma-mode"), reads(status::ok,
                                         "a CPU thread rings for the GPU; payload is in host memory, or in GPU "
                                         "memory by nvidia-peermem"));
  remove("/sys/module/nvidia_peermem");
  EXPECT_THAT(one_of("rdma-mode").text, testing::EndsWith("payload is in host memory"));
  remove_gpu();
  EXPECT_THAT(one_of("rdma-mode"), reads(status::ok, "a CPU posts, payload is in host memory"));
  EXPECT_THAT(one_of("rdma-doorbell"), reads(status::skip, "no NVIDIA GPU"));
  EXPECT_THAT(one_of("rdma-payload"), reads(status::skip, "no NVIDIA GPU"));
}

}  // namespace
}  // namespace packetwarp::doctor
