#include "harness/runtimes/message.h"

#include <fstream>
#include <iterator>

#include <gmock/gmock.h>

#include "tests/harness/runtimes/wire.h"

namespace vintage::tests {
using namespace golden;
using namespace archive;
using namespace harness;

namespace {

using testing::HasSubstr;

ExecuteRequest exampleRequest() {
  ExecuteRequest request;
  request.id = 42;
  request.name = "add_f32[3]";
  request.format = ArtifactRecord::Format::kPortableArtifact;
  request.platform = "cuda";
  request.platforms = {"cpu", "cuda"};
  request.mode = "eager";
  request.artifact = {std::byte{1}, std::byte{2}, std::byte{3}};
  Tensor tensor(ElementType::kF32, {3});
  tensor.mutableValues<float>()[1] = 2.5f;
  request.inputs = {tensor, Tensor(ElementType::kBF16, {0, 4}), Tensor(ElementType::kI1, {})};
  return request;
}

TEST(Message, RequestSurvivesTheWire) {
  const ExecuteRequest request = exampleRequest();
  auto read = requestFromFrame(travelled(request));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->id, 42u);
  EXPECT_EQ(read->name, request.name);
  EXPECT_EQ(read->format, request.format);
  EXPECT_EQ(read->platform, "cuda");
  EXPECT_EQ(read->platforms, request.platforms);
  EXPECT_EQ(read->mode, "eager");
  EXPECT_EQ(read->artifact, request.artifact);
  ASSERT_EQ(read->inputs.size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(read->inputs[i].identical(request.inputs[i]));
}

// The JSON of a page, each with payloads of the lengths that it lists.
std::vector<Frame> framesOfPage(const char* path) {
  std::ifstream file(path);
  const std::string page((std::istreambuf_iterator<char>(file)), {});
  const std::string fence = "```json\n";
  std::vector<Frame> frames;
  for (size_t at = page.find(fence); at != page.npos; at = page.find(fence, at)) {
    at += fence.size();
    Frame frame;
    frame.header = nlohmann::json::parse(page.substr(at, page.find("```", at) - at));
    for (const size_t length : frame.header.value("payloads", std::vector<size_t>()))
      frame.payloads.emplace_back(length);
    frames.push_back(std::move(frame));
  }
  return frames;
}

TEST(Message, ThePagesExamplesAreRead) {
  auto frames = framesOfPage(VINTAGE_SOURCE "/docs/reference/worker_protocol.md");
  ASSERT_EQ(frames.size(), 4u);
  auto measured = measurementOfJson(frames[3].header, "measured");
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->processGrowth, 8192);
  auto hello = helloFromFrame(std::move(frames[0]));
  ASSERT_TRUE(hello) << hello.error().message;
  EXPECT_EQ(hello->build.stablehloVersion, "1.22.0");
  auto request = requestFromFrame(std::move(frames[1]));
  ASSERT_TRUE(request) << request.error().message;
  EXPECT_EQ(request->artifact.size(), 1234u);
  EXPECT_EQ(request->measure->repetitions, 20);
  auto reply = replyFromFrame(std::move(frames[2]));
  ASSERT_TRUE(reply) << reply.error().message;
  EXPECT_EQ(reply->runSeconds, 0.001);
}

// The header's text is written field by field: it is what a tree of it would be as text.
TEST(Message, IsWrittenAsItsTree) {
  ExecuteRequest request = exampleRequest();
  request.name = "a \"quoted\" \\ name with \xc3\xa9, \x7f, a tab \t and \xff";
  EXPECT_EQ(wireForm(request), wireForm(travelled(request)));
  const nlohmann::json expected = {
      {"format", "portable artifact"},
      {"id", 42},
      {"inputs",
       {{{"dtype", "f32"}, {"shape", {3}}},
        {{"dtype", "bf16"}, {"shape", {0, 4}}},
        {{"dtype", "i1"}, {"shape", nlohmann::json::array()}}}},
      {"mode", "eager"},
      {"name", "a \"quoted\" \\ name with \xc3\xa9, \x7f, a tab \t and \xef\xbf\xbd"},
      {"payloads", {3, 12, 0, 1}},
      {"platform", "cuda"},
      {"platforms", {"cpu", "cuda"}},
      {"type", "execute"}};
  EXPECT_EQ(travelled(request).header, expected);

  ExecuteReply reply;
  reply.id = 18'446'744'073'709'551'615u;
  reply.detail = "line\nline";
  reply.outputs = exampleRequest().inputs;
  reply.loadSeconds = 1.25e-7;
  reply.compileSeconds = 3;
  reply.runSeconds = 0.1;
  const nlohmann::json expectedReply = {
      {"compile_seconds", 3},    {"detail", "line\nline"}, {"id", 18'446'744'073'709'551'615u},
      {"load_seconds", 1.25e-7}, {"outcome", "ran"},       {"outputs", expected["inputs"]},
      {"payloads", {12, 0, 1}},  {"run_seconds", 0.1},     {"stage", "run"},
      {"type", "reply"}};
  EXPECT_EQ(travelled(reply).header, expectedReply);
  EXPECT_EQ(travelled(ExecuteReply{}).header["load_seconds"], 0);
}

TEST(Message, ReplySurvivesTheWire) {
  ExecuteReply reply;
  reply.id = 7;
  reply.outcome = OutcomeKind::kUnsupported;
  reply.stage = Stage::kCompile;
  reply.detail = "stablehlo.fft is not there";
  reply.outputs = {Tensor(ElementType::kC64, {2, 2})};
  reply.compileSeconds = 0.25;
  auto read = replyFromFrame(travelled(reply));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->outcome, OutcomeKind::kUnsupported);
  EXPECT_EQ(read->stage, Stage::kCompile);
  EXPECT_EQ(read->detail, reply.detail);
  EXPECT_EQ(read->compileSeconds, 0.25);
  ASSERT_EQ(read->outputs.size(), 1u);
  EXPECT_TRUE(read->outputs[0].identical(reply.outputs[0]));
}

