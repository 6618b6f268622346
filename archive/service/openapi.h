// docs/openapi.json, built into the program.
#pragma once

#include <string>

namespace vintage::service {

std::string openApiText();

}  // namespace vintage::service
