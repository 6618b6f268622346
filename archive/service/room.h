// An archive over HTTP: routes, tokens, TLS, limits. The only room that needs Boost.
#pragma once

namespace vintage::golden::base {}
namespace vintage::archive::store {}
namespace vintage::archive::integrity {}
namespace vintage::archive::retention {}

namespace vintage::archive::service {
using namespace golden::base;
using namespace archive::store;
using namespace archive::integrity;
using namespace archive::retention;
}  // namespace vintage::archive::service
