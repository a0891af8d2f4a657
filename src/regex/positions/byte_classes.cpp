// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "regex/positions/byte_classes.h"

#include <array>
#include <set>

namespace packetwarp::regex {
namespace {

// Divides each class by whether a byte is in the set.
void divide(byte_classes& made, byte_set const& by) {
  std::array<std::array<int, 2>, 256> numbers;
  for (auto& of_class : numbers) of_class = {-1, -1};
  made.examples.clear();
  for (unsigned byte = 0; byte < 256; ++byte) {
    auto& number = numbers[made.class_of[byte]][by.has(byte) ? 1 : 0];
    if (number < 0) {
      number = static_cast<int>(made.examples.size());
      made.examples.push_back(static_cast<std::uint8_t>(byte));
    }
    made.class_of[byte] = static_cast<std::uint8_t>(number);
  }
}

}  // namespace

byte_classes classes_of(positions const& of) {
  byte_classes made;
  made.examples.push_back(0);
  std::set<std::array<std::uint64_t, 4>> seen;
  for (auto const& one : of) {
    if (seen.insert(one.bytes.words()).second) divide(made, one.bytes);
  }
  return made;
}

}  // namespace packetwarp::regex
