// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "function/inspection/carried/stream_memory.h"

namespace packetwarp {

std::size_t stream_memory::bytes_for(sizes wanted) {
  if (wanted.records == 0) return 0;
  auto const of_record = sizeof(std::uint64_t) + sizeof(inspection_parts::stream_record);
  return wanted.records * of_record + wanted.flows * sizeof(inspection_parts::stream_start) +
         wanted.texts * sizeof(inspection_parts::stream_text);
}

stream_memory::stream_memory(table_place place, sizes wanted) : sizes_{wanted} {
  if (wanted.records == 0) return;
  words_ = table_memory{place, wanted.records * sizeof(std::uint64_t)};
  records_ = table_memory{place, wanted.records * sizeof(inspection_parts::stream_record)};
  starts_ = table_memory{place, wanted.flows * sizeof(inspection_parts::stream_start)};
  texts_ = table_memory{place, wanted.texts * sizeof(inspection_parts::stream_text)};
}

inspection_parts::stream_table_ref stream_memory::table() const {
  if (sizes_.records == 0) return {};
  return {.words = reinterpret_cast<std::uint64_t*>(words_.data()),
          .records = reinterpret_cast<inspection_parts::stream_record*>(records_.data()),
          .starts = reinterpret_cast<inspection_parts::stream_start*>(starts_.data()),
          .line_mask = sizes_.records / inspection_parts::line_words - 1,
          .count = sizes_.records};
}

inspection_parts::text_rooms_ref stream_memory::texts() const {
  if (sizes_.records == 0) return {};
  return {reinterpret_cast<inspection_parts::stream_text*>(texts_.data()), sizes_.texts};
}

void stream_memory::abandon() {
  for (auto* const one : {&words_, &records_, &starts_, &texts_}) one->abandon();
}

}  // namespace packetwarp
