#include "harness/runtimes/message.h"

#include <limits>
#include <optional>

#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

using nlohmann::json;

constexpr size_t kLargestRank = 64;

Result<ArtifactRecord::Format> parseFormat(std::string_view name) {
  using Format = ArtifactRecord::Format;
  for (Format format : {Format::kExported, Format::kPortableArtifact, Format::kSavedModel})
    if (formatName(format) == name) return format;
  return badInput("'{}' is not a format of an artifact", name);
}

// Reads fields of a header and keeps the first thing that is wrong with them.
class FieldReader {
 public:
  FieldReader(const json& header, const char* message) : header_(header), message_(message) {}

  std::string text(const char* field, bool required = true) {
    const json* value = find(field, required);
    if (value && value->is_string()) return value->get<std::string>();
    if (value) wrong(field, "a string", *value);
    return {};
  }
  int64_t integer(const char* field, bool required = true) {
    const json* value = find(field, required);
    if (value && value->is_number_integer()) return value->get<int64_t>();
    if (value) wrong(field, "an integer", *value);
    return 0;
  }
  int smallInteger(const char* field) {
    const int64_t value = integer(field, false);
    if (value >= 0 && value <= std::numeric_limits<int>::max()) return static_cast<int>(value);
    wrong(field, "an integer that is not negative", header_[field]);
    return 0;
  }
  double seconds(const char* field) {
    const json* value = find(field, false);
    if (!value) return 0;
    if (value->is_number()) return value->get<double>();
    wrong(field, "a number", *value);
    return 0;
  }
  std::vector<std::string> texts(const char* field) {
    std::vector<std::string> result;
    const json* value = find(field, false);
    if (!value) return result;
    if (!value->is_array()) wrong(field, "a list of strings", *value);
    for (const json& element : *value) {
      if (!element.is_string()) {
        wrong(field, "a list of strings", *value);
        return {};
      }
      result.push_back(element.get<std::string>());
    }
    return result;
  }
  template <typename T>
  T parsed(const char* field, Result<T> value) {
    if (value) return *value;
    fail(fmt::format("the field \"{}\": {}", field, value.error().message));
    return T{};
  }
  void fail(const std::string& what) {
    if (!error_)
      error_ = Error{Error::Kind::kBadInput, fmt::format("the message \"{}\": {}", message_, what)};
  }
  template <typename T>
  Result<T> finish(T value) {
    if (error_) return tl::unexpected<Error>(*error_);
    return value;
  }
  const json* find(const char* field, bool required) {
    const auto found = header_.find(field);
    if (found != header_.end()) return &*found;
    if (required) fail(fmt::format("the field \"{}\" is missing", field));
    return nullptr;
  }

 private:
  void wrong(const char* field, const char* wanted, const json& found) {
    fail(fmt::format("the field \"{}\" must be {}, found {}", field, wanted,
                     found.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 80)));
  }

  const json& header_;
  const char* message_;
  std::optional<Error> error_;
};

Result<Tensor> readTensor(const json& description, std::span<const std::byte> payload) {
  const auto dtype = description.is_object() ? description.find("dtype") : description.end();
  const auto shape = description.is_object() ? description.find("shape") : description.end();
  if (!description.is_object() || dtype == description.end() || shape == description.end() ||
      !dtype->is_string() || !shape->is_array() || shape->size() > kLargestRank)
    return failure(Error::Kind::kBadInput,
                   "write an array as {\"dtype\": \"f32\", \"shape\": [2, 3]}");
  const auto type = parseStablehloName(dtype->get<std::string>());
  if (!type)
    return badInput("'{}' is not an element type; write StableHLO's name, such as f32",
                    dtype->get<std::string>());
  Shape dimensions;
  for (const json& dimension : *shape) {
    if (!dimension.is_number_integer() || dimension.get<int64_t>() < 0)
      return badInput("a dimension must be an integer of at least 0");
    dimensions.push_back(dimension.get<int64_t>());
  }
  return Tensor::fromBytes(*type, std::move(dimensions), payload);
}

// Each payload goes as its array comes.
std::vector<Tensor> readTensors(FieldReader& reader, const char* field, Frame& frame,
                                size_t firstPayload) {
  std::vector<Tensor> tensors;
  const json* list = reader.find(field, true);
  if (!list) return tensors;
  if (!list->is_array() || list->size() + firstPayload != frame.payloads.size()) {
    reader.fail(fmt::format("\"{}\" must list one array for each of the {} payloads", field,
                            frame.payloads.size() - firstPayload));
    return tensors;
  }
  for (size_t i = 0; i < list->size(); ++i) {
    auto tensor = readTensor((*list)[i], frame.payloads[firstPayload + i]);
    if (!tensor) {
      reader.fail(fmt::format("{}[{}]: {}", field, i, tensor.error().message));
      return {};
    }
    tensors.push_back(std::move(*tensor));
    frame.payloads[firstPayload + i] = {};
  }
  return tensors;
}

}  // namespace

std::string messageType(const Frame& frame) {
  const auto type = frame.header.find("type");
  return type != frame.header.end() && type->is_string() ? type->get<std::string>() : "";
}

