// The messages of the worker protocol (docs/reference/worker_protocol.md) as plain data, and their
// form as frames. Decoding checks everything: either side may be any program.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "archive/records/measurement.h"
#include "archive/records/runtime_description.h"
#include "archive/store/records.h"
#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/runtimes/frame.h"

namespace vintage::harness {

// A worker's first message, which it sends unasked: its build.
struct HelloMessage {
  // Its `kind` does not travel, and of its details only the formats.
  archive::BuildRecord build;
  // The requests that it answers. Workers from before there was a choice do not list them.
  std::vector<std::string> requests{"execute"};
  int requestsHeld = 4;  // How many it takes before it has answered the first.
};

// Asks for a RuntimeDescription.
struct DescribeRequest {};

struct ExecuteRequest {
  uint64_t id = 0;   // The reply repeats it.
  std::string name;  // For messages: the artifact's name.
  archive::ArtifactRecord::Format format = archive::ArtifactRecord::Format::kExported;
  std::string platform;  // "cpu": which of the artifact's platforms to run.
  // In the artifact's own order; the platform index counts in it. For a
  // portable artifact on its own; an Exported holds its own list.
  std::vector<std::string> platforms;
  std::string mode = "graph";
  std::vector<std::byte> artifact;
  std::vector<golden::Tensor> inputs;  // As a caller gives them: all, also those not kept.
  std::optional<archive::MeasureRequest> measure =
      {};  // None: it runs once, and nothing is measured.
};

// An archived artifact as a request that has no id yet.
ExecuteRequest requestOf(const archive::ArtifactRecord& record, std::string platform,
                         std::string mode, std::vector<std::byte> artifact,
                         std::vector<golden::Tensor> inputs);

struct ExecuteReply {
  uint64_t id = 0;
  // kPass: it ran, `outputs` are there, and nobody has compared them yet.
  // kCompiled: nothing ran, as the mode asks. kError and kUnsupported carry `detail`. A worker
  // cannot send the others.
  archive::OutcomeKind outcome = archive::OutcomeKind::kPass;
  archive::Stage stage = archive::Stage::kRun;  // The last stage that was reached.
  std::string detail;
  std::vector<golden::Tensor> outputs;
  double loadSeconds = 0, compileSeconds = 0, runSeconds = 0;
  // Where it was asked for, ran, and the worker can.
  std::optional<archive::Measurement> measured;
};

// As a header describes an array, and the array again, whose elements are a payload.
nlohmann::json arrayJson(const golden::Tensor& tensor);
Result<golden::Tensor> arrayOfJson(const nlohmann::json& description,
                                   std::span<const std::byte> payload);

// Each message as its frame. Large arrays and artifacts are not copied: see FrameWriter.
void encode(const HelloMessage& hello, FrameWriter& to);
void encode(const ExecuteRequest& request, FrameWriter& to);
void encode(const ExecuteReply& reply, FrameWriter& to);
void encode(const DescribeRequest& request, FrameWriter& to);
void encode(const archive::RuntimeDescription& description, FrameWriter& to);

// "hello", "execute", "describe", "reply", "description"; empty where the header says nothing.
std::string messageType(const Frame& frame);
Result<HelloMessage> helloFromFrame(Frame frame);
Result<ExecuteRequest> requestFromFrame(Frame frame);
Result<ExecuteReply> replyFromFrame(Frame frame);
Result<archive::RuntimeDescription> descriptionFromFrame(Frame frame);

}  // namespace vintage::harness
