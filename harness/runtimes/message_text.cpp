// The two messages of every artifact, from their fields into the text of a header: a tree of it would
// cost more than all else that is done for a small one. Fields come in the order of their names, as
// a tree has them.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/runtimes/message.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

using PayloadList = std::vector<std::span<const std::byte>>;

// A string of JSON. Nearly all are plain; the library writes the others.
std::string jsonText(std::string_view value) {
  const bool isPlain = std::ranges::all_of(value, [](char character) {
    return character >= 0x20 && character < 0x7f && character != '"' && character != '\\';
  });
  if (isPlain) return fmt::format("\"{}\"", value);
  return nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string textOf(const std::vector<std::string>& values) {
  std::string text = "[";
  for (const std::string& value : values) text += (text.size() > 1 ? "," : "") + jsonText(value);
  return text += ']';
}

// As a header describes them; their bytes become payloads.
std::string textOf(const std::vector<Tensor>& tensors, PayloadList& payloads) {
  std::string text = "[";
  for (const Tensor& tensor : tensors) {
    fmt::format_to(std::back_inserter(text), R"({}{{"dtype":"{}","shape":[{}]}})",
                   text.size() > 1 ? "," : "", stablehloName(tensor.type()),
                   fmt::join(tensor.shape(), ","));
    payloads.push_back(tensor.bytes());
  }
  return text += ']';
}

std::string lengthsOf(const PayloadList& payloads) {
  std::string text = "[";
  for (const auto payload : payloads)
    fmt::format_to(std::back_inserter(text), "{}{}", text.size() > 1 ? "," : "", payload.size());
  return text += ']';
}

// How a reply names its outcome: one that passed ran, and nobody has judged it yet.
std::string outcomeOf(const ExecuteReply& reply) {
  return reply.outcome == OutcomeKind::kPass ? "ran" : outcomeName(reply.outcome);
}

}  // namespace

void encode(const ExecuteRequest& request, FrameWriter& to) {
  PayloadList payloads{request.artifact};
  const std::string inputs = textOf(request.inputs, payloads);
  to.addText(fmt::format(R"({{"format":{},"id":{},"inputs":{},"mode":{},"name":{},"payloads":{},)"
                         R"("platform":{},"platforms":{},"type":"execute"}})",
                         jsonText(formatName(request.format)), request.id, inputs,
                         jsonText(request.mode), jsonText(request.name), lengthsOf(payloads),
                         jsonText(request.platform), textOf(request.platforms)),
             payloads);
}

void encode(const ExecuteReply& reply, FrameWriter& to) {
  PayloadList payloads;
  const std::string outputs = textOf(reply.outputs, payloads);
  // Seconds are measured, so finite.
  to.addText(fmt::format(R"({{"compile_seconds":{},"detail":{},"id":{},"load_seconds":{},)"
                         R"("outcome":{},"outputs":{},"payloads":{},"run_seconds":{},)"
                         R"("stage":{},"type":"reply"}})",
                         reply.compileSeconds, jsonText(reply.detail), reply.id, reply.loadSeconds,
                         jsonText(outcomeOf(reply)), outputs, lengthsOf(payloads), reply.runSeconds,
                         jsonText(stageName(reply.stage))),
             payloads);
}

}  // namespace vintage::harness
