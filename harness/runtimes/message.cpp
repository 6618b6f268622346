#include "harness/runtimes/message.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

using nlohmann::json;

constexpr int kProtocolVersion = 1;
constexpr size_t kLargestRank = 64;

// Whether a field that is read may be missing: its value stays as it is then.
enum class Presence { kRequired, kOptional };
constexpr Presence kOptional = Presence::kOptional;

// Nearly all strings are plain; the library writes the others.
std::string textOf(std::string_view value) {
  const bool isPlain = std::ranges::all_of(value, [](char character) {
    return character >= 0x20 && character < 0x7f && character != '"' && character != '\\';
  });
  if (isPlain) return fmt::format("\"{}\"", value);
  return json(value).dump(-1, ' ', false, json::error_handler_t::replace);
}
std::string textOf(const std::vector<std::string>& values) {
  std::string list;
  for (const std::string& value : values) list += (list.empty() ? "" : ",") + textOf(value);
  return fmt::format("[{}]", list);
}
// Seconds are measured, so finite.
template <typename Number>
  requires std::is_arithmetic_v<Number>
std::string textOf(Number value) {
  return fmt::format("{}", value);
}

// The type that the field needs instead; null: it has that type.
template <typename T>
const char* wantedOf(const json& found) {
  const auto isText = [](const json& each) { return each.is_string(); };
  if constexpr (std::is_same_v<T, std::string>)
    return isText(found) ? nullptr : "a string";
  else if constexpr (std::is_same_v<T, double>)
    return found.is_number() ? nullptr : "a number";
  else if constexpr (std::is_same_v<T, uint64_t>)
    return found.is_number_integer() ? nullptr : "an integer";
  else if constexpr (std::is_same_v<T, int>)
    return found.is_number_integer() && found >= 0 && found <= std::numeric_limits<int>::max()
               ? nullptr
               : "an integer that is not negative";
  else
    return found.is_array() && std::ranges::all_of(found, isText) ? nullptr : "a list of strings";
}

// Fields on their way out, into the text of a header: a tree of it would cost more than all else
// that is done for a small artifact. They come in the order of their names, as a tree has them.
class FieldsWriter {
 public:
  explicit FieldsWriter(const char* type) : type_(type) {}

  void content(std::span<const std::byte> bytes) { payloads_.push_back(bytes); }
  void field(const char* name, const auto& value, Presence = {}) { add(name, textOf(value)); }
  void listIfAny(const char* name, const std::vector<std::string>& values) {
    if (!values.empty()) field(name, values);
  }
  void word(const char* name, const auto& value, const auto& nameOf, const auto&) {
    field(name, std::string_view(nameOf(value)));
  }
  // Their bytes become payloads.
  void arrays(const char* name, const std::vector<Tensor>& tensors) {
    std::string list;
    for (const Tensor& tensor : tensors) {
      fmt::format_to(std::back_inserter(list), R"({}{{"dtype":"{}","shape":[{}]}})",
                     list.empty() ? "" : ",", stablehloName(tensor.type()),
                     fmt::join(tensor.shape(), ","));
      content(tensor.bytes());
    }
    add(name, fmt::format("[{}]", list));
  }
  template <typename T, typename Parse>
  void objectIfAny(const char* name, const std::optional<T>& value, const Parse&) {
    if (value) add(name, archive::toJson(*value).dump());
  }
  void payloads() {
    std::vector<size_t> lengths;
    for (const auto bytes : payloads_) lengths.push_back(bytes.size());
    add("payloads", fmt::format("[{}]", fmt::join(lengths, ",")));
  }
  void type() { field("type", std::string_view(type_)); }

  void writeTo(FrameWriter& to) { to.addText(text_ + '}', payloads_); }

 private:
  void add(const char* name, std::string_view value) {
    fmt::format_to(std::back_inserter(text_), R"({}"{}":{})", text_.empty() ? "{" : ",", name,
                   value);
  }

  const char* type_;
  std::string text_;
  std::vector<std::span<const std::byte>> payloads_;
};

// Fields as they arrive; keeps the first thing that is wrong with them. Each payload goes as what
// it holds comes.
class FieldsReader {
 public:
  FieldsReader(Frame& frame, const char* type) : frame_(frame), type_(type) {
    if (messageType(frame) != type) fail("it is not one");
  }

