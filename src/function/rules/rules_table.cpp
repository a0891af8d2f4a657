// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/rules/rules_table.h"

#include <cuda/atomic>
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "function/rules/rules_build.h"

namespace packetwarp {
namespace {

// Places arrays one after the other in one piece of memory, each at a multiple of 16 bytes.
class packer {
 public:
  template <class T>
  std::size_t place(std::vector<T> const& from) {
    auto const at = size_;
    pieces_.push_back({at, std::as_bytes(std::span{from})});
    size_ = (size_ + from.size() * sizeof(T) + 15) / 16 * 16;
    return at;
  }
  void write(table_memory& memory) const {
    for (auto const& [at, bytes] : pieces_) {
      if (!bytes.empty()) memory.write(at, bytes);
    }
  }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::vector<std::pair<std::size_t, std::span<std::byte const>>> pieces_;
  std::size_t size_{};
};

template <class T>
[[nodiscard]] T const* array_at(table_memory const& memory, std::size_t at) {
  return reinterpret_cast<T const*>(memory.data() + at);
}

// The offsets of a build's arrays in one piece of memory.
struct image {
  explicit image(rules_build const& made)
      // The lines come first, because the memory starts at a multiple of a line.
      : lines{into.place(made.lines)},
        slots{into.place(made.slots)},
        tuples{into.place(made.tuples)},
        words{into.place(made.words)},
        groups{into.place(made.groups)},
        ranges{into.place(made.ranges)},
        screens{into.place(made.screens)},
        ports{into.place(made.ports)},
        egress_ports{made.egress_ports} {}

  [[nodiscard]] rules_set set_in(table_memory const& memory, table_memory const& counters) const {
    return {.slots = array_at<std::uint32_t>(memory, slots),
            .tuples = array_at<rules_tuple>(memory, tuples),
            .words = array_at<rules_word>(memory, words),
            .groups = array_at<rules_group>(memory, groups),
            .ranges = array_at<rules_range>(memory, ranges),
            .screens = array_at<rules_screen>(memory, screens),
            .lines = array_at<rules_line>(memory, lines),
            .ports = array_at<rules_port>(memory, ports),
            .counters = reinterpret_cast<rules_counter*>(counters.data()),
            .egress_ports = egress_ports};
  }

