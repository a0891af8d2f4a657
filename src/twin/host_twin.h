// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "memory/packet_pool.h"
#include "port/device/kernel_device.h"
#include "port/device/link_news.h"
#include "port/device/tap_files.h"
#include "port/port.h"
#include "twin/twin_config.h"

namespace packetwarp {

// A kernel interface as its config says: created and set up on both sides by the constructor, or taken over from an
// earlier run that kept it; removed by the destructor unless it is kept. For the master worker.
class host_twin {
 public:
  // pool: of the packets that the kernel sends; outlives this object. Throws failure.
  host_twin(twin_config const& config, packet_pool const& pool);

  // DPDK's side of the interface: the kernel receives packets that are sent there. It has one queue in each direction.
  [[nodiscard]] port const& side() const { return port_; }
  // The run drains: removes the announced routes that end then. Returns the kernel's refusals, in words; with an
  // interface that is gone, so are its routes. Called again, it does nothing.
  [[nodiscard]] std::vector<std::string> withdraw();
  // Whether the interface was deleted while the process has it.
  [[nodiscard]] bool is_gone() const { return files_.are_detached(); }
  // The interface was set down, or was down and is up again, or is in this network namespace no more, since the last
  // call. Does not wait.
  [[nodiscard]] link_news::change take_change() { return news_->take(); }
  // The interface was down, and with that the kernel has removed its IPv6 addresses and its routes: adds those that are
  // not there, without the routes that withdraw() has removed. Returns the kernel's refusals, in words.
  [[nodiscard]] std::vector<std::string> restore();
  // Its name as far as take_new_name() has told.
  [[nodiscard]] std::string const& name() const { return interface_; }
  // The interface's new name if it was renamed since the last call, or since it was made.
  [[nodiscard]] std::optional<std::string> take_new_name();
  // Leaves the interface to the next run of the same config, with its addresses and routes. Logs that it stays, or the
  // reason why it goes with the process. Does nothing for one that is gone.
  void keep();
  // The steps that the kernel refused.
  [[nodiscard]] std::vector<std::string> const& notices() const { return notices_; }

 private:
  void set_up(twin_config const& config);
  void note(std::string const& what, std::optional<std::string> const& refusal);
  kernel_device device_;
  port port_;
  tap_files files_;
  std::string interface_;   // its present name
  std::string first_name_;  // that the next run looks for
  std::vector<ip_prefix> addresses_;
  std::vector<announced_route> announced_;
  std::optional<link_news> news_;
  std::vector<std::string> notices_;
};

}  // namespace packetwarp
