// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "rdma/network/verbs_endpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/process/stop.h"
#include "rdma/mlx5/software_hca.h"

namespace packetwarp::rdma::test {
namespace {

// A device that takes writes and never completes one.
class silent_device final : public software_hca {
 public:
  using software_hca::software_hca;
  int post_send(ibv_qp*, ibv_send_wr*, ibv_send_wr**) override { return 0; }
  int poll_cq(ibv_cq*, ibv_wc*) override { return 0; }
};

// The line of an end whose write never completes, after `meanwhile`.
[[nodiscard]] std::string line_of_silence(hca_manner manner, std::function<void()> const& meanwhile) {
  fabric network;
  auto const device = std::make_shared<silent_device>(network, std::move(manner), wire::ipv4_address{0x0a09'0001});
  auto const end = make_verbs_endpoint({.posts = 2}, {}, device);
  end->connect(end->keys(), 1024);
  EXPECT_EQ(end->write_first(8), work_status::done);
  EXPECT_EQ(end->look_at_first(), work_status::done);
  meanwhile();
  try {
    return std::string{to_string(end->await_first())};
  } catch (failure const& wrong) {
    return wrong.what();
  }
}

TEST(verbs_endpoint, finds_an_error_without_a_completion_in_the_queues_state) {
  EXPECT_EQ(
      line_of_silence({.fails_silently = true}, [] {}),
      "rdma: queue 0 of mlx5_0 is in the error state, and no completion says why: the kernel's log ('dmesg') may");
}

TEST(verbs_endpoint, waits_no_longer_once_the_user_has_asked_twice_to_stop) {
  EXPECT_EQ(line_of_silence({},
                            [] {
                              request_stop();
                              request_stop();
                            }),
            "rdma: interrupted while writes were under way");
  clear_stop_request();
}

}  // namespace
}  // namespace packetwarp::rdma::test
