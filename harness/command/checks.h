// What the verbs share that check what is kept: `fsck`, `scrub` and `restore`.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "archive/transfer/open_place.h"
#include "archive/transfer/scrub.h"
#include "golden/base/result.h"
#include "harness/command/console.h"

namespace vintage::harness {

// What fsck and restore have checked beside the hashes of artifacts. `name` begins the message.
Status checkPortableArtifact(std::span<const std::byte> bytes, std::string_view name);

// A scrub with its output.
struct ScrubCall {
  std::string place, from, publicKey;
  bool readData = true, repair = false;
  archive::ContentPart part;
  archive::PlaceOptions network;
};
Result<int> runScrub(const ScrubCall& call, Console& console);

}  // namespace vintage::harness
