// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "inspect/http/http_reader.h"

#include <algorithm>
#include <utility>

#include "inspect/http/head.h"

namespace packetwarp::inspect {
namespace {

[[nodiscard]] std::span<std::byte const> take_front(std::span<std::byte const>& bytes, std::uint64_t count) {
  auto const taken = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(count, bytes.size())));
  bytes = bytes.subspan(taken.size());
  return taken;
}

// Whether a response's code has three digits, of which this is the first one (RFC 9110, 15).
[[nodiscard]] bool is_of_class(text_view code, char first) {
  return code.size == 3 && detail::letter_at(code, 0) == first;
}

// Responses without a body (RFC 9112, 6.3). RFC 9110, 8.6, lets only the last ones have a length; clients take the body
// of others that have one.
[[nodiscard]] bool has_no_body(text_view code, http_framing framing) {
  bool const has_end = framing == http_framing::sized || framing == http_framing::chunked;
  return ((is_of_class(code, '1') || detail::is_word(code, "204")) && !has_end) || detail::is_word(code, "304");
}

}  // namespace

bool http_reader::take(std::span<std::byte const>& bytes, http_counts& counts) {
  has_new_head_ = has_begun_ = has_new_line_ = has_answered_ = false;
  if (is_done_) {
    is_done_ = false;
    head_.clear();
    body_.clear();
    message_ = {};
    part_ = part::head;
    is_begun_ = false;
    old_body_ = small_news_ = 0;
  }
  if (is_told_) old_body_ = body_.size();
  bool const was_whole = message_.has_whole_body;
  if (part_ == part::head && !take_head(bytes, counts)) return is_told_ = has_new_head_;
  while (!bytes.empty() && !is_done_ && part_ != part::nothing) {
    if (part_ == part::chunk_size || part_ == part::chunk_end) {
      take_chunk_line(bytes, counts);
    } else if (part_ == part::trailer) {
      take_trailer(bytes);
    } else {
      take_body(bytes, counts);
    }
  }
  if (part_ == part::nothing) bytes = {};
  bool const is_whole_now = message_.has_whole_body && !was_whole;
  return is_told_ = has_new_head_ || is_done_ || is_whole_now || is_body_due();
}

bool http_reader::take_end(http_counts& counts) {
  has_new_head_ = has_begun_ = false;
  if (is_told_) old_body_ = body_.size();
  if (has_undecided_begin()) begin_bare_body(counts);
  if (!has_news_put_off()) return false;
  if (is_in_body()) end_body();
  return is_told_ = true;
}

bool http_reader::is_body_due() {
  auto const added = body_.size() - old_body_;
  if (added == 0) return false;
  if (is_cut_short_ || added >= std::min(body_.size() / parts_of_body, most_put_off)) return true;
  if (small_news_ == most_small_news) return false;
  ++small_news_;
  return true;
}

void http_reader::lose() {
  if (is_in_body()) end_body();
  part_ = part::nothing;
  is_done_ = false;
  began_otherwise_ = false;
}

void http_reader::look_for_request() {
  if (!std::exchange(began_otherwise_, false)) return;
  is_http_ = true;
  part_ = part::head;
  search_ = search::at_line;  // requests begin segments
  head_.clear();
}

text_view http_reader::new_body() const {
  return {body_.data() + old_body_, static_cast<std::uint32_t>(body_.size() - old_body_)};
}

bool http_reader::take_head(std::span<std::byte const>& bytes, http_counts& counts) {
  has_begun_ = !std::exchange(is_begun_, true);
  auto const added = bytes.first(std::min(bytes.size(), longest_head - head_.size()));
  head_.insert(head_.end(), added.begin(), added.end());
  bool const had_line = message_.known != 0;
  auto const state = read_first_head(counts);
  has_new_line_ = !had_line && message_.known != 0;
  if (state == head_state::foreign && takes_bare_body()) {
    bytes = bytes.subspan(added.size());
    begin_bare_body(counts);
    return true;
  }
  bool const has_line = message_.known != 0;
  is_http_ = is_http_ || has_line;
  has_new_head_ = has_line;
  if (state != head_state::complete) {
    bytes = bytes.subspan(added.size());
    bool const is_beyond = state == head_state::incomplete && head_.size() == longest_head;
    if (state != head_state::incomplete || is_beyond) give_up_head(state, counts);
    return false;
  }
  search_ = search::none;
  ++counts.messages;
  bytes = bytes.subspan(added.size() - (head_.size() - message_.head_size));
  head_.resize(message_.head_size);
  begin_body(counts);
  return true;
}

