// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "topology/port_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <sstream>

#include "base/log.h"
#include "fixtures/mbufs.h"
#include "fixtures/wire.h"

namespace packetwarp {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// Adds to the log, for as long as it lives, a copy that a test can read.
class log_reader {
 public:
  log_reader() { log().sinks().push_back(sink_); }
  log_reader(log_reader const&) = delete;
  log_reader& operator=(log_reader const&) = delete;
  ~log_reader() { log().sinks().pop_back(); }
  // What has been logged since the last call.
  std::string read() {
    auto text = text_.str();
    text_.str({});
    return text;
  }

 private:
  std::ostringstream text_;
  std::shared_ptr<spdlog::sinks::ostream_sink_st> sink_{std::make_shared<spdlog::sinks::ostream_sink_st>(text_)};
};

TEST(port_watch, says_once_that_a_link_went_down_and_once_that_it_came_up) {
  packet_pool const pool{test::small_pool("port_watch_test", 63)};
  auto const wire = test::make_wire(1, 8);
  std::deque<port> ports;
  ports.emplace_back(describe_port(wire.left()), port_config{}, pool);
  ports.emplace_back(describe_port(wire.right()), port_config{}, pool);
  port_watch watch{ports};
  log_reader logged;
  auto const second = static_cast<cycles>(cycles_per_second());
  cycles now = 0;
  watch.look(now += second);
  EXPECT_THAT(logged.read(), IsEmpty());

  ASSERT_EQ(rte_eth_dev_set_link_down(wire.right().value()), 0);
  watch.look(now + second / 100);
  EXPECT_THAT(logged.read(), IsEmpty()) << "it looks now and then only";
  watch.look(now += second);
  EXPECT_THAT(logged.read(), HasSubstr("port " + std::to_string(wire.right().value()) + " (" + ports[1].facts().name +
                                       "): link down"));
  watch.look(now += second);
  EXPECT_THAT(logged.read(), IsEmpty());

  ASSERT_EQ(rte_eth_dev_set_link_up(wire.right().value()), 0);
  watch.look(now += second);
  EXPECT_THAT(logged.read(), HasSubstr("link up"));
  EXPECT_FALSE(watch.all_gone());
}

}  // namespace
}  // namespace packetwarp
