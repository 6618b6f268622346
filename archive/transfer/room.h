// Copies between folders, services and S3-compatible buckets, continued after interruptions,
// and proofs that a place has what it should have.
#pragma once

namespace vintage::golden::base {}
namespace vintage::archive::store {}
namespace vintage::archive::integrity {}
namespace vintage::archive::retention {}

namespace vintage::archive::transfer {
using namespace golden::base;
using namespace archive::store;
using namespace archive::integrity;
using namespace archive::retention;
}  // namespace vintage::archive::transfer
