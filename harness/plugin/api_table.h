// The table of functions that GetPjrtApi gives.
#pragma once

#include "harness/consumers/pjrt/c_api.h"
#include "harness/plugin/room.h"

namespace vintage::harness::plugin {

// Made once; lives as long as the library.
const Api& apiTable();

}  // namespace vintage::harness::plugin
