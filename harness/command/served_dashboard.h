// The dashboard as the service serves it.
#pragma once

#include <memory>
#include <string>

#include "archive/service/site.h"
#include "harness/command/room.h"

namespace vintage::harness::command {

// `archive` is the folder as it was named: it goes into the commands that reproduce.
std::unique_ptr<archive::service::Site> makeServedDashboard(const std::string& archive);

}  // namespace vintage::harness::command
