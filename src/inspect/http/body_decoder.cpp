// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/http/body_decoder.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>

#include "inspect/http/text.h"

namespace packetwarp::inspect {
namespace {

[[nodiscard]] bool is_of_coding(char c) {
  auto const small = detail::lower(c);
  return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9') || c == '-' || detail::is_passed_over(c);
}

// The codings of a field's value that zlib decodes, whatever is between them; none: there is one that it does not.
// Receivers pass over words that are no codings.
[[nodiscard]] std::optional<std::size_t> count_codings(text_view value) {
  std::size_t count = 0;
  for (std::uint32_t begin = 0; begin < value.size;) {
    auto end = begin;
    while (end < value.size && is_of_coding(detail::letter_at(value, end))) ++end;
    auto const name = value.part(begin, end);
    begin = end + 1;
    using detail::is_loose_word;
    if (is_loose_word(name, "br") || is_loose_word(name, "zstd") || is_loose_word(name, "lzma") ||
        is_loose_word(name, "compress") || is_loose_word(name, "x-compress"))
      return std::nullopt;
    if (is_loose_word(name, "gzip") || is_loose_word(name, "x-gzip") || is_loose_word(name, "deflate") ||
        is_loose_word(name, "x-deflate"))
      ++count;
  }
  return count;
}

[[nodiscard]] bool is_gzip(std::span<std::byte const> bytes) {
  return bytes[0] == std::byte{0x1f} && bytes[1] == std::byte{0x8b};
}

// zlib's bits of a window for the form that begins with these bytes: zlib (RFC 1950), or DEFLATE alone (RFC 1951).
// Servers send both, and gzip, under each name.
[[nodiscard]] int form_of(std::span<std::byte const> bytes) {
  constexpr int largest = 15;
  auto const first = std::to_integer<unsigned>(bytes[0]);
  auto const second = std::to_integer<unsigned>(bytes[1]);
  bool const is_zlib = (first & 15U) == Z_DEFLATED && first >> 4U <= 7 && (first << 8 | second) % 31 == 0;
  return is_zlib && !is_gzip(bytes) ? largest : -largest;
}

// The size of gzip's header (RFC 1952, 2.3), or 0 if its end is missing. As receivers do it: flags that are reserved
// mean nothing, and its checksum is not verified, for which zlib would refuse the body.
[[nodiscard]] std::size_t gzip_header_size(std::span<std::byte const> bytes) {
  constexpr std::size_t fixed = 10;
  if (bytes.size() < fixed) return 0;
  auto const flags = std::to_integer<unsigned>(bytes[3]);
  std::size_t at = fixed;
  if ((flags & 4U) != 0) {  // extra field
    if (bytes.size() < at + 2) return 0;
    at += 2 + std::to_integer<std::size_t>(bytes[at]) + 256 * std::to_integer<std::size_t>(bytes[at + 1]);
  }
  for (unsigned const text : {8U, 16U}) {  // name, comment: each with a zero at its end
    if ((flags & text) == 0) continue;
    while (at < bytes.size() && bytes[at] != std::byte{}) ++at;
    ++at;
  }
  if ((flags & 2U) != 0) at += 2;  // checksum
  return at <= bytes.size() ? at : 0;
}

}  // namespace

class body_decoder::layer {
 public:
  layer() = default;
  layer(layer const&) = delete;
  layer& operator=(layer const&) = delete;
  ~layer() {
    if (state_ == state::decoding) inflateEnd(&stream_);
  }

  // put(bytes) takes decoded bytes; false: no more are wanted.
  template <class Put>
  void decode(std::span<std::byte const> bytes, Put&& put) {
    if (state_ == state::as_it_is) (void)put(bytes);
    if (state_ == state::as_it_is || state_ == state::ended) return;
    if (!has_output_) before_.insert(before_.end(), bytes.begin(), bytes.end());
    if (state_ == state::new_body && !begin(bytes)) return bound_before();
    auto const answer = inflate_all(bytes, put);
    if (!has_output_ && is_failure(answer)) {
      // None of the coding: it is taken as it was sent.
      end(state::as_it_is);
      (void)put(std::span<std::byte const>{before_});
    } else if (answer != Z_OK && answer != Z_BUF_ERROR) {
      end(state::ended);
    }
    if (has_output_ || state_ != state::decoding) before_ = {};
    bound_before();
  }

