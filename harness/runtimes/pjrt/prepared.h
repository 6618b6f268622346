// The input of a plugin for an artifact: programs that it can compile, with their arguments.
// vintage-pjrt-prepare makes it from an execute request, in frames as those of the worker protocol,
// so that the process that loaded the plugin reads no programs.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "archive/store/records.h"
#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/runtimes/message.h"
#include "harness/runtimes/pjrt/client.h"

namespace vintage::harness {

// Where the pieces of an output lie that several devices hold.
struct OutputPieces {
  golden::Shape shape;                // The whole output.
  std::vector<golden::Shape> starts;  // The place of each device's first element in the whole.
};

// The bytes that the archive keeps.
inline constexpr std::string_view kAsArchived = "as archived";

struct PreparedProgram {
  std::vector<std::byte> module;  // A portable artifact.
  std::string form;               // How it came about: "as archived", "refined at 1.9.0", …
  std::string note;               // A step that could not be done, for messages.
  size_t devices = 1;
  bool shardy = false;
  DeviceValues arguments;             // Of each device.
  std::vector<OutputPieces> outputs;  // Only where there are several devices.
};

// The function, and behind it its derivative where the request has that one's inputs.
using Preparation = std::vector<PreparedProgram>;

// The artifact is refused: a reply without outputs says why and at which stage.
using PreparationAnswer = std::variant<Preparation, ExecuteReply>;

void encode(const Preparation& preparation, FrameWriter& to);
// Takes the content out of the frame. kBadInput: it is none of the two.
Result<PreparationAnswer> answerFromFrame(Frame frame);

// The output of a program over several devices. Copies of one piece must be the same
// bytes; a kBadInput names two devices whose are not.
Result<golden::Tensor> joinOutput(const OutputPieces& output,
                                  const std::vector<const golden::Tensor*>& pieces);

}  // namespace vintage::harness
