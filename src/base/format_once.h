// SPDX-FileCopyrightText: 2026 The packetwarp authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

// fmt's formatter of char, which fmt::format_to and each log line call. fmt 9 has its definition in a header and
// declares no instance, so each unit that logs would compile it anew, floating-point numbers included: four seconds of
// a compiler's time. format_once.cpp has the one instance of a program. Later versions declare their own.
#if FMT_VERSION < 100000
extern template void fmt::detail::vformat_to<char>(
    fmt::detail::buffer<char>& to, fmt::basic_string_view<char> format,
    fmt::basic_format_args<fmt::buffer_context<fmt::type_identity_t<char>>> values, fmt::detail::locale_ref locale);
#endif