  void content(std::vector<std::byte>& bytes) {
    if (frame_.payloads.empty()) return fail("the first payload must be the artifact");
    bytes = std::move(frame_.payloads[taken_++]);
  }
  template <typename T>
  void field(const char* name, T& value, Presence presence = Presence::kRequired) {
    const json* found = find(name, presence);
    if (!found) return;
    if (const char* wanted = wantedOf<T>(*found))
      return fail(
          fmt::format("the field \"{}\" must be {}, found {}", name, wanted,
                      found->dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 80)));
    value = found->get<T>();
  }
  void listIfAny(const char* name, std::vector<std::string>& values) {
    field(name, values, kOptional);
  }
  void word(const char* name, auto& value, const auto&, const auto& parse) {
    std::string found;
    field(name, found);
    if (auto parsed = parse(found))
      value = *parsed;
    else
      fail(fmt::format("the field \"{}\": {}", name, parsed.error().message));
  }
  void arrays(const char* name, std::vector<Tensor>& tensors) {
    const json* list = find(name, Presence::kRequired);
    if (!list) return;
    if (!list->is_array() || list->size() + taken_ != frame_.payloads.size())
      return fail(fmt::format("\"{}\" must list one array for each of the {} payloads", name,
                              frame_.payloads.size() - taken_));
    for (size_t i = 0; i < list->size(); ++i) {
      auto tensor = arrayOfJson((*list)[i], frame_.payloads[taken_]);
      if (!tensor) return fail(fmt::format("{}[{}]: {}", name, i, tensor.error().message));
      tensors.push_back(std::move(*tensor));
      frame_.payloads[taken_++] = {};
    }
  }
  template <typename T, typename Parse>
  void objectIfAny(const char* name, std::optional<T>& value, const Parse& parse) {
    const json* found = find(name, kOptional);
    if (!found) return;
    auto parsed = parse(*found, fmt::format("the field \"{}\"", name));
    if (parsed)
      value = std::move(*parsed);
    else
      fail(parsed.error().message);
  }
  void payloads() {}
  void type() {}

  const json* find(const char* name, Presence presence) {
    const auto found = frame_.header.find(name);
    if (found != frame_.header.end()) return &*found;
    if (presence == Presence::kRequired) fail(fmt::format("the field \"{}\" is missing", name));
    return nullptr;
  }
  void fail(const std::string& what) {
    if (!error_)
      error_ = Error{Error::Kind::kBadInput, fmt::format("the message \"{}\": {}", type_, what)};
  }
  template <typename T>
  Result<T> finish(T value) {
    if (error_) return tl::unexpected<Error>(*error_);
    return value;
  }

 private:
  Frame& frame_;
  const char* type_;
  size_t taken_ = 0;  // Payloads.
  std::optional<Error> error_;
};

Result<ArtifactRecord::Format> parseFormat(std::string_view name) {
  using Format = ArtifactRecord::Format;
  for (Format format : {Format::kExported, Format::kPortableArtifact, Format::kSavedModel})
    if (formatName(format) == name) return format;
  return badInput("'{}' is not a format of an artifact", name);
}

// A reply that passed ran, and nobody has judged it yet.
std::string replyWord(OutcomeKind outcome) {
  return outcome == OutcomeKind::kPass ? "ran" : std::string(outcomeName(outcome));
}

Result<OutcomeKind> parseReplyWord(std::string_view word) {
  for (OutcomeKind outcome :
       {OutcomeKind::kPass, OutcomeKind::kCompiled, OutcomeKind::kError, OutcomeKind::kUnsupported})
    if (replyWord(outcome) == word) return outcome;
  return badInput("'{}' is not an outcome; ran, compiled, error and unsupported are", word);
}

// The fields of the messages, for both ways.

constexpr auto kHelloFields = [](auto& fields, auto& hello) {
  auto& build = hello.build;
  int protocol = kProtocolVersion;
  fields.word("build_date", build.buildDate, formatDate, parseDate);
  fields.field("custom_call_targets", build.customCallTargets, kOptional);
  fields.listIfAny("formats", build.details.formats);
  fields.field("modes", build.modes, kOptional);
  fields.field("name", build.name);
  fields.field("newest_calling_convention", build.newestCallingConvention, kOptional);
  fields.field("newest_serialization", build.newestSerialization, kOptional);
  fields.field("oldest_calling_convention", build.oldestCallingConvention, kOptional);
  fields.payloads();
  fields.field("platforms", build.platforms, kOptional);
  fields.field("protocol", protocol, kOptional);
  fields.field("requests", hello.requests, kOptional);
  fields.field("requests_held", hello.requestsHeld, kOptional);
  fields.field("stablehlo_version", build.stablehloVersion, kOptional);
  fields.type();
  fields.field("version", build.version, kOptional);
};

