// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0

#include "traffic/streams/size_mix.h"

#include <fmt/format.h>

#include "base/error.h"
#include "traffic/scanner.h"

namespace packetwarp::traffic {
namespace {

constexpr std::uint64_t largest_weight_sum = 4096;

// Smooth weighted round-robin: the share that is furthest below its due comes next, so that sizes do not cluster.
std::vector<std::uint32_t> spread(std::vector<size_mix::share> const& shares, std::int64_t total) {
  std::vector<std::uint32_t> cycle;
  std::vector<std::int64_t> due(shares.size());
  for (std::int64_t i = 0; i < total; ++i) {
    std::size_t next = 0;
    for (std::size_t s = 0; s < shares.size(); ++s) {
      due[s] += shares[s].weight;
      if (due[s] > due[next]) next = s;
    }
    due[next] -= total;
    cycle.push_back(static_cast<std::uint32_t>(next));
  }
  return cycle;
}

}  // namespace

size_mix::size_mix(std::vector<share> shares) : shares_{std::move(shares)} {
  std::uint64_t total = 0;
  for (share const& one : shares_) {
    if (one.size.on_wire() < frame_size::smallest || one.size.on_wire() > frame_size::largest) {
      throw usage_error{fmt::format("frame size {}: must be {} to {} bytes", one.size.on_wire(), frame_size::smallest,
                                    frame_size::largest)};
    }
    if (one.weight == 0) throw usage_error{fmt::format("frame size {}: its weight is 0", one.size.on_wire())};
    total += one.weight;
  }
  if (total == 0 || total > largest_weight_sum) {
    throw usage_error{fmt::format("frame sizes: weights add up to {}, must be 1 to {}", total, largest_weight_sum)};
  }
  cycle_ = shares_.size() == 1 ? std::vector<std::uint32_t>{0} : spread(shares_, static_cast<std::int64_t>(total));
}

size_mix size_mix::parse(std::string_view text, std::string_view option) {
  if (text == "imix") text = "64:7,594:4,1518:1";
  scanner in{text, option};
  std::vector<share> shares;
  std::uint64_t total = 0;
  do {
    std::size_t const size_at = in.position();
    auto const size = parse_number(in.until(",:"), frame_size::largest);
    if (!size || *size < frame_size::smallest) {
      in.fail(fmt::format("a frame size from {} to {} or imix", frame_size::smallest, frame_size::largest), size_at);
    }
    std::uint64_t weight = 1;
    if (in.accept(':')) {
      std::size_t const weight_at = in.position();
      weight = parse_number(in.until(","), largest_weight_sum).value_or(0);
      if (weight == 0) in.fail("a weight from 1 to 4096", weight_at);
    }
    total += weight;
    if (total > largest_weight_sum) in.fail("weights that add up to 4096 or less", size_at);
    shares.push_back({frame_size{static_cast<std::uint16_t>(*size)}, static_cast<std::uint32_t>(weight)});
  } while (in.accept(','));
  return size_mix{std::move(shares)};
}

std::string to_text(size_mix const& sizes) {
  std::string made;
  for (auto const& one : sizes.shares()) {
    made += fmt::format("{}{}:{}", made.empty() ? "" : ",", one.size.on_wire(), one.weight);
  }
  return made;
}

double size_mix::average() const {
  double bytes = 0;
  double frames = 0;
  for (share const& one : shares_) {
    bytes += static_cast<double>(one.size.on_wire()) * one.weight;
    frames += one.weight;
  }
  return bytes / frames;
}

}  // namespace packetwarp::traffic
