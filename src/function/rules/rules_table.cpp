// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/rules/rules_table.h"

#include <cuda/atomic>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "function/rules/rules_build.h"

namespace packetwarp {
namespace {

// Arrays one behind the other in one piece of memory, each at a multiple of 16 bytes.
class packer {
 public:
  template <class T>
  std::size_t place(std::vector<T> const& from) {
    auto const at = size_;
    pieces_.push_back({at, std::as_bytes(std::span{from})});
    size_ = (size_ + from.size() * sizeof(T) + 15) / 16 * 16;
    return at;
  }
  [[nodiscard]] table_memory pack(table_place where) const {
    table_memory memory{where, size_};
    for (auto const& [at, bytes] : pieces_) {
      if (!bytes.empty()) memory.write(at, bytes);
    }
    return memory;
  }

 private:
  std::vector<std::pair<std::size_t, std::span<std::byte const>>> pieces_;
  std::size_t size_{};
};

template <class T>
[[nodiscard]] T const* array_at(table_memory const& memory, std::size_t at) {
  return reinterpret_cast<T const*>(memory.data() + at);
}

}  // namespace

rules_table::rules_table(std::span<rules_input const> all, std::span<rules_port_input const> ports, table_place place)
    : sent_to_(max_rules_ports) {
  rules_build const made{all, ports};
  packer into;
  // First, because memory starts at a multiple of a line.
  auto const lines = into.place(made.lines);
  auto const slots = into.place(made.slots);
  auto const tuples = into.place(made.tuples);
  auto const words = into.place(made.words);
  auto const groups = into.place(made.groups);
  auto const ranges = into.place(made.ranges);
  auto const ports_at = into.place(made.ports);
  memory_ = into.pack(place);
  counters_ = table_memory{place, made.counters * sizeof(rules_counter)};
  all_.slots = array_at<std::uint32_t>(memory_, slots);
  all_.tuples = array_at<rules_tuple>(memory_, tuples);
  all_.words = array_at<rules_word>(memory_, words);
  all_.groups = array_at<rules_group>(memory_, groups);
  all_.ranges = array_at<rules_range>(memory_, ranges);
  all_.lines = array_at<rules_line>(memory_, lines);
  all_.ports = array_at<rules_port>(memory_, ports_at);
  all_.counters = reinterpret_cast<rules_counter*>(counters_.data());
  counter_of_ = made.counter_of;
  most_probes_ = made.most_probes;
  for (auto const& rule : all) {
    for (auto const& action : rule.actions) {
      if (action.verb == rules_verb::leave) sent_to_[rule.port.value()] |= 1U << action.value;
    }
  }
  for (auto const& group : made.groups) most_tuples_ = std::max<std::size_t>(most_tuples_, group.tuples);
}

rules_ref rules_table::ref(port_id port, std::span<rules_egress const> egresses) const {
  if (port.value() >= max_rules_ports) {
    throw usage_error(
        fmt::format("flow rules of port {}: tables have ports 0 to {}", port.value(), max_rules_ports - 1));
  }
  auto made = all_;
  made.port = port.value();
  std::uint32_t known = 0;
  for (auto const& one : egresses) {
    if (one.port.value() >= max_rules_ports) continue;
    made.leaves_by[one.port.value()] = one.by;
    known |= 1U << one.port.value();
  }
  for (std::uint32_t n = 0; n < max_rules_ports; ++n) {
    if ((sent_to_[port.value()] & ~known) >> n & 1U) {
      throw usage_error(
          fmt::format("flow rules of port {} send packets out by port {}, which is not among the ports in "
                      "use; add it, or take those rules out",
                      port.value(), n));
    }
  }
  return made;
}

std::optional<rules_counter> rules_table::counted(std::size_t n) const {
  auto const counter = counter_of_.at(n);
  if (counter == rules_entry::none) return std::nullopt;
  rules_counter made;
  if (counters_.is_on_gpu()) {
    counters_.read(counter * sizeof made, std::as_writable_bytes(std::span{&made, 1}));
    return made;
  }
  using word = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>;
  made.hits = word{all_.counters[counter].hits}.load(cuda::memory_order_relaxed);
  made.bytes = word{all_.counters[counter].bytes}.load(cuda::memory_order_relaxed);
  return made;
}

void rules_table::abandon() {
  memory_.abandon();
  counters_.abandon();
}

}  // namespace packetwarp
