// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/judge.h"

namespace packetwarp::traffic {
namespace {

constexpr std::array<std::uint64_t verify_counts::*, 7> members{
    &verify_counts::received,  &verify_counts::bytes,     &verify_counts::duplicates, &verify_counts::late,
    &verify_counts::reordered, &verify_counts::corrupted, &verify_counts::unknown};
static_assert(sizeof(verify_counts) == members.size() * sizeof(std::uint64_t), "every count is published");

}  // namespace

void published_counts::publish(verify_counts const& counts) {
  for (std::size_t i = 0; i < members.size(); ++i) counters_[i].set(counts.*members[i]);
}

verify_counts published_counts::read() const {
  verify_counts counts;
  for (std::size_t i = 0; i < members.size(); ++i) counts.*members[i] = counters_[i].read();
  return counts;
}

signed_judge::signed_judge(std::vector<stream const*> const& sent, transform expected, content_check depth)
    : key_{sent.front()->key()} {
  for (stream const* one : sent) by_number_[one->config().number] = &all_.emplace_back(*one, expected, depth);
}

signed_judge::judged* signed_judge::find(std::span<std::byte const> frame) {
  if (frame.size() < signature_length) return nullptr;
  auto const found = read_signature(frame.data() + frame.size() - signature_length, key_);
  return found ? by_number_[found->stream] : nullptr;
}

void signed_judge::publish() {
  for (judged& one : all_) one.published.publish(one.checks.counts());
  unknown_.set(strangers_);
}

verify_counts replay_judge::counts(std::size_t n) const {
  if (n != 0) return {};
  auto seen = published_.read();
  seen.unknown = 0;
  return seen;
}

verify_counts replay_judge::settled(std::size_t n, std::uint64_t sent) const {
  auto seen = counts(n);
  if (n == 0) seen.duplicates = check_.after(sent).duplicates;
  return seen;
}

}  // namespace packetwarp::traffic
