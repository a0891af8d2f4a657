// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <span>
#include <string>

#include "rdma/bandwidth/pattern.h"
#include "rdma/shm/shm_endpoint.h"

namespace packetwarp::rdma::test {

inline constexpr std::uint32_t area = 65536;

// Two ends in one process, which map each other's targets as two processes do. `spoil` changes the keys that the writer
// is told.
class two_shm_ends {
 public:
  explicit two_shm_ends(std::uint32_t queues, std::function<void(queue_key&)> const& spoil = {},
                        initiator posting = initiator::cpu)
      : writer_{make_end(queues, posting)}, written_{make_end(queues, posting)} {
    auto keys = written_->keys();
    for (auto& key : keys) {
      if (spoil) spoil(key);
    }
    auto far = std::async(std::launch::async, [&] { written_->connect(writer_->keys(), 1024); });
    writer_->connect(keys, 1024);
    far.get();
    for (std::uint32_t n = 0; n < queues; ++n) writer_->write_source(n, 0, make_pattern(area, n + 1));
  }
  [[nodiscard]] shm_endpoint& writer() { return *writer_; }
  [[nodiscard]] shm_endpoint& written() { return *written_; }
  void end_written() { written_.reset(); }
  [[nodiscard]] std::uint64_t counter(std::string const& name) {
    writer_->stop();
    auto const all = writer_->counters();
    return std::map<std::string, std::uint64_t>{all.begin(), all.end()}.at(name);
  }

 private:
  [[nodiscard]] static std::unique_ptr<shm_endpoint> make_end(std::uint32_t queues, initiator posting) {
    return std::make_unique<shm_endpoint>(
        endpoint_settings{.queues = queues, .posts = 16, .area = area, .posting = posting});
  }

  std::unique_ptr<shm_endpoint> writer_;
  std::unique_ptr<shm_endpoint> written_;
};

// The first `bytes` of a queue's target are its pattern, and the others are zero.
inline void expect_pattern(std::span<std::byte const> target, std::uint32_t queue, std::size_t bytes) {
  auto expected = make_pattern(area, queue + 1);
  std::fill(expected.begin() + static_cast<std::ptrdiff_t>(bytes), expected.end(), std::byte{0});
  EXPECT_EQ(first_difference(target, expected), expected.size()) << "of queue " << queue;
}

}  // namespace packetwarp::rdma::test
