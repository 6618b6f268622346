// docs/openapi.json, built into the program.
#pragma once

#include <string>

#include "archive/service/room.h"

namespace vintage::archive::service {

std::string openApiText();

}  // namespace vintage::archive::service
