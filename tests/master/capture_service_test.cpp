// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "master/capture_service.h"

#include <atomic>
#include <optional>

#include "base/error.h"
#include "capture/pcapng_scanner.h"
#include "master/forwarding_fixture.h"

namespace packetwarp::test {
namespace {

// A file in memory, which the writer's thread has released before the service is idle again.
struct kept_file {
  pcapng::scanner counts;  // the writer's thread's, until it is whole
  std::atomic<bool> is_whole{false};
  std::atomic<bool> is_wanted{true};
};

class kept_output final : public capture_output {
 public:
  explicit kept_output(kept_file& file) : file_{file} {}
  bool write(std::string_view bytes, std::function<bool()> const&) override {
    file_.counts.take(bytes);
    file_.is_whole = file_.counts.is_whole();
    return true;
  }
  bool is_wanted() override { return file_.is_wanted; }

 private:
  kept_file& file_;
};

class captures : public forwarding_fixture {
 protected:
  [[nodiscard]] static capture_selection of(std::initializer_list<capture_stage> stages) {
    capture_selection wanted;
    wanted.buffer = 4 << 20;
    for (auto const stage : stages) wanted.stages[static_cast<std::size_t>(stage)] = true;
    return wanted;
  }
  void begin(capture_service& service, capture_selection const& wanted, std::uint64_t packets = 1000000) {
    capture_file file;
    file.packets = packets;
    service.begin(wanted, file, std::make_unique<kept_output>(file_));
  }
  // Runs with a service that is polled in each loop iteration.
  template <class Look>
  void run_with(Look const& look) {
    std::optional<capture_service> service;
    run(
        [&](data_plane& plane, supervisor& inner) {
          if (!service) service.emplace(plane);
          service->poll(now_cycles());
          look(*service, plane, inner);
        },
        [&] { service.reset(); });
  }
  kept_file file_;
};

TEST_F(captures, see_every_packet_on_its_way_in_and_out) {
  enum { beginning, sending, leaving, ending, done } step = beginning;
  run_with([&](capture_service& service, data_plane& plane, supervisor& inner) {
    switch (step) {
      case beginning:
        begin(service, of({capture_stage::rx, capture_stage::tx}));
        step = sending;
        return;
      case sending:
        if (service.is_beginning()) return;
        send(400);
        step = leaving;
        return;
      case leaving:
        collect();
        if (plane.totals().tx_packets < sent_) return;
        file_.is_wanted = false;
        step = ending;
        return;
      case ending:
        if (!file_.is_whole) return;
        step = done;
        inner.finish();
        return;
      case done:
        return;
    }
  });
  collect();
  EXPECT_EQ(arrived_, numbers(400));
  EXPECT_EQ(file_.counts.packets(), 800u);
  EXPECT_EQ(file_.counts.counts().missed, 0u);
}

TEST_F(captures, may_begin_and_end_while_packets_pass) {
  unsigned times = 0;
  run_with([&](capture_service& service, data_plane&, supervisor& inner) {
    collect();
    if (times == 20) {
      if (arrived_.size() == sent_) inner.finish();
      return;
    }
    send(50);
    try {
      begin(service, of({capture_stage::rx, capture_stage::tx, capture_stage::dropped}), 10);
      ++times;
    } catch (failure const&) {
      // It is under way.
    }
  });
  EXPECT_EQ(arrived_, numbers(sent_));
  EXPECT_GE(file_.counts.packets(), 19u * 10);
}

TEST_F(captures, show_what_is_dropped_and_why) {
  config_.tx_timeout = std::chrono::nanoseconds{0};  // packets for which the far wire has no room
  bool has_begun = false;
  run_with([&](capture_service& service, data_plane& plane, supervisor& inner) {
    if (!has_begun) begin(service, of({capture_stage::dropped}));
    has_begun = true;
    if (service.is_beginning()) return;
    if (plane.totals().dropped_packets < 200) return send(64);
    inner.finish();
  });
  EXPECT_GE(drops_["tx_full"], 200u);
  EXPECT_TRUE(file_.counts.is_whole());
  EXPECT_EQ(file_.counts.packets(), totals_.dropped_packets);
}

TEST_F(captures, are_one_at_a_time_and_end_with_the_run) {
  bool is_refused = false;
  run_with([&](capture_service& service, data_plane&, supervisor& inner) {
    if (is_refused) return;
    begin(service, of({capture_stage::rx}));
    EXPECT_THROW(begin(service, of({capture_stage::rx})), failure);
    is_refused = true;
    inner.finish();
  });
  EXPECT_TRUE(file_.counts.is_whole());
}

TEST(capture_reach_of, is_what_the_cpu_can_read) {
  plan planned;
  EXPECT_EQ(capture_reach_of(planned), capture_reach::whole_packet);
  planned.pool.gpu = 0;
  EXPECT_THROW((void)capture_reach_of(planned), usage_error);
  planned.pool.gpu = -1;
  planned.payload_pool = {.name = "payloads", .gpu = 0};
  EXPECT_EQ(capture_reach_of(planned), capture_reach::first_segment);
}

}  // namespace
}  // namespace packetwarp::test
