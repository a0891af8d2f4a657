// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace packetwarp::test {

// The line of the usage_error that `call` throws; empty, and a failure, when it throws none.
template <class Call>
std::string usage_text(Call call) {
  try {
    call();
  } catch (usage_error const& wrong) {
    return wrong.what();
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace packetwarp::test
