// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "inspect/http/body_decoder.h"
#include "inspect/http/http_counts.h"
#include "inspect/http/message.h"
#include "inspect/http/pending_requests.h"

namespace packetwarp::inspect {

enum class head_state : std::uint8_t;

// Reads the messages of one direction of a connection from its bytes in order. On a CPU; heads in one piece can be read
// by read_head() alone.
class http_reader {
 public:
  static constexpr std::size_t longest_head = 16'384;
  static constexpr std::size_t longest_body = 65'536;  // that rules see
  // The news of a body that grows in small steps: this many, then each time that it has grown by one of its parts, or
  // by most_put_off bytes. So a body costs a caller that compares all of it each time a bounded multiple of its size,
  // whatever the segments.
  static constexpr std::uint32_t most_small_news = 64;
  static constexpr std::size_t parts_of_body = 16;
  static constexpr std::size_t most_put_off = 1024;  // half of the bytes that a stream_side carries

  explicit http_reader(http_kind kind) : kind_{kind} {}

  // Takes bytes off the begin of `bytes`, at the most to the end of a message; none, if they say that its head has
  // ended before them. True: message() has news.
  [[nodiscard]] bool take(std::span<std::byte const>& bytes, http_counts& counts);
  // The direction ends here, or bytes are missing. True: message() has news that take() has put off, or its body is now
  // whole.
  [[nodiscard]] bool take_end(http_counts& counts);
  // take_end() would say so.
  [[nodiscard]] bool has_news_put_off() const {
    bool const has_part_of_body = is_in_body() && is_shown() && !message_.has_whole_body;
    return has_bytes_put_off() || has_part_of_body;
  }
  // take() has said nothing of the last bytes.
  [[nodiscard]] bool has_bytes_put_off() const {
    return has_undecided_begin() || (!is_told_ && body_.size() > old_body_);
  }
  // Bytes are missing before the next ones: nothing more is read.
  void lose();

  // For responses: the request that the next one belongs to.
  void expect_answer_to(request_kind asked) { asked_ = asked; }

  // For responses: whether bytes that begin no message are the body of one without a head, as clients take an answer to
  // a request in HTTP/0.9's form. Without it they are no HTTP, and nothing more is read.
  void expect_bare_body(bool is_expected) { expects_bare_body_ = is_expected; }

  // For requests: the other direction carries HTTP. Without it a direction that begins with other bytes is none of
  // HTTP, and nothing of it is read.
  void look_for_request();

  // The last message, valid until the next take().
  [[nodiscard]] http_message const& message() const { return message_; }
  // The bytes of its head so far.
  [[nodiscard]] text_view head() const { return {head_.data(), static_cast<std::uint32_t>(head_.size())}; }
  [[nodiscard]] text_view new_body() const;  // since the news before
  [[nodiscard]] bool has_new_head() const { return has_new_head_; }
  [[nodiscard]] bool has_begun() const { return has_begun_; }        // the last take() has begun the message
  [[nodiscard]] bool has_new_line() const { return has_new_line_; }  // the last take() has read the first line
  [[nodiscard]] bool has_answered() const { return has_answered_; }  // it has read the head of a response but 1xx
  [[nodiscard]] bool is_http() const { return is_http_; }
  [[nodiscard]] bool is_reading() const { return part_ != part::nothing; }
  [[nodiscard]] std::size_t bytes() const {
    return head_.capacity() + room_.capacity() + body_.capacity() + (decoder_ ? decoder_->bytes() : 0);
  }

 private:
  enum class part : std::uint8_t { head, sized, until_end, chunk_size, chunk, chunk_end, trailer, nothing };

  // How far bytes that begin no request have been skipped, on a connection that carries HTTP: the next line may begin
  // one.
  enum class search : std::uint8_t { none, at_line, in_line };

  // Reads the head at the begin of head_, after lines that begin no request.
  [[nodiscard]] head_state read_first_head(http_counts& counts);
  // Returns the end of the line in head_ that the byte at `begin` is of, with its LF.
  [[nodiscard]] std::size_t leave_out_line(std::size_t begin);
  // The bytes of head_ begin no message, or one whose head is too long.
  void give_up_head(head_state state, http_counts& counts);
  [[nodiscard]] bool looks_for_requests() const { return kind_ == http_kind::request && is_http_ && !may_be_tunnel_; }
  // Each takes bytes; false: more are needed first.
  [[nodiscard]] bool take_head(std::span<std::byte const>& bytes, http_counts& counts);
  void take_body(std::span<std::byte const>& bytes, http_counts& counts);
  void take_chunk_line(std::span<std::byte const>& bytes, http_counts& counts);
  void take_trailer(std::span<std::byte const>& bytes);
  void begin_body(http_counts& counts);
  // The bytes of head_ are the begin of a body without a head.
  void begin_bare_body(http_counts& counts);
  void add_body(std::span<std::byte const> bytes, http_counts& counts);
  void finish();
  void end_body();
  [[nodiscard]] bool is_in_body() const { return part_ != part::head && part_ != part::nothing; }
  [[nodiscard]] bool is_body_due();
  [[nodiscard]] bool takes_bare_body() const { return expects_bare_body_ && !may_be_tunnel_; }
  // The bytes so far may begin a head, or be a body without one.
  [[nodiscard]] bool has_undecided_begin() const {
    return part_ == part::head && takes_bare_body() && !head_.empty() && message_.known == 0;
  }
  // Servers take requests as they are sent.
  [[nodiscard]] bool is_shown() const { return !message_.is_encoded || decoder_ || kind_ == http_kind::request; }

  http_kind kind_;
  part part_{};
  bool is_http_{};
  bool is_done_{};   // the next byte begins a message
  bool is_begun_{};  // bytes of the message have come
  search search_{};
  bool began_otherwise_{};  // the direction's first bytes are no HTTP
  request_kind asked_{};
  bool expects_bare_body_{};
  bool may_be_tunnel_{};  // bytes that begin no message are of a tunnel
  bool has_new_head_{};
  bool has_begun_{};
  bool has_new_line_{};
  bool has_answered_{};
  bool has_size_{};         // a digit of the chunk's size was there
  bool is_extension_{};     // of the chunk's size
  std::uint64_t left_{};    // bytes of a body or a chunk
  std::uint32_t line_{};    // bytes of a trailer's line
  std::size_t old_body_{};  // bytes of the body that the news before had
  bool is_told_{};          // message() has had news of all of the body
  std::uint32_t small_news_{};
  std::vector<std::byte> head_;
  std::vector<std::byte> room_;
  std::vector<std::byte> body_;
  std::optional<body_decoder> decoder_{};  // of a response's body that is encoded
  bool is_cut_short_{};
  http_message message_{};
};

}  // namespace packetwarp::inspect