constexpr auto kRequestFields = [](auto& fields, auto& request) {
  fields.content(request.artifact);
  fields.word("format", request.format, formatName, parseFormat);
  fields.field("id", request.id);
  fields.arrays("inputs", request.inputs);
  fields.objectIfAny("measure", request.measure, measureRequestOfJson);
  fields.field("mode", request.mode);
  fields.field("name", request.name, kOptional);
  fields.payloads();
  fields.field("platform", request.platform);
  fields.field("platforms", request.platforms, kOptional);
  fields.type();
};

constexpr auto kReplyFields = [](auto& fields, auto& reply) {
  fields.field("compile_seconds", reply.compileSeconds, kOptional);
  fields.field("detail", reply.detail, kOptional);
  fields.field("id", reply.id);
  fields.field("load_seconds", reply.loadSeconds, kOptional);
  fields.objectIfAny("measured", reply.measured, measurementOfJson);
  fields.word("outcome", reply.outcome, replyWord, parseReplyWord);
  fields.arrays("outputs", reply.outputs);
  fields.payloads();
  fields.field("run_seconds", reply.runSeconds, kOptional);
  fields.word("stage", reply.stage, stageName, parseStage);
  fields.type();
};

void write(const char* type, const auto& list, const auto& message, FrameWriter& to) {
  FieldsWriter fields(type);
  list(fields, message);
  fields.writeTo(to);
}

}  // namespace

json arrayJson(const Tensor& tensor) {
  return {{"dtype", std::string(stablehloName(tensor.type()))}, {"shape", tensor.shape()}};
}

Result<Tensor> arrayOfJson(const json& description, std::span<const std::byte> payload) {
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

std::string messageType(const Frame& frame) {
  const auto type = frame.header.find("type");
  return type != frame.header.end() && type->is_string() ? type->get<std::string>() : "";
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

void encode(const HelloMessage& hello, FrameWriter& to) { write("hello", kHelloFields, hello, to); }

void encode(const ExecuteRequest& request, FrameWriter& to) {
  write("execute", kRequestFields, request, to);
}

void encode(const ExecuteReply& reply, FrameWriter& to) { write("reply", kReplyFields, reply, to); }

void encode(const DescribeRequest&, FrameWriter& to) { to.add({{"type", "describe"}}); }

void encode(const RuntimeDescription& description, FrameWriter& to) {
  to.add({{"type", "description"}, {"runtime", toJson(description)}});
}

Result<HelloMessage> helloFromFrame(Frame frame) {
  FieldsReader fields(frame, "hello");
  int protocol = 0;
  fields.field("protocol", protocol, kOptional);
  if (protocol != kProtocolVersion)
    fields.fail(fmt::format("it speaks protocol version {}; this program speaks {}", protocol,
                            kProtocolVersion));
  HelloMessage hello;
  kHelloFields(fields, hello);
  return fields.finish(std::move(hello));
}

Result<ExecuteRequest> requestFromFrame(Frame frame) {
  FieldsReader fields(frame, "execute");
  ExecuteRequest request;
  kRequestFields(fields, request);
  return fields.finish(std::move(request));
}

Result<ExecuteReply> replyFromFrame(Frame frame) {
  FieldsReader fields(frame, "reply");
  ExecuteReply reply;
  kReplyFields(fields, reply);
  if (reply.outcome == OutcomeKind::kCompiled && !reply.outputs.empty())
    fields.fail("it has outputs, and its outcome says that nothing ran");
  return fields.finish(std::move(reply));
}

Result<RuntimeDescription> descriptionFromFrame(Frame frame) {
  FieldsReader fields(frame, "description");
  const json* runtime = fields.find("runtime", Presence::kRequired);
  ASSIGN_OR_RETURN(runtime, fields.finish(std::move(runtime)));
  return runtimeOfJson(*runtime, "the field \"runtime\"");
}

}  // namespace vintage::harness
