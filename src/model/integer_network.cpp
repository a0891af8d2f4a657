// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "model/integer_network.h"

#include <cstring>

namespace packetwarp::model {

integer_network network_writer::take() {
  bytes_.resize((bytes_.size() + 15) / 16 * 16);
  header.bytes = static_cast<std::uint32_t>(bytes_.size());
  std::memcpy(bytes_.data(), &header, sizeof header);
  return integer_network{std::move(bytes_)};
}

}  // namespace packetwarp::model
