// Whether an archive is whole and is what was signed: fsck, healing and signatures.
#pragma once

namespace vintage::golden::base {}
namespace vintage::golden::exported {}
namespace vintage::archive::store {}

namespace vintage::archive::integrity {
using namespace golden::base;
using namespace golden::exported;
using namespace archive::store;
}  // namespace vintage::archive::integrity
