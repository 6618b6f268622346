// encode(): frames of requests and replies without objects of JSON in between.
#include <algorithm>

#include <fmt/format.h>

#include "harness/consumers/message.h"

namespace vintage::harness::consumers {
namespace {

// Writes one JSON object field by field.
class HeaderWriter {
 public:
  HeaderWriter& text(std::string_view field, std::string_view value) {
    begin(field);
    appendText(value);
    return *this;
  }
  HeaderWriter& texts(std::string_view field, const std::vector<std::string>& values) {
    begin(field);
    header_ += '[';
    for (const std::string& value : values) {
      if (header_.back() != '[') header_ += ',';
      appendText(value);
    }
    header_ += ']';
    return *this;
  }
  HeaderWriter& number(std::string_view field, uint64_t value) {
    begin(field);
    fmt::format_to(std::back_inserter(header_), "{}", value);
    return *this;
  }
  HeaderWriter& seconds(std::string_view field, double value) {
    begin(field);
    fmt::format_to(std::back_inserter(header_), "{:.6}", value);
    return *this;
  }
  HeaderWriter& arrays(std::string_view field, const std::vector<Tensor>& tensors) {
    begin(field);
    header_ += '[';
    for (const Tensor& tensor : tensors) {
      if (header_.back() != '[') header_ += ',';
      fmt::format_to(std::back_inserter(header_), R"({{"dtype":"{}","shape":[{}]}})",
                     stablehloName(tensor.type()), fmt::join(tensor.shape(), ","));
    }
    header_ += ']';
    return *this;
  }

  // The frame of this header and the payloads.
  std::vector<std::byte> frame(std::span<const std::span<const std::byte>> payloads) {
    begin("payloads");
    header_ += '[';
    uint64_t payloadBytes = 0;
    for (const auto& payload : payloads) {
      fmt::format_to(std::back_inserter(header_), "{}{}", header_.back() == '[' ? "" : ",",
                     payload.size());
      payloadBytes += payload.size();
    }
    header_ += "]}";
    std::vector<std::byte> bytes;
    bytes.reserve(kFramePrefixBytes + header_.size() + payloadBytes);
    appendFramePrefix(header_.size(), payloadBytes, bytes);
    append(std::as_bytes(std::span(header_)), bytes);
    for (const auto& payload : payloads) append(payload, bytes);
    return bytes;
  }

 private:
  static void append(std::span<const std::byte> more, std::vector<std::byte>& bytes) {
    bytes.insert(bytes.end(), more.begin(), more.end());
  }
  void begin(std::string_view field) {
    if (header_.size() > 1) header_ += ',';
    fmt::format_to(std::back_inserter(header_), "\"{}\":", field);
  }
  void appendText(std::string_view value) {
    const bool isPlain = std::ranges::all_of(value, [](char character) {
      return character >= ' ' && character <= '~' && character != '"' && character != '\\';
    });
    if (isPlain) {
      header_ += '"';
      header_ += value;
      header_ += '"';
    } else {
      header_ +=
          nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
  }

  std::string header_ = "{";
};

std::vector<std::span<const std::byte>> payloadsOf(const std::vector<Tensor>& tensors) {
  std::vector<std::span<const std::byte>> payloads;
  payloads.reserve(tensors.size() + 1);
  for (const Tensor& tensor : tensors) payloads.push_back(tensor.bytes());
  return payloads;
}

}  // namespace

std::vector<std::byte> encode(const ExecuteRequest& request) {
  auto payloads = payloadsOf(request.inputs);
  payloads.insert(payloads.begin(), request.artifact);
  return HeaderWriter()
      .text("type", "execute")
      .number("id", request.id)
      .text("name", request.name)
      .text("format", formatName(request.format))
      .text("platform", request.platform)
      .texts("platforms", request.platforms)
      .text("mode", request.mode)
      .arrays("inputs", request.inputs)
      .frame(payloads);
}

std::vector<std::byte> encode(const ExecuteReply& reply) {
  return HeaderWriter()
      .text("type", "reply")
      .number("id", reply.id)
      .text("outcome", outcomeOf(reply))
      .text("stage", stageName(reply.stage))
      .text("detail", reply.detail)
      .arrays("outputs", reply.outputs)
      .seconds("load_seconds", reply.loadSeconds)
      .seconds("compile_seconds", reply.compileSeconds)
      .seconds("run_seconds", reply.runSeconds)
      .frame(payloadsOf(reply.outputs));
}

}  // namespace vintage::harness::consumers
