// Times of day as text: UTC, "2026-11-20T21:50:00Z" (archive/store/row_values.h writes it).
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "archive/service/room.h"

namespace vintage::archive::service {

std::optional<std::chrono::system_clock::time_point> parseUtcTime(std::string_view text);

}  // namespace vintage::archive::service
