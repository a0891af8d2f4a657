// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "joint/joint_oracle.h"
#include "joint/patient_score.h"

namespace packetwarp::test {

template <>
struct oracle<patient_score> : oracle<header_score> {
  static table_refs<patient_score> tables_in(table_place place) {
    auto const same = score_tables(place);
    return {same.cpu, same.gpu};
  }
};
template <>
struct oracle<patient_score_apart> : oracle<header_score> {
  static table_refs<patient_score_apart> tables_in(table_place place) {
    auto const same = score_tables(place);
    return {same.cpu, same.gpu};
  }
};

}  // namespace packetwarp::test
