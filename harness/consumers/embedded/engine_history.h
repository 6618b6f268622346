// Since when the embedded engine has what its tables hold, and since when the
// catalogue's exports call it. The tables list what there is; only this says
// since when, so a table that grows grows a line here (a test insists).
#pragma once

#include <optional>
#include <string_view>

#include "golden/base/date.h"
#include "harness/consumers/embedded/room.h"

namespace vintage::harness::consumers::embedded {

// D: consumers built from this day on have the target.
Date engineHasTargetSince(std::string_view target);
// None where no lowering of the catalogue calls it (a test lowers all of it).
std::optional<Date> exportsCallTargetSince(std::string_view target);
// The newest calling convention and the newest serialization version.
Date engineReadsNewestCallingConventionSince();
Date engineReadsNewestSerializationSince();

}  // namespace vintage::harness::consumers::embedded
