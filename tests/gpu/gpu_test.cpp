// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "gpu/gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/peer_access.h"

namespace packetwarp {
namespace {

// The behaviour without a GPU. With one, memory_device_test.cpp applies.
class without_gpu : public testing::Test {
 protected:
  void SetUp() override {
    if (!find_gpus().empty()) GTEST_SKIP() << "there is a GPU here";
  }
  static std::string refusal_of(int index) {
    try {
      (void)open_gpu(index);
    } catch (failure const& failed) {
      return failed.what();
    } catch (usage_error const& wrong) {
      return wrong.what();
    }
    return "opened";
  }
};

TEST_F(without_gpu, none_can_be_opened_and_one_line_says_what_is_missing_and_what_to_do) {
  for (int const index : {0, 1, -1}) {
    auto const line = refusal_of(index);
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
    if constexpr (built_with_cuda) {
      // The installed software decides which; each ends in a remedy.
      EXPECT_THAT(line,
                  testing::AnyOf(testing::StartsWith("no NVIDIA driver here (libcuda.so.1 is not found): install"),
                                 testing::StartsWith("the NVIDIA driver speaks CUDA "),
                                 testing::StartsWith("the NVIDIA driver finds no GPU (see 'nvidia-smi -L'"),
                                 testing::StartsWith("CUDA does not start: ")));
      EXPECT_THAT(line, testing::EndsWith("or use the CPU: -w cpu or -w none (l2fwd), data_plane.executor: cpu (run)"));
    } else {
      EXPECT_EQ(line,
                "this build has no GPU code (PACKETWARP_CUDA is off): build with it, or use the CPU: -w cpu or -w none "
                "(l2fwd), data_plane.executor: cpu (run)");
    }
  }
}

TEST_F(without_gpu, no_memory_of_one_can_be_had) {
  using refused = std::conditional_t<built_with_cuda, failure, usage_error>;
  EXPECT_THROW((pinned_memory{0, 4096}), refused);
  EXPECT_THROW((device_memory{0, 4096}), refused);
  std::vector<std::byte> some(4096);
  EXPECT_THROW((memory_registration{0, some.data(), some.size()}), refused);
}

TEST(gpu_memory, that_was_never_taken_is_empty_and_needs_no_gpu) {
  pinned_memory const pinned;
  device_memory const device;
  EXPECT_TRUE(pinned.bytes().empty());
  EXPECT_EQ(device.data(), nullptr);
  EXPECT_EQ(device.size(), 0u);
}

// The line of --target-gpu about two GPUs that the driver does not connect.
TEST(two_gpus, that_do_not_reach_each_other_are_named_with_what_to_do) {
  auto const line = lack_of_peer_access(0, 3);
  EXPECT_THAT(line, testing::StartsWith("GPU 0 does not reach the memory of GPU 3: the driver offers no peer access"));
  EXPECT_THAT(line, testing::HasSubstr("nvidia-smi topo -p2p w"));
  EXPECT_EQ(line.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace packetwarp
