// Where artifacts are kept and found: the SQLite index, the content-addressed blobs and
// the leases of those who write. A blob is verified and durable before the row that names it.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::compare {}
namespace vintage::archive::records {}

namespace vintage::archive::store {
using namespace golden::base;
using namespace golden::compare;
using namespace archive::records;
}  // namespace vintage::archive::store
