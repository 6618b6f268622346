// A part of an archive's contents as it is typed: "3/7".
#pragma once

#include <string>

#include "archive/integrity/content_part.h"
#include "golden/base/result.h"
#include "harness/command/room.h"

namespace vintage::harness::command {

// N/T with N from 1 to T; the error names the option.
Result<ContentPart> parsePart(const std::string& text, const char* option);

}  // namespace vintage::harness::command
