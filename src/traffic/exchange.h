// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/units.h"
#include "memory/packet_pool.h"
#include "port/port.h"
#include "port/removal/removal_signs.h"
#include "traffic/generator_job.h"
#include "traffic/question/question_source.h"
#include "traffic/replay.h"
#include "traffic/result.h"
#include "traffic/stl/inspection.h"
#include "traffic/stl/program.h"
#include "traffic/streams/stream.h"
#include "traffic/verifier_job.h"
#include "worker/workforce.h"

namespace packetwarp::traffic {

// The traffic, its rate and duration, and the packets that should come back. Passive. Zero: no limit.
struct exchange_config {
  stream_config what{};                       // each queue sends a stream of its own number
  std::shared_ptr<capture const> recorded{};  // sent instead, if given
  capture_pace pace{capture_pace::by_rate};   // of the recorded packets
  std::shared_ptr<questions const>
      asked{};  // sent instead, if given: packets of known class, whose answers are awaited
  // Sent instead, if given: of each direction, in order; a single program is for all.
  std::vector<std::shared_ptr<stl::program const>> programs{};
  stl::multiplier faster{};  // than the programs say, instead of how_fast
  rate how_fast{};           // of each sending port
  std::uint64_t packets{};   // each port sends
  std::chrono::nanoseconds duration{};
  std::uint32_t burst{32};
  when_full full{when_full::wait};
  transform expected{transform::same};
  content_check depth{content_check::every_byte};
  std::uint16_t descriptors{1024};  // of each queue
  std::uint32_t pool_cache{512};    // mbufs an lcore keeps to itself
  std::uint32_t extra_packets{};    // mbufs for other holders of packets between the ports
  int gpu{-1};                      // the GPU whose memory has the packets, for ports that pass pointers; -1 for none
};

// The sending port, and the port at which its packets are awaited: another, the same, or none.
struct direction {
  port_id from;
  std::optional<port_id> to;
  std::uint16_t queues{1};  // of either port
};

// The generator's side of a test: ports that send streams, and verify the packets that come back. Its jobs run on any
// workers.
class exchange {
 public:
  // Starts the ports, which have no other user. Throws usage_error or failure.
  exchange(exchange_config config, std::vector<direction> const& directions, std::size_t lcores);
  exchange(exchange const&) = delete;
  exchange& operator=(exchange const&) = delete;

  // Adds the jobs to workers, in turn. At least one lcore.
  void deal(workforce& workers, std::span<lcore_id const> lcores);
  [[nodiscard]] exchange_config const& config() const { return config_; }
  [[nodiscard]] std::deque<port> const& ports() const { return ports_; }

  // For the master: from then on, ports whose devices are taken away report it. They are closed at the end.
  void look_for_removals();

  // Called while it runs, from any thread.
  void stop();                          // makes no more packets
  [[nodiscard]] bool all_sent() const;  // and no more will be sent
  [[nodiscard]] bool all_back() const;  // all sent packets were seen; or none is awaited
  // As many packets as were sent have come. Without signatures some may be duplicates, and stand in for others that are
  // still on their way.
  [[nodiscard]] bool as_many_back() const;
  // Packets tell whether this run sent them; else packets_received() counts packets of others, too.
  [[nodiscard]] bool tells_origin() const { return config_.asked || config_.what.signatures == signing::on; }
  [[nodiscard]] outcome so_far() const;                  // of all directions
  [[nodiscard]] std::uint64_t packets_received() const;  // of this run, by all queues

  // Leaves GPU memory to the process: a kernel that nothing can end may still use it.
  void abandon();

  // Called when its jobs are no longer polled. Throws failure if a GPU did not give or take packets.
  [[nodiscard]] exchange_result result() const;

 private:
  // The queues of one direction.
  struct way {
    direction plan;
    std::vector<std::unique_ptr<stream>> streams;
    std::unique_ptr<question_source> asked;  // if questions are sent
    std::vector<std::unique_ptr<generator>> generators;
    std::vector<std::unique_ptr<receiver>> receivers;
  };
  enum class moment : std::uint8_t { running, ended };
  // Packets by which a stall is made up for, if the packets that a port does not take are dropped.
  static constexpr std::uint32_t most_flood = 256;

  void take_programs(std::vector<direction> const& directions);
  void start_ports(std::vector<direction> const& directions, std::size_t lcores);
  [[nodiscard]] packet_pool_config pool_for(std::vector<direction> const& directions, std::size_t lcores) const;
  void require_room(port_facts const& of) const;
  void await_links() const;
  void require_gpu_worked() const;
  [[nodiscard]] port const& port_of(port_id id) const;
  void add_way(direction const& plan);
  void add_generator(way& to, std::uint16_t queue);
  [[nodiscard]] stl::program const& program_of(std::size_t way_number) const;
  [[nodiscard]] std::unique_ptr<generator> make_program_job(way const& to, std::string name,
                                                            sending_limits const& limits) const;
  void add_receiver(way& to, std::uint16_t queue);
  [[nodiscard]] std::uint16_t largest_length() const;
  [[nodiscard]] std::optional<std::uint64_t> packets_of_queue(direction const& plan, std::uint16_t queue) const;
  [[nodiscard]] pacer pace_of_queue(direction const& plan) const;
  [[nodiscard]] verification how() const;
  [[nodiscard]] outcome outcome_of(way const& of, moment when) const;
  [[nodiscard]] std::optional<answer_table> answers() const;

  exchange_config config_;
  std::unique_ptr<replay> replay_;
  stl::inspection inspection_{};  // of programs
  std::uint16_t largest_length_{};
  std::optional<packet_pool> pool_;  // outlives ports and jobs, which hold its packets
  std::deque<port> ports_;
  std::optional<removal_signs> signs_;
  starting_line line_;
  std::deque<way> ways_;
  std::size_t streams_{};
};

}  // namespace packetwarp::traffic