  packer into;
  std::size_t lines, slots, tuples, words, groups, ranges, screens, ports;
  std::uint64_t egress_ports;
};

// Room for future rules. A GPU's memory cannot be allocated while kernels run on it.
constexpr std::size_t least_room = std::size_t{1} << 20;
constexpr std::uint32_t least_counters = 1U << 16;

template <class T>
[[nodiscard]] std::span<std::byte const> bytes_of(T const& one) {
  return std::as_bytes(std::span{&one, 1});
}

}  // namespace

rules_table::rules_table(std::span<rules_input const> all, std::span<rules_port_input const> ports, table_place place)
    : place_{place}, root_{place, sizeof(rules_root)} {
  rules_build const made{all, ports};
  auto const room = std::max(2 * image{made}.into.size(), least_room);
  for (auto& set : sets_) set = table_memory{place, room};
  counters_ = table_memory{place, std::max(2 * made.counters, least_counters) * sizeof(rules_counter)};
  prepare(made);
  publish();
}

void rules_table::make_room(rules_build const& made, std::size_t bytes) {
  auto& memory = sets_[current_ ^ 1];
  if (bytes > memory.size()) {
    if (memory.is_on_gpu()) {
      throw failure(
          fmt::format("flow rules: these take {} bytes, and the GPU has room for {}; start with them in the "
                      "file of rules",
                      bytes, memory.size()));
    }
    memory = table_memory{place_, 2 * bytes};
  }
  if (made.counters * sizeof(rules_counter) > counters_.size()) {
    throw failure(
        fmt::format("flow rules: {} of them count, and there is room for {}; start with them in the file of "
                    "rules",
                    made.counters, counters_.size() / sizeof(rules_counter)));
  }
}

// With a lost GPU, only the host's knowledge of the rules changes.
void rules_table::prepare(rules_build const& made) {
  image const its{made};
  bool const has_memory = !is_lost();
  if (has_memory) make_room(made, its.into.size());
  clear_new_counters(made);
  if (has_memory) {
    auto const next = current_ ^ 1;
    auto& memory = sets_[next];
    its.into.write(memory);
    root_.write(offsetof(rules_root, sets) + next * sizeof(rules_set), bytes_of(its.set_in(memory, counters_)));
  }
  prepared_ = {.counter_of = made.counter_of,
               .sent_to = made.sent_to,
               .most_tuples = 0,
               .most_probes = made.most_probes,
               .bytes = its.into.size()};
  for (auto const& group : made.groups) {
    prepared_.most_tuples = std::max<std::size_t>(prepared_.most_tuples, group.tuples);
  }
}

void rules_table::clear_new_counters(rules_build const& made) {
  std::set<std::uint32_t> kept{in_force_.counter_of.begin(), in_force_.counter_of.end()};
  kept.insert(rules_entry::none);
  std::set<std::uint32_t> fresh;
  for (auto const counter : made.counter_of) {
    if (kept.contains(counter)) continue;
    fresh.insert(counter);
    known_.erase(counter);
  }
  // Each write to a GPU's memory is a call, so neighbours are cleared at once.
  for (auto first = fresh.begin(); first != fresh.end();) {
    auto last = first;
    std::uint32_t count = 0;
    while (last != fresh.end() && *last == *first + count) {
      ++last;
      ++count;
    }
    std::vector<rules_counter> const zeros(count);
    counters_.write(*first * sizeof(rules_counter), std::as_bytes(std::span{zeros}));
    first = last;
  }
}

bool rules_table::is_lost() const { return place_.domain != nullptr && !place_.domain->is_working(); }

void rules_table::publish() {
  current_ ^= 1;
  constexpr auto at = offsetof(rules_root, current);
  if (root_.is_on_gpu()) {
    root_.write(at, bytes_of(current_));
  } else {
    auto& word = *reinterpret_cast<std::uint64_t*>(root_.data() + at);
    cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>{word}.store(current_, cuda::memory_order_release);
  }
  in_force_ = std::move(prepared_);
}

rules_ref rules_table::ref(port_id port, std::span<rules_egress const> egresses) const {
  if (port.value() >= max_rules_ports) {
    throw usage_error(
        fmt::format("flow rules of port {}: tables have ports 0 to {}", port.value(), max_rules_ports - 1));
  }
  rules_ref made{
      .root = reinterpret_cast<rules_root const*>(root_.data()), .port = port.value(), .leaves_by = {}, .port_of = {}};
  std::fill(std::begin(made.port_of), std::end(made.port_of), rules_ref::no_port);
  std::uint32_t known = 0;
  for (auto const& one : egresses) {
    if (one.port.value() >= max_rules_ports) continue;
    made.leaves_by[one.port.value()] = one.by;
    auto const by = static_cast<std::size_t>(one.by);
    if (by < std::size(made.port_of)) made.port_of[by] = static_cast<std::uint8_t>(one.port.value());
    known |= 1U << one.port.value();
  }
  for (std::uint32_t n = 0; n < max_rules_ports; ++n) {
    if ((in_force_.sent_to[port.value()] & ~known) >> n & 1U) {
      throw usage_error(
          fmt::format("flow rules of port {} send packets out by port {}, which is not among the ports in "
                      "use; add it, or take those rules out",
                      port.value(), n));
    }
  }
  return made;
}

std::optional<rules_counter> rules_table::counted(std::size_t n) const {
  auto const counter = in_force_.counter_of.at(n);
  if (counter == rules_entry::none) return std::nullopt;
  rules_counter made;
  if (counters_.is_on_gpu()) {
    auto const seen = counters_.read(counter * sizeof made, std::as_writable_bytes(std::span{&made, 1}));
    if (seen == copied::done) return known_[counter] = made;
    // The counts of a lost GPU, as last read.
    auto const known = known_.find(counter);
    return known != known_.end() ? known->second : rules_counter{};
  }
  using word = cuda::atomic_ref<std::uint64_t, cuda::thread_scope_system>;
  auto& seen = reinterpret_cast<rules_counter*>(counters_.data())[counter];
  made.hits = word{seen.hits}.load(cuda::memory_order_relaxed);
  made.bytes = word{seen.bytes}.load(cuda::memory_order_relaxed);
  return made;
}

void rules_table::abandon() {
  for (auto& set : sets_) set.abandon();
  root_.abandon();
  counters_.abandon();
}

}  // namespace packetwarp
