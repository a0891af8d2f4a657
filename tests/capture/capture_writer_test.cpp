// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "capture/capture_writer.h"

#include <gtest/gtest.h>

#include <mutex>

#include "capture/pcapng_scanner.h"
#include "fixtures/mbufs.h"

namespace packetwarp {
namespace {

// A test's output: its behaviour, and the bytes it got. Outlives the writer.
struct reader_end {
  std::mutex guard;
  std::string file;
  std::atomic<bool> is_wanted{true};
  std::atomic<bool> takes{true};  // otherwise it takes nothing
  std::atomic<bool> waits{false};
};

class test_output final : public capture_output {
 public:
  explicit test_output(reader_end& end) : end_{end} {}
  bool write(std::string_view bytes, std::function<bool()> const& goes_on) override {
    while (end_.waits && goes_on()) std::this_thread::yield();
    if (!end_.takes || end_.waits) return false;
    std::scoped_lock const lock{end_.guard};
    end_.file.append(bytes);
    return true;
  }
  bool is_wanted() override { return end_.is_wanted; }

 private:
  reader_end& end_;
};

class capture_writer_test : public testing::Test {
 protected:
  capture_writer_test() { packet_ = test::make_packet(pool_, std::vector<std::byte>(100)); }
  ~capture_writer_test() override { rte_pktmbuf_free(packet_); }

  void begin(std::uint64_t packets = 1000000) {
    capture_selection wanted{.stages = {true, true, true, true, true}};
    wanted.buffer = 1 << 20;
    capture_ = std::make_unique<packet_capture>(wanted, drop_reason_names{}, 2);
    capture_file file;
    file.packets = packets;
    for (auto const* name : {"p0", "p1"}) {
      file.ports.push_back({.name = name, .description = "", .mac = {}, .bits_per_second = 0, .snap = 0, .filter = ""});
    }
    writer_ = std::make_unique<capture_writer>(*capture_, file, std::make_unique<test_output>(end_));
    until([this] { return writer_->is_ready(); });
  }
  void take(int packets) {
    for (int i = 0; i < packets; ++i) capture_->take({capture_stage::dropped, 1, "no_route"}, {&packet_, 1});
  }
  template <class Condition>
  static void until(Condition const& holds) {
    while (!holds()) std::this_thread::yield();
  }
  [[nodiscard]] pcapng::scanner finish() {
    writer_->finish();
    until([this] { return writer_->has_ended(); });
    pcapng::scanner counts;
    std::scoped_lock const lock{end_.guard};
    counts.take(end_.file);
    return counts;
  }

  packet_pool pool_{test::small_pool("capture_writer", 15)};
  rte_mbuf* packet_;
  reader_end end_;
  std::unique_ptr<packet_capture> capture_;
  std::unique_ptr<capture_writer> writer_;
};

TEST_F(capture_writer_test, writes_all_there_is_and_what_came_of_it) {
  begin();
  take(700);
  auto const counts = finish();
  EXPECT_TRUE(counts.is_whole());
  EXPECT_EQ(counts.packets(), 700u);
  EXPECT_EQ(counts.counts().seen, 700u);
  EXPECT_EQ(counts.counts().written, 700u);
  EXPECT_NE(end_.file.find("dropped: no_route"), std::string::npos);
}

TEST_F(capture_writer_test, frees_the_packets_memory_on_its_own_thread) {
  begin();
  take(10);
  EXPECT_FALSE(capture_->copies().is_released());
  EXPECT_EQ(finish().packets(), 10u);
  EXPECT_TRUE(capture_->copies().is_released());
}

TEST_F(capture_writer_test, ends_after_so_many_packets) {
  begin(10);
  take(9);
  EXPECT_FALSE(writer_->wants_end());
  take(5);
  until([this] { return writer_->wants_end(); });
  take(5);
  auto const counts = finish();
  EXPECT_TRUE(counts.is_whole());
  EXPECT_EQ(counts.packets(), 10u);
  EXPECT_EQ(counts.counts().seen, 19u);
  EXPECT_EQ(counts.counts().written, 10u);
}

TEST_F(capture_writer_test, wants_to_end_when_the_reader_has_enough_and_still_writes_the_rest) {
  begin();
  end_.is_wanted = false;
  until([this] { return writer_->wants_end(); });
  take(20);
  auto const counts = finish();
  EXPECT_TRUE(counts.is_whole());
  EXPECT_EQ(counts.packets(), 20u);
}

TEST_F(capture_writer_test, wants_to_end_when_nobody_reads_any_more) {
  begin();
  end_.takes = false;
  take(1);
  until([this] { return writer_->wants_end(); });
  take(5000);  // more than the room, if the writer took nothing
  auto const counts = finish();
  EXPECT_FALSE(counts.is_whole());
  EXPECT_EQ(counts.packets(), 0u);
}

TEST_F(capture_writer_test, misses_packets_while_the_reader_does_not_take_them_and_can_be_given_up) {
  begin();
  end_.waits = true;
  take(1);
  while (capture_->counts(1).missed == 0) take(1000);
  writer_->finish();
  writer_->give_up();
  until([this] { return writer_->has_ended(); });
}

TEST_F(capture_writer_test, ends_with_its_owner) {
  begin();
  end_.waits = true;
  take(100);
  writer_.reset();
}

}  // namespace
}  // namespace packetwarp