nlohmann::json buildFacts(const BuildRecord& build) {
  return {{"name", build.name},
          {"version", build.version},
          {"build_date", formatDate(build.buildDate)},
          {"platforms", build.platforms},
          {"modes", build.modes},
          {"oldest_calling_convention", build.oldestCallingConvention},
          {"newest_calling_convention", build.newestCallingConvention},
          {"newest_serialization", build.newestSerialization},
          {"stablehlo_version", build.stablehloVersion},
          {"custom_call_targets", build.customCallTargets}};
}

void encode(const HelloMessage& hello, FrameWriter& to) {
  nlohmann::json header = buildFacts(hello.build);
  header["type"] = "hello";
  header["protocol"] = hello.protocolVersion;
  header["requests"] = hello.requests;
  header["requests_held"] = hello.requestsHeld;
  if (!hello.build.details.formats.empty()) header["formats"] = hello.build.details.formats;
  to.add(std::move(header));
}

Result<HelloMessage> helloFromFrame(const Frame& frame) {
  FieldReader reader(frame.header, "hello");
  if (messageType(frame) != "hello") reader.fail("it is not a hello");
  HelloMessage hello;
  hello.protocolVersion = reader.smallInteger("protocol");
  if (hello.protocolVersion != kWorkerProtocolVersion)
    reader.fail(fmt::format("it speaks protocol version {}; this program speaks {}",
                            hello.protocolVersion, kWorkerProtocolVersion));
  BuildRecord& build = hello.build;
  build.name = reader.text("name");
  build.version = reader.text("version", false);
  build.buildDate = reader.parsed("build_date", parseDate(reader.text("build_date")));
  build.platforms = reader.texts("platforms");
  build.modes = reader.texts("modes");
  build.oldestCallingConvention = reader.smallInteger("oldest_calling_convention");
  build.newestCallingConvention = reader.smallInteger("newest_calling_convention");
  build.newestSerialization = reader.smallInteger("newest_serialization");
  build.stablehloVersion = reader.text("stablehlo_version", false);
  build.customCallTargets = reader.texts("custom_call_targets");
  if (reader.find("requests", false)) hello.requests = reader.texts("requests");
  build.details.formats = reader.texts("formats");
  if (reader.find("requests_held", false))
    hello.requestsHeld = reader.smallInteger("requests_held");
  return reader.finish(std::move(hello));
}

ExecuteRequest requestOf(const ArtifactRecord& record, std::string platform, std::string mode,
                         std::vector<std::byte> artifact, std::vector<Tensor> inputs) {
  return {.name = record.name,
          .format = record.format,
          .platform = std::move(platform),
          .platforms = record.platforms,
          .mode = std::move(mode),
          .artifact = std::move(artifact),
          .inputs = std::move(inputs)};
}

Result<ExecuteRequest> requestFromFrame(Frame frame) {
  FieldReader reader(frame.header, "execute");
  if (messageType(frame) != "execute") reader.fail("it is not an execute");
  ExecuteRequest request;
  request.id = static_cast<uint64_t>(reader.integer("id"));
  request.name = reader.text("name", false);
  request.format = reader.parsed("format", parseFormat(reader.text("format")));
  request.platform = reader.text("platform");
  request.platforms = reader.texts("platforms");
  request.mode = reader.text("mode");
  if (frame.payloads.empty())
    reader.fail("the first payload must be the artifact");
  else
    request.inputs = readTensors(reader, "inputs", frame, 1);
  auto result = reader.finish(std::move(request));
  if (result) result->artifact = std::move(frame.payloads.front());
  return result;
}

Result<ExecuteReply> replyFromFrame(Frame frame) {
  FieldReader reader(frame.header, "reply");
  if (messageType(frame) != "reply") reader.fail("it is not a reply");
  ExecuteReply reply;
  reply.id = static_cast<uint64_t>(reader.integer("id"));
  const std::string outcome = reader.text("outcome");
  if (outcome == "ran")
    reply.outcome = OutcomeKind::kPass;
  else if (outcome == "compiled")
    reply.outcome = OutcomeKind::kCompiled;
  else if (outcome == "error")
    reply.outcome = OutcomeKind::kError;
  else if (outcome == "unsupported")
    reply.outcome = OutcomeKind::kUnsupported;
  else
    reader.fail(
        fmt::format("'{}' is not an outcome; ran, compiled, error and unsupported are", outcome));
  reply.stage = reader.parsed("stage", parseStage(reader.text("stage")));
  reply.detail = reader.text("detail", false);
  reply.outputs = readTensors(reader, "outputs", frame, 0);
  if (reply.outcome == OutcomeKind::kCompiled && !reply.outputs.empty())
    reader.fail("it has outputs, and its outcome says that nothing ran");
  reply.loadSeconds = reader.seconds("load_seconds");
  reply.compileSeconds = reader.seconds("compile_seconds");
  reply.runSeconds = reader.seconds("run_seconds");
  return reader.finish(std::move(reply));
}

void encode(const DescribeRequest&, FrameWriter& to) { to.add({{"type", "describe"}}); }

void encode(const RuntimeDescription& description, FrameWriter& to) {
  to.add({{"type", "description"}, {"runtime", toJson(description)}});
}

Result<RuntimeDescription> descriptionFromFrame(const Frame& frame) {
  FieldReader reader(frame.header, "description");
  if (messageType(frame) != "description") reader.fail("it is not a description");
  const json* runtime = reader.find("runtime", true);
  ASSIGN_OR_RETURN(runtime, reader.finish(std::move(runtime)));
  return runtimeOfJson(*runtime, "the field \"runtime\"");
}

}  // namespace vintage::harness
