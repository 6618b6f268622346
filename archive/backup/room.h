// Backups: an archive's states in a folder or a bucket, and the way back from one.
#pragma once

namespace vintage::golden::base {}
namespace vintage::archive::store {}
namespace vintage::archive::integrity {}
namespace vintage::archive::transfer {}

namespace vintage::archive::backup {
using namespace golden::base;
using namespace archive::store;
using namespace archive::integrity;
using namespace archive::transfer;
}  // namespace vintage::archive::backup