  [[nodiscard]] std::size_t bytes() const {
    constexpr std::size_t of_zlib = 48 * 1024;  // its state and window, as zconf.h counts them
    return before_.capacity() + (state_ == state::decoding ? of_zlib : 0);
  }

 private:
  static constexpr std::size_t most_before = 16'384;  // bytes without a decoded one: a header may be as long
  enum class state : std::uint8_t { new_body, decoding, as_it_is, ended };

  [[nodiscard]] static bool is_failure(int answer) {
    return answer != Z_OK && answer != Z_BUF_ERROR && answer != Z_STREAM_END;
  }

  // zlib's answer; Z_STREAM_END, too, if no more bytes are wanted.
  template <class Put>
  [[nodiscard]] int inflate_all(std::span<std::byte const> bytes, Put&& put) {
    std::array<std::byte, 4096> room;
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    int answer = Z_OK;
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(room.data());
      stream_.avail_out = static_cast<uInt>(room.size());
      answer = inflate(&stream_, Z_SYNC_FLUSH);
      if (answer == Z_MEM_ERROR) throw std::bad_alloc{};
      auto const made = room.size() - stream_.avail_out;
      if (made == 0) continue;
      has_output_ = true;
      if (!put(std::span<std::byte const>{room.data(), made})) return Z_STREAM_END;
    } while (answer == Z_OK && (stream_.avail_in != 0 || stream_.avail_out == 0));
    return answer;
  }

  // Chooses the form by the first bytes. False: they are not there yet.
  [[nodiscard]] bool begin(std::span<std::byte const>& bytes) {
    if (before_.size() < 2) return false;
    auto const header = is_gzip(before_) ? gzip_header_size(before_) : 0;
    if (header == 0 && is_gzip(before_)) return false;
    stream_ = {};
    if (inflateInit2(&stream_, form_of(before_)) != Z_OK) throw std::bad_alloc{};
    state_ = state::decoding;
    bytes = std::span<std::byte const>{before_}.subspan(header);
    return true;
  }
  void bound_before() {
    if (before_.size() <= most_before) return;
    end(state::ended);
    before_ = {};
  }
  void end(state next) {
    if (state_ == state::decoding) inflateEnd(&stream_);
    state_ = next;
  }

  state state_{};
  bool has_output_{};
  std::vector<std::byte> before_{};  // the body so far, until a byte of it is decoded
  z_stream stream_{};
};

std::optional<body_decoder> body_decoder::of(http_message const& message) {
  std::size_t layers = 0;
  for (std::uint8_t i = 0; i < message.encodings; ++i) {
    auto const count = count_codings(message.encoding[i]);
    if (!count) return std::nullopt;
    layers += *count;
  }
  if (message.has_more_encodings || layers == 0 || layers > most_layers) return std::nullopt;
  return body_decoder{layers};
}

body_decoder::body_decoder(std::size_t layers) {
  for (std::size_t i = 0; i < layers; ++i) layers_.push_back(std::make_unique<layer>());
}
body_decoder::body_decoder(body_decoder&&) noexcept = default;
body_decoder& body_decoder::operator=(body_decoder&&) noexcept = default;
body_decoder::~body_decoder() = default;

std::size_t body_decoder::bytes() const {
  std::size_t made = 0;
  for (auto const& one : layers_) made += sizeof(layer) + one->bytes();
  return made;
}

void body_decoder::decode(std::span<std::byte const> bytes, std::vector<std::byte>& to, std::size_t most) {
  if (!is_cut_short_) feed(0, bytes, to, most);
}

void body_decoder::feed(std::size_t number, std::span<std::byte const> bytes, std::vector<std::byte>& to,
                        std::size_t most) {
  if (number == layers_.size()) {
    auto const taken = bytes.first(std::min(bytes.size(), most - to.size()));
    to.insert(to.end(), taken.begin(), taken.end());
    if (taken.size() < bytes.size()) is_cut_short_ = true;
    return;
  }
  layers_[number]->decode(bytes, [&](std::span<std::byte const> made) {
    if (number + 1 < layers_.size()) between_ += made.size();
    if (between_ > most_between) is_cut_short_ = true;
    if (!is_cut_short_) feed(number + 1, made, to, most);
    return !is_cut_short_;
  });
}

}  // namespace packetwarp::inspect