head_state http_reader::read_first_head(http_counts& counts) {
  auto const size = head_.size();
  room_.resize(std::max<std::size_t>(room_.size(), room_for_head(static_cast<std::uint32_t>(size))));
  auto const read_from = [&](std::size_t begin) {
    text_view const text{head_.data() + begin, static_cast<std::uint32_t>(head_.size() - begin)};
    // Servers take methods of any length.
    auto const most_letters = is_http_ ? static_cast<std::uint32_t>(longest_head) : longest_method;
    return read_head(text, kind_, room_.data(), static_cast<std::uint32_t>(room_.size()), message_, most_letters);
  };
  std::size_t begin = search_ == search::in_line ? leave_out_line(0) : 0;
  auto state = head_state::incomplete;
  while (begin < size) {
    state = read_from(begin);
    if (state != head_state::foreign || !looks_for_requests()) break;
    if (search_ == search::none) ++counts.unreadable;
    state = head_state::incomplete;
    while (begin < size && detail::is_blank_or_end(static_cast<char>(head_[begin]))) ++begin;
    begin = leave_out_line(begin);
  }
  if (begin == 0) return state;
  // The message's buffers are views of head_.
  head_.erase(head_.begin(), head_.begin() + static_cast<std::ptrdiff_t>(begin));
  return head_.empty() ? state : read_from(0);
}

std::size_t http_reader::leave_out_line(std::size_t begin) {
  auto const end = std::find(head_.begin() + static_cast<std::ptrdiff_t>(begin), head_.end(), std::byte{'\n'});
  search_ = end == head_.end() ? search::in_line : search::at_line;
  return static_cast<std::size_t>(end - head_.begin()) + (end == head_.end() ? 0 : 1);
}

void http_reader::give_up_head(head_state state, http_counts& counts) {
  bool const is_foreign = state == head_state::foreign;
  bool const is_tunnel = is_foreign && may_be_tunnel_;
  if (!is_tunnel && (is_http_ || !is_foreign)) ++(is_foreign ? counts.unreadable : counts.heads_too_long);
  if (is_foreign || !looks_for_requests()) {
    part_ = part::nothing;
    began_otherwise_ = !is_http_;
    return;
  }
  is_done_ = true;
  search_ = search::in_line;
}

void http_reader::begin_body(http_counts& counts) {
  auto framing = message_.framing;
  left_ = message_.body_size;
  if (kind_ == http_kind::response) {
    auto const code = message_.buffer(rule_buffer::http_stat_code);
    has_answered_ = !is_of_class(code, '1');
    if (detail::is_word(code, "101") && framing == http_framing::none) return lose();  // another protocol follows
    may_be_tunnel_ = asked_ == request_kind::connect && is_of_class(code, '2');
    bool const is_without = asked_ == request_kind::head || may_be_tunnel_ || has_no_body(code, framing);
    if (framing == http_framing::none) framing = http_framing::until_end;
    if (is_without) framing = http_framing::none;
  } else {
    // A server that refuses the tunnel reads on.
    may_be_tunnel_ = kind_of_request(message_) == request_kind::connect;
  }
  if (framing == http_framing::none || (framing == http_framing::sized && left_ == 0)) return finish();
  is_cut_short_ = false;
  decoder_.reset();
  // Servers take requests as they are.
  if (message_.is_encoded && kind_ == http_kind::response) decoder_ = body_decoder::of(message_);
  if (message_.is_encoded) ++(decoder_ ? counts.bodies_decoded : counts.bodies_encoded);
  left_ = framing == http_framing::sized ? left_ : 0;
  has_size_ = is_extension_ = false;
  part_ = framing == http_framing::sized     ? part::sized
          : framing == http_framing::chunked ? part::chunk_size
                                             : part::until_end;
}

