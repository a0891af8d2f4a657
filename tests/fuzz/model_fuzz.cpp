// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "fuzz/input.h"
#include "model/evaluate.h"
#include "model/features.h"
#include "model/load.h"
#include "model/onnx/onnx_file.h"

using namespace packetwarp;

namespace {

// Few rows, of all kinds of bytes.
[[nodiscard]] std::vector<std::int8_t> some_rows(std::size_t count) {
  std::vector<std::int8_t> rows(count * model::row_bytes);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::int8_t>(i * 37 + i / 64);
  std::fill_n(rows.begin(), model::row_bytes, std::int8_t{-128});
  std::fill_n(rows.begin() + model::row_bytes, model::row_bytes, std::int8_t{127});
  return rows;
}

void check(model::loaded_model const& loaded) {
  constexpr std::size_t count = 19;
  auto const network = loaded.network.ref();
  fuzz::require(network.header().bytes == loaded.network.bytes().size());
  fuzz::require(network.outputs() >= 1 && network.outputs() <= model::most_outputs);
  fuzz::require(!loaded.layers.empty());
  auto const rows = some_rows(count);
  std::vector<std::int32_t> expected(count * network.outputs());
  model::evaluate_by(model::instruction_set::scalar, network, rows.data(), count, expected.data());
  for (auto const set : {model::instruction_set::avx2, model::instruction_set::avx512_vnni}) {
    if (!model::has(set)) continue;
    std::vector<std::int32_t> scores(expected.size());
    model::evaluate_by(set, network, rows.data(), count, scores.data());
    fuzz::require(scores == expected);
  }
}

}  // namespace

// An ONNX file by any writer becomes a network, all of whose sums fit into 32 bits, or a printable line.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  try {
    auto const file = model::onnx::read_bytes("fuzz", std::as_bytes(std::span{data, size}));
    auto const features = model::features_of(file);
    std::vector<std::string_view> const known{features.rbegin(), features.rend()};
    check(model::load(file, known));
  } catch (usage_error const& wrong) {
    std::string_view const line{wrong.what()};
    fuzz::require(!line.empty() && std::all_of(line.begin(), line.end(), [](char c) { return c >= ' ' && c <= '~'; }));
  }
  return 0;
}
