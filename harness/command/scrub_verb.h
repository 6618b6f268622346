// A scrub with its output, for the verbs `scrub` and `fsck`.
#pragma once

#include <string>

#include "archive/transfer/open_place.h"
#include "archive/transfer/scrub.h"
#include "golden/base/result.h"
#include "harness/command/console.h"
#include "harness/command/room.h"

namespace vintage::harness::command {

struct ScrubCall {
  std::string place, from, publicKey;
  bool readData = true, repair = false;
  ContentPart part;
  PlaceOptions network;
};
Result<int> runScrub(const ScrubCall& call, Console& console);

}  // namespace vintage::harness::command