TEST(Message, WhatIsMeasuredSurvivesTheWire) {
  ExecuteRequest request = exampleRequest();
  EXPECT_FALSE(requestFromFrame(travelled(request))->measure);
  request.measure = MeasureRequest{.repetitions = 3, .seconds = 0.5};
  const auto asked = requestFromFrame(travelled(request));
  ASSERT_TRUE(asked) << asked.error().message;
  EXPECT_EQ(asked->measure->repetitions, 3);
  EXPECT_EQ(asked->measure->seconds, 0.5);
  ExecuteReply reply;
  EXPECT_FALSE(replyFromFrame(travelled(reply))->measured);
  reply.measured = Measurement{.load = {1, 2},
                               .compile = {3, 4},
                               .firstRun = {5, 6},
                               .runs = {{0.25, 0.125}, {0.5, 0}},
                               .processGrowth = 4096,
                               .compiler = CompilerMemory{1, 2, 3, 4}};
  auto read = replyFromFrame(travelled(reply));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(*read->measured, *reply.measured);
  // A newer worker may measure more; nothing measured is no measurement.
  Frame frame = travelled(reply);
  frame.header["measured"]["energy"] = 12;
  EXPECT_TRUE(replyFromFrame(frame));
  frame.header["measured"]["runs"] = nlohmann::json::array();
  const auto refused = replyFromFrame(frame);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("at least one run was measured"));
}

TEST(Message, AnyTextSurvivesTheWire) {
  for (const char* text : {"", "add_f32[3]", "a \"quoted\" C:\\path", "line\nline\ttab\x01\x7f",
                           "na\xc3\xafve \xe2\x82\xac"}) {
    ExecuteRequest request = exampleRequest();
    request.name = text;
    request.platforms = {"cpu", text};
    const auto read = requestFromFrame(travelled(request));
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->name, text);
    EXPECT_EQ(read->platforms, request.platforms);
    ExecuteReply reply;
    reply.id = UINT64_C(9007199254740993);  // No double holds it.
    reply.outcome = OutcomeKind::kError;
    reply.detail = text;
    const auto answer = replyFromFrame(travelled(reply));
    ASSERT_TRUE(answer) << answer.error().message;
    EXPECT_EQ(answer->id, reply.id);
    EXPECT_EQ(answer->detail, text);
  }
}

// A compiler's message may hold anything; the frame around it must not break.
TEST(Message, TextThatIsNotUtf8IsReplaced) {
  ExecuteReply reply;
  reply.outcome = OutcomeKind::kError;
  reply.detail = "broken \xff utf-8";
  const auto answer = replyFromFrame(travelled(reply));
  ASSERT_TRUE(answer) << answer.error().message;
  EXPECT_EQ(answer->detail, "broken \xef\xbf\xbd utf-8");
}

