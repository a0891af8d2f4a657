// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "feature/write_row.h"

#include <cstdint>

#include "feature/write_row_avx512.h"

namespace packetwarp::feature {

void write_row_plainly(row_sources const& sources, std::int8_t* row) {
  row_writer to{row};
  detail::write_packet(sources.facts, to);
  if (sources.flow != nullptr) detail::write_flow(*sources.flow, sources.epoch, sources.direction, to);
  if (sources.source != nullptr) detail::write_source(*sources.source, to);
  if (sources.destination != nullptr) detail::write_destination(*sources.destination, to);
}

void write_row(row_sources const& sources, std::int8_t* row) {
#if defined(__x86_64__)
  static bool const has_avx512 = has_avx512_rows();
  if (has_avx512) return write_row_avx512(sources, row);
  if (__builtin_cpu_supports("avx2") != 0) return write_row_avx2(sources, row);
#endif
  write_row_plainly(sources, row);
}

}  // namespace packetwarp::feature
