// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// The commands' help.txt files, embedded.
namespace packetwarp::help {
extern std::string_view const l2fwd;
extern std::string_view const run;  // with {places}: run/page.h
extern std::string_view const capture;
extern std::string_view const top;
extern std::string_view const plan;
extern std::string_view const reload;
extern std::string_view const drain;
extern std::string_view const show;  // the same: show/page.h
extern std::string_view const workers;
extern std::string_view const generate;
extern std::string_view const bench;
extern std::string_view const doctor;
extern std::string_view const model;
extern std::string_view const features;
extern std::string_view const rdma_bw;
extern std::string_view const rdma_lat;
extern std::string_view const inspect;
}  // namespace packetwarp::help
