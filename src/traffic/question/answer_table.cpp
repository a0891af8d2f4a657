// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#include "traffic/question/answer_table.h"

namespace packetwarp::traffic {

std::string_view to_string(packet_class one) { return one == packet_class::normal ? "normal" : "anomalous"; }

class_answers& class_answers::operator+=(class_answers const& more) {
  sent += more.sent;
  for (std::size_t n = 0; n < packet_classes; ++n) called[n] += more.called[n];
  latency += more.latency;
  return *this;
}

}  // namespace packetwarp::traffic