void http_reader::begin_bare_body(http_counts& counts) {
  ++counts.messages;
  is_http_ = true;
  is_cut_short_ = false;
  decoder_.reset();
  message_ = {};
  message_.kind = kind_;
  message_.framing = http_framing::until_end;
  part_ = part::until_end;
  add_body(head_, counts);
  head_.clear();
}

void http_reader::take_body(std::span<std::byte const>& bytes, http_counts& counts) {
  if (part_ == part::until_end) return add_body(take_front(bytes, bytes.size()), counts);
  auto const taken = take_front(bytes, left_);
  left_ -= taken.size();
  add_body(taken, counts);
  if (left_ != 0) return;
  if (part_ == part::sized) return finish();
  part_ = part::chunk_end;
}

void http_reader::add_body(std::span<std::byte const> bytes, http_counts& counts) {
  if (!is_shown() || is_cut_short_) return;
  auto const before = body_.size();
  if (decoder_) {
    decoder_->decode(bytes, body_, longest_body);
    is_cut_short_ = decoder_->is_cut_short();
  } else {
    auto const added = bytes.first(std::min(bytes.size(), longest_body - before));
    body_.insert(body_.end(), added.begin(), added.end());
    is_cut_short_ = added.size() < bytes.size();
  }
  if (body_.size() != before) message_.has_whole_body = false;
  if (is_cut_short_) {
    ++counts.bodies_cut_short;
    end_body();
  }
  if (body_.size() == before) return;
  bool const is_request = kind_ == http_kind::request;
  message_.set(is_request ? rule_buffer::http_request_body : rule_buffer::http_response_body,
               {body_.data(), static_cast<std::uint32_t>(body_.size())});
}

// The line with a chunk's size, or the line's end after a chunk (RFC 9112, 7.1). Empty lines before it are skipped.
// Without a size no chunks follow: the rest is the body, as receivers take it.
void http_reader::take_chunk_line(std::span<std::byte const>& bytes, http_counts& counts) {
  constexpr std::uint64_t most = std::uint64_t{1} << 48;
  while (!bytes.empty()) {
    auto const byte = take_front(bytes, 1);
    auto const c = static_cast<char>(byte.front());
    if (c == '\n' && part_ == part::chunk_end) {
      part_ = part::chunk_size;
      left_ = 0;
      has_size_ = is_extension_ = false;
      return;
    }
    bool const is_blank = detail::is_blank_or_end(c) || detail::is_passed_over(c);
    if (part_ == part::chunk_end || (is_blank && !has_size_)) continue;
    if (c == '\n') {
      line_ = 0;
      part_ = left_ == 0 ? part::trailer : part::chunk;
      return;
    }
    int const digit = is_extension_ ? -1 : detail::digit_of(static_cast<unsigned char>(c), 16);
    is_extension_ = digit < 0;
    if (!is_extension_) left_ = left_ << 4 | static_cast<unsigned>(digit);
    if (left_ > most) return lose();
    if (is_extension_ && !has_size_) {
      part_ = part::until_end;
      return add_body(byte, counts);
    }
    has_size_ = true;
  }
}

// Fields after the last chunk, to an empty line.
void http_reader::take_trailer(std::span<std::byte const>& bytes) {
  while (!bytes.empty()) {
    auto const c = static_cast<char>(take_front(bytes, 1).front());
    if (c == '\r') continue;
    if (c == '\n' && line_ == 0) return finish();
    line_ = c == '\n' ? 0 : line_ + 1;
  }
}

void http_reader::finish() {
  is_done_ = true;
  end_body();
  decoder_.reset();
}

void http_reader::end_body() {
  message_.has_whole_body = true;
  if (!is_shown()) return;
  bool const is_request = kind_ == http_kind::request;
  message_.known |= http_bit(is_request ? rule_buffer::http_request_body : rule_buffer::http_response_body);
}

}  // namespace packetwarp::inspect
