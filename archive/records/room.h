// Plain records that all above share: artifacts, builds, runs, outcomes, pairs, limitations,
// promises, and what they make of a pair: its cell, and the verdict. Nothing here reads or runs.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::tensor {}

namespace vintage::archive::records {
using namespace golden::base;
using namespace golden::tensor;
}  // namespace vintage::archive::records
