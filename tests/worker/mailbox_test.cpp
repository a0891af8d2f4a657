// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "worker/mailbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "worker/worker.h"

namespace packetwarp {
namespace {

using testing::ElementsAre;

// Writes its number down when it is carried out, and another when it is destroyed.
class noted_message final : public worker_message {
 public:
  noted_message(std::vector<int>& notes, int number) : notes_{notes}, number_{number} {}
  ~noted_message() override { notes_.push_back(-number_); }
  void carry_out(worker&) override { notes_.push_back(number_); }

 private:
  std::vector<int>& notes_;
  int number_;
};

class mailbox_test : public testing::Test {
 protected:
  std::optional<std::uint64_t> post(int number) { return box_.post(std::make_shared<noted_message>(notes_, number)); }
  std::vector<int> notes_;
  worker_signals signals_;
  worker worker_{signals_};
  mailbox box_;
};

TEST_F(mailbox_test, has_messages_carried_out_in_order_and_once) {
  auto const first = post(1), second = post(2);
  ASSERT_TRUE(first && second);
  EXPECT_FALSE(box_.is_done(*first));
  box_.carry_out_all(worker_);
  EXPECT_TRUE(box_.is_done(*first) && box_.is_done(*second));
  box_.carry_out_all(worker_);
  EXPECT_THAT(notes_, ElementsAre(1, 2));
  EXPECT_EQ(box_.done(), 2u);
}

TEST_F(mailbox_test, refuses_what_it_has_no_room_for_until_there_is_some) {
  for (int n = 1; n <= static_cast<int>(mailbox::room); ++n) ASSERT_TRUE(post(n)) << n;
  EXPECT_FALSE(post(100));
  EXPECT_THAT(notes_, ElementsAre(-100)) << "it goes at once";
  box_.carry_out_all(worker_);
  EXPECT_TRUE(post(101));
  EXPECT_EQ(box_.done(), mailbox::room);
}

TEST_F(mailbox_test, keeps_messages_until_their_place_is_needed) {
  for (int round = 0; round < 2; ++round) {
    for (int n = 1; n <= static_cast<int>(mailbox::room); ++n) ASSERT_TRUE(post(n));
    box_.carry_out_all(worker_);
    // The messages of the round before have gone, on the poster's side.
    auto const gone = std::count_if(notes_.begin(), notes_.end(), [](int n) { return n < 0; });
    EXPECT_EQ(gone, round * static_cast<int>(mailbox::room));
  }
}

}  // namespace
}  // namespace packetwarp