TEST(Message, AWorkerSaysHowManyRequestsItHolds) {
  HelloMessage hello;
  hello.build.name = "engine";
  hello.requestsHeld = 64;
  const auto read = helloFromFrame(travelled(hello));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->requestsHeld, 64);
  // Workers from before there was a choice say nothing.
  Frame older = travelled(hello);
  older.header.erase("requests_held");
  const auto said = helloFromFrame(travelled(older));
  ASSERT_TRUE(said) << said.error().message;
  EXPECT_EQ(said->requestsHeld, 4);
}

TEST(Message, HelloCarriesTheBuild) {
  HelloMessage hello;
  hello.build.name = "engine 2026-03-04";
  hello.build.version = "0.1.0";
  hello.build.buildDate = *parseDate("2026-03-04");
  hello.build.platforms = {"cpu"};
  hello.build.modes = {"graph", "eager"};
  hello.build.oldestCallingConvention = 4;
  hello.build.newestCallingConvention = 10;
  hello.build.newestSerialization = 12;
  hello.build.stablehloVersion = "1.20.0";
  hello.build.customCallTargets = {"lapack_sgetrf_ffi"};
  hello.build.details.formats = {"exported", "saved model"};
  auto read = helloFromFrame(travelled(hello));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->build.name, hello.build.name);
  EXPECT_EQ(read->build.buildDate, hello.build.buildDate);
  EXPECT_EQ(read->build.modes, hello.build.modes);
  EXPECT_EQ(read->build.newestCallingConvention, 10);
  EXPECT_EQ(read->build.customCallTargets, hello.build.customCallTargets);
  EXPECT_EQ(read->build.details.formats, hello.build.details.formats);
  // A worker needs not to say it.
  EXPECT_FALSE(travelled(HelloMessage{}).header.contains("formats"));
}

TEST(Message, AWorkerOfAnotherProtocolIsRefused) {
  Frame frame = travelled(HelloMessage{});
  frame.header["protocol"] = 2;
  auto read = helloFromFrame(frame);
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message, HasSubstr("protocol version 2; this program speaks 1"));
}

// Each field, taken away or given a wrong type, is named.
TEST(Message, WrongFieldsAreNamed) {
  struct Damage {
    const char* field;
    nlohmann::json value;
  };
  const std::vector<Damage> damages{
      {"id", "seven"},
      {"format", "onnx"},
      {"platform", 3},
      {"mode", nullptr},
      {"platforms", {1, 2}},
      {"inputs", "none"},
      {"inputs", nlohmann::json::array()},
  };
  for (const Damage& damage : damages) {
    Frame frame = travelled(exampleRequest());
    frame.header[damage.field] = damage.value;
    auto read = requestFromFrame(std::move(frame));
    ASSERT_FALSE(read) << damage.field;
    EXPECT_THAT(read.error().message, HasSubstr(std::string("\"") + damage.field + "\""));
  }
  for (const char* field : {"id", "format", "platform", "mode", "inputs"}) {
    Frame frame = travelled(exampleRequest());
    frame.header.erase(field);
    EXPECT_FALSE(requestFromFrame(std::move(frame))) << field;
  }
}

TEST(Message, ArraysAreCheckedAgainstTheirPayloads) {
  const std::vector<nlohmann::json> wrong{
      {{"dtype", "f32"}, {"shape", {4}}},
      {{"dtype", "f32"}, {"shape", {-3}}},
      {{"dtype", "float"}, {"shape", {3}}},
      {{"dtype", "f32"}, {"shape", {int64_t{1} << 62, int64_t{1} << 62}}},
      {{"dtype", "f32"}},
      "f32[3]",
  };
  for (const nlohmann::json& description : wrong) {
    Frame frame = travelled(exampleRequest());
    frame.header["inputs"][0] = description;
    EXPECT_FALSE(requestFromFrame(std::move(frame))) << description.dump();
  }
}

TEST(Message, AWorkerCannotCallItselfPassed) {
  Frame frame = travelled(ExecuteReply{});
  for (const char* outcome : {"pass", "mismatch", "crash", "timeout", ""}) {
    frame.header["outcome"] = outcome;
    EXPECT_FALSE(replyFromFrame(frame)) << outcome;
  }
}

}  // namespace
}  // namespace vintage::tests
