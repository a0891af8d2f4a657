// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "traffic/generator_job.h"
#include "traffic/stl/packet_maker.h"
#include "traffic/stl/timeline.h"

namespace packetwarp::traffic::stl {

// Sends a program's streams on one TX queue. It has finished when the program has ended, or the limits are reached.
class program_job final : public generator {
 public:
  // The program outlives the job.
  program_job(std::string name, program const& sent, timeline times, tx_queue queue, packet_pool const& pool,
              sending_limits const& limits);
  ~program_job() override;

  std::uint32_t poll(tick const& t) override;
  [[nodiscard]] bool has_sent_all_there_is() const override { return times_.has_ended(); }
  [[nodiscard]] kept_pace kept() const override { return times_.kept(); }

 private:
  [[nodiscard]] bool wants_more_of_program(tick const& t) const { return wants_more(t) && !times_.has_ended(); }
  void make_packets(cycles now);
  [[nodiscard]] bool has_spares();
  void write_one();

  std::vector<packet_maker> makers_;  // of the streams, in order
  timeline times_;
  std::vector<rte_mbuf*> spare_;  // the first spares_ of them wait to be written
  std::uint32_t spares_{};
};

}  // namespace packetwarp::traffic::stl
