// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "traffic/stl/program.h"
#include "traffic/streams/signature.h"

namespace packetwarp::traffic::stl {

// The values of a variable, as a function of the packet's number alone: value 0 is the first one.
class series {
 public:
  enum class part : std::uint8_t { whole, ip, port };  // of a tuple

  series(variable const& of, part which, std::uint64_t stream_seed);

  [[nodiscard]] std::uint64_t at(std::uint64_t index) const {
    if (kind_ == kind::constant) return base_;
    if (limit_ != 0) index = remainder(index, limit_);
    if (divider_ != 1) index /= divider_;
    auto const chosen = kind_ == kind::random ? random(index) : linear(index);
    return list_.empty() ? base_ + chosen : list_[chosen];
  }
  [[nodiscard]] std::uint64_t smallest() const;
  [[nodiscard]] std::uint64_t largest() const;
  // As TRex: of a list the mean of all its values, else half way between the smallest and the largest.
  [[nodiscard]] double mean() const;

 private:
  enum class kind : std::uint8_t { constant, linear, random };

  // Most numbers are small, and small numbers divide faster.
  static std::uint64_t remainder(std::uint64_t of, std::uint64_t by) {
    if (((of | by) >> 32) == 0) return static_cast<std::uint32_t>(of) % static_cast<std::uint32_t>(by);
    return of % by;
  }
  [[nodiscard]] std::uint64_t linear(std::uint64_t index) const {
    if (range_ == 0) return offset_ + index * step_;  // all 64 bits: wraps by itself
    if ((range_ >> 32) == 0) return remainder(offset_ + remainder(index, range_) * step_, range_);
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>((offset_ + wide{index} * step_) % range_);
  }
  [[nodiscard]] std::uint64_t random(std::uint64_t index) const {
    auto const draw = mix_bits(seed_ ^ mix_bits(index + 1));
    if (range_ == 0) return draw;
    if ((range_ >> 32) == 0) return (draw >> 32) * range_ >> 32;
    return draw % range_;
  }

  kind kind_{kind::linear};
  std::uint64_t base_{};
  std::uint64_t range_{};  // number of values; 0: 2^64
  std::uint64_t offset_{};
  std::uint64_t step_{1};  // below range_
  std::uint64_t limit_{};
  std::uint64_t divider_{1};
  std::uint64_t seed_{};
  std::vector<std::uint64_t> list_;
};

// The series that a step names: "x" of a variable x, "t.ip" and "t.port" of a tuple t. Throws failure.
[[nodiscard]] series series_named(std::string_view name, stream const& of);

}  // namespace packetwarp::traffic::stl
