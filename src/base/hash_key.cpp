// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "base/hash_key.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace packetwarp {

hash_key random_hash_key() {
  hash_key made{};
  // getrandom(2) gives this few bytes whole; a signal may come before the generator is ready.
  ssize_t got = 0;
  do {
    got = ::getrandom(&made, sizeof made, 0);
  } while (got < 0 && errno == EINTR);
  if (got != sizeof made) throw failure(fmt::format("no random key for hash tables: {}", std::strerror(errno)));
  return {made.first | 1, made.second | 1};
}

}  // namespace packetwarp
