// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include "inspect/http/head.h"
#include "inspect/http/http_reader.h"
#include "inspect/http/plain_head.h"
#include "inspect/same_message.h"

using namespace packetwarp::inspect;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

[[nodiscard]] bool lies_in(text_view part, std::byte const* first, std::size_t size) {
  return part.bytes >= first && part.bytes + part.size <= first + size;
}

// Each buffer lies in the head or in the room for normalised forms, which room_for_head() suffices for.
void check_head(std::vector<std::byte> const& text, http_kind kind) {
  auto const size = static_cast<std::uint32_t>(text.size());
  std::vector<std::byte> room(room_for_head(size));
  http_message made;
  auto const state = read_head({text.data(), size}, kind, room.data(), static_cast<std::uint32_t>(room.size()), made);
  require(state != head_state::too_long);
  require(state != head_state::complete || (made.head_size != 0 && made.head_size <= size));
  require(state != head_state::foreign || made.known == 0);
  for (auto const& part : made.buffers)
    require(part.bytes == nullptr || lies_in(part, text.data(), size) || lies_in(part, room.data(), room.size()));
}

// A group of one lane.
struct lone_group {
  [[nodiscard]] static unsigned lanes() { return 1; }
  [[nodiscard]] static unsigned lane() { return 0; }
  static void sync() {}
  [[nodiscard]] static std::uint32_t sum(std::uint32_t value) { return value; }
};

// A plain head is read as any other.
void check_plain_head(std::vector<std::byte> const& bytes, http_kind kind) {
  text_view const text{bytes.data(), static_cast<std::uint32_t>(bytes.size())};
  auto const size = room_for_head(text.size);
  std::vector<std::byte> room(size);
  plain_lines lines{};
  http_message made;
  if (!read_plain_head(lone_group{}, text, kind, lines, room.data(), size, made)) return;
  std::vector<std::byte> other_room(size);
  http_message wanted;
  require(read_head(text, kind, other_room.data(), size, wanted) == head_state::complete);
  require(test::text_of(made) == test::text_of(wanted));
}

[[nodiscard]] std::string buffers_of(http_message const& message) {
  auto made = std::to_string(message.known) + '|';
  for (auto const& part : message.buffers) {
    if (part.bytes != nullptr) made.append(reinterpret_cast<char const*>(part.bytes), part.size);
    made += part.bytes == nullptr ? '0' : '1';
  }
  return made;
}

// Messages of a kind; responses may be without a head.
struct expected {
  http_kind kind;
  bool has_bare_bodies;
};

// The messages in the text, each as its buffers, when it is read in pieces of these sizes, one after the other.
[[nodiscard]] std::vector<std::string> messages_in(std::span<std::byte const> text, expected const& what,
                                                   std::span<std::byte const> sizes, http_counts& counts) {
  std::vector<std::string> made;
  http_reader reader{what.kind};
  reader.expect_bare_body(what.has_bare_bodies);
  std::string last;
  for (std::size_t number = 0; !text.empty(); ++number) {
    auto const wanted = sizes.empty() ? text.size() : 1 + static_cast<std::size_t>(sizes[number % sizes.size()]);
    auto piece = text.first(std::min(wanted, text.size()));
    text = text.subspan(piece.size());
    while (!piece.empty() && reader.is_reading()) {
      auto const before = piece.size();
      bool const has_news = reader.take(piece, counts);
      // A head may be known to have ended only by the byte after it.
      require(piece.size() < before || has_news);
      if (reader.has_begun()) {
        made.push_back(last);
        last.clear();
      }
      if (has_news) last = buffers_of(reader.message());
    }
  }
  if (reader.take_end(counts)) last = buffers_of(reader.message());
  made.push_back(last);
  return made;
}

}  // namespace

// A byte that says which kind of message and how many sizes of pieces follow it, the sizes, and a connection's bytes.
extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  constexpr std::size_t most = 4096;
  if (size == 0 || size > most) return 0;
  auto const kind = (data[0] & 1U) == 0 ? http_kind::request : http_kind::response;
  auto const* bytes = reinterpret_cast<std::byte const*>(data);
  auto const sizes = std::span{bytes + 1, std::min<std::size_t>(size - 1, data[0] >> 1 & 7U)};
  std::vector<std::byte> const text{bytes + 1 + sizes.size(), bytes + size};
  check_head(text, kind);
  check_plain_head(text, kind);
  http_counts at_once;
  http_counts in_pieces;
  expected const what{kind, kind == http_kind::response && (data[0] >> 4 & 1U) != 0};
  auto const wanted = messages_in(text, what, {}, at_once);
  require(messages_in(text, what, sizes, in_pieces) == wanted);
  require(at_once == in_pieces);
  return 0;
}
