// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/stream/segment_signs.h"

#include <algorithm>

#include "wire/big_endian.h"
#include "wire/parse.h"
#include "wire/tcp.h"

namespace packetwarp::inspect {
namespace {

// Options (RFC 9293, 3.1; RFC 7323, 2.2 and 3.2).
constexpr std::byte end_of_options{0};
constexpr std::byte no_operation{1};
constexpr std::byte window_scale{3};
constexpr std::byte timestamps{8};
constexpr std::size_t window_scale_size = 3;
constexpr std::size_t timestamps_size = 10;
constexpr std::uint8_t most_scale = 14;

void read_option(std::span<std::byte const> option, segment_signs& to) {
  if (option[0] == window_scale && option.size() == window_scale_size) {
    to.has_scale = true;
    to.scale = std::min(static_cast<std::uint8_t>(option[2]), most_scale);
  } else if (option[0] == timestamps && option.size() == timestamps_size) {
    to.has_times = true;
    to.sent_at = wire::load_be<std::uint32_t>(option.data() + 2);
    to.echoed = wire::load_be<std::uint32_t>(option.data() + 6);
  }
}

[[nodiscard]] option_form form_of(std::span<std::byte const> options) {
  if (options.empty()) return option_form::none;
  bool const is_padded = options.size() == timestamps_size + 2 && options[0] == no_operation &&
                         options[1] == no_operation && options[2] == timestamps;
  return is_padded ? option_form::times : option_form::other;
}

}  // namespace

segment_signs signs_of(std::span<std::byte const> tcp) {
  segment_signs made;
  wire::tcp_view const header{tcp.data()};
  if (tcp.size() < wire::tcp_view<std::byte const>::min_header_length || !header.check_length(tcp.size())) return made;
  made.window = header.window();
  auto options = tcp.first(header.header_length()).subspan(wire::tcp_view<std::byte const>::min_header_length);
  made.form = form_of(options);
  // A receiver reads them up to the first one that does not fit.
  while (!options.empty() && options[0] != end_of_options) {
    if (options[0] == no_operation) {
      options = options.subspan(1);
      continue;
    }
    if (options.size() < 2) break;
    auto const size = static_cast<std::size_t>(options[1]);
    if (size < 2 || size > options.size()) break;
    read_option(options.first(size), made);
    options = options.subspan(size);
  }
  return made;
}

segment_signs signs_in_frame(std::span<std::byte const> frame, std::uint32_t length) {
  auto const found = wire::parse(frame.data(), frame.size(), length);
  bool const is_tcp = found.error == wire::parse_error::none && found.l4 == wire::l4_kind::tcp;
  return is_tcp ? signs_of(frame.subspan(found.l4_offset)) : segment_signs{};
}

}  // namespace packetwarp::inspect
