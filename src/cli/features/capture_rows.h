// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/hash_key.h"
#include "feature/feature_state.h"
#include "traffic/capture/capture_reader.h"

namespace packetwarp {

// The rows of a capture's packets, in its order, as the packet stage makes them: with the default sizes of tables, and
// the epoch from the capture's times. The key is the same in each run, so that the rows are, too.
class capture_rows {
 public:
  static constexpr hash_key key{0x243f'6a88'85a3'08d3, 0x1319'8a2e'0370'7345};  // digits of pi

  // Throws usage_error and failure with one line.
  explicit capture_rows(std::filesystem::path const& file) : reader_{file} {}

  // Appends up to `most` rows, of model::row_bytes each. False: no row is left; see problem().
  [[nodiscard]] bool read(std::size_t most, std::vector<std::int8_t>& rows);

  // The reason why the rows ended before the file did, in one line; empty if they did not.
  [[nodiscard]] std::string const& problem() const { return reader_.problem(); }

 private:
  traffic::capture_reader reader_;
  feature::feature_state state_{feature::state_sizes{}, key};
  std::optional<std::uint64_t> begin_{};  // the first packet's time
  std::uint64_t epoch_{1};
};

}  // namespace packetwarp
