// What a policy keeps, what a hold keeps, and the collection of the rest.
#pragma once

namespace vintage::golden::base {}
namespace vintage::archive::store {}

namespace vintage::archive::retention {
using namespace golden::base;
using namespace archive::store;
}  // namespace vintage::archive::retention
