// The effects of a change of a flatbuffer schema on bytes and on readers.
//
// The rules are those of flatbuffers' own `flatc --conform` (field ids, types, defaults, presence,
// enumerators), but all differences are listed instead of the first one, and in both directions.
// Tables are compared by their place below the root type: as on the wire, their names and namespace
// do not matter.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "golden/base/result.h"

namespace vintage::harness {

struct SchemaDifference {
  std::string place;            // "Exported.nr_devices (id 18)", "enum DType"
  std::string what;             // "the default becomes 1, was 0"
  bool breaksOldBytes = false;  // A new reader misreads or refuses older files.
  bool breaksOldReaders = false;
  // An old reader ignores it silently, or rejects its new value.
  bool extends = false;
};

// In order of place. Fails (kBadInput, with the line) where a text is not a
// complete schema with a root type, or includes other files.
Result<std::vector<SchemaDifference>> compareSchemas(std::string_view before,
                                                     std::string_view after);

}  // namespace vintage::harness
