#include "harness/runtimes/pjrt/executor.h"

#include <algorithm>
#include <array>

#include "archive/store/records.h"
#include "golden/base/failures.h"

namespace vintage::harness {
using namespace golden;
using namespace archive;

namespace {

// The parent ends a worker that is silent for too long; this only keeps a wait finite.
constexpr std::chrono::hours kPatience{1};

Status takeAll(const Preparation& preparation, const TakeProgram& take, Meter& meter,
               ExecuteReply& reply) {
  for (const PreparedProgram& program : preparation) {
    const Status status = take(program, meter, reply);
    if (status) continue;
    Error error = status.error();
    if (program.form != kAsArchived) error.message += fmt::format("\nmodule: {}", program.form);
    if (!program.note.empty()) error.message += fmt::format("\nmodule: {}", program.note);
    if (&program != &preparation.front()) return within("derivative", error);
    return tl::unexpected(error);
  }
  return {};
}

// The stage at which a compiler refused: one call reads and compiles a program, and only
// the message says which of the two failed.
Stage refusedAt(std::string_view message) {
  constexpr std::array kReading = {"deserialize",      "vhlo",         "VHLO",
                                   "bytecode",         "unregistered", "Failed to parse",
                                   "StableHLO version"};
  const bool reads = std::ranges::any_of(
      kReading, [&](const char* word) { return message.find(word) != message.npos; });
  return reads ? Stage::kUpgrade : Stage::kCompile;
}

// How XLA's plugins for the CPU are given logical devices.
constexpr const char* kDeviceCountOption = "cpu_device_count";
constexpr size_t kWidestCpu = 8;

std::string text(const std::optional<CompilerMemory>& size, double seconds) {
  std::string text = fmt::format("compiled in {:.3f} s", seconds);
  if (!size) return text;
  for (const auto& [what, bytes] : {std::pair{"code", size->code},
                                    {"arguments", size->arguments},
                                    {"outputs", size->outputs},
                                    {"temporaries", size->temporaries}})
    text += fmt::format(", {} bytes of {}", bytes, what);
  return text;
}

}  // namespace

ExecuteReply Preparer::answer(ExecuteRequest request, std::string_view mode,
                              const TakeProgram& take) {
  const auto asked = std::make_shared<const ExecuteRequest>(std::move(request));
  return replyOf(*asked, [&](ExecuteReply& reply) -> Status {
    if (asked->mode != mode)
      return unsupported("mode '{}' is not this build's; {} is", asked->mode, mode);
    Lap lap;
    Meter meter(*asked, reply);
    auto prepared = within("the program that prepares artifacts", prepare(asked));
    reply.loadSeconds = lap.seconds();
    meter.loaded();
    if (!prepared) return tl::unexpected(prepared.error());
    if (auto* refused = std::get_if<ExecuteReply>(&*prepared)) {
      reply = std::move(*refused);
      reply.id = asked->id;
      return {};
    }
    return takeAll(std::get<Preparation>(*prepared), take, meter, reply);
  });
}

Result<PreparationAnswer> Preparer::prepare(std::shared_ptr<const ExecuteRequest> request) {
  if (!conversation_) {
    ProcessOptions options;
    options.command = command_;
    ASSIGN_OR_RETURN(conversation_, Conversation::start(options, *host_));
  }
  conversation_->send(std::move(request));
  auto frame = conversation_->await(kPatience);
  Result<PreparationAnswer> answer =
      frame ? answerFromFrame(std::move(*frame)) : tl::unexpected(std::move(frame.error()));
  if (!answer) conversation_.reset();
  return answer;
}

Result<const Client*> PluginExecutor::clientFor(size_t devices) {
  if (devices <= client_.deviceCount()) return &client_;
  if (!wideClient_ && client_.platform() == "cpu" && devices <= kWidestCpu &&
      std::ranges::find(options_, kDeviceCountOption, &PluginOption::name) == options_.end()) {
    std::vector<PluginOption> options = options_;
    options.push_back({kDeviceCountOption, std::to_string(kWidestCpu)});
    ASSIGN_OR_RETURN(auto client, Client::create(plugin_, options));
    wideClient_.emplace(std::move(client));
  }
  return wideClient_ && wideClient_->deviceCount() >= devices ? &*wideClient_ : &client_;
}

Status PluginExecutor::execute(const PreparedProgram& program, Meter& meter, ExecuteReply& reply) {
  Lap lap;
  meter.pass();
  reply.stage = Stage::kCompile;
  ASSIGN_OR_RETURN(const Client* client, clientFor(program.devices));
  auto loaded = client->compile(program.module, program.devices, program.shardy);
  reply.compileSeconds += lap.seconds();
  meter.compiled();
  if (!loaded) {
    reply.stage = refusedAt(loaded.error().message);
    return tl::unexpected(loaded.error());
  }
  reply.stage = Stage::kRun;
  if (meter.measures()) meter.reportMemory(loaded->memory());
  ASSIGN_OR_RETURN(auto values, loaded->run(program.arguments, meter));
  if (program.outputs.empty()) {
    std::ranges::move(values.front(), std::back_inserter(reply.outputs));
  } else {
    for (size_t i = 0; i < program.outputs.size(); ++i) {
      std::vector<const Tensor*> pieces;
      for (const std::vector<Tensor>& device : values) {
        if (device.size() != program.outputs.size())
          return badInput("{} outputs came out, and the artifact declares {}", device.size(),
                          program.outputs.size());
        pieces.push_back(&device[i]);
      }
      ASSIGN_OR_RETURN(reply.outputs.emplace_back(),
                       within(fmt::format("output {}", i), joinOutput(program.outputs[i], pieces)));
    }
  }
  reply.runSeconds += lap.seconds();
  return {};
}

Status compileOnly(const Topology& topology, const PreparedProgram& program, ExecuteReply& reply) {
  Lap lap;
  reply.stage = Stage::kCompile;
  auto size = topology.compile(program.module, program.devices, program.shardy);
  const double seconds = lap.seconds();
  reply.compileSeconds += seconds;
  if (!size) {
    reply.stage = refusedAt(size.error().message);
    return tl::unexpected(size.error());
  }
  reply.outcome = OutcomeKind::kCompiled;
  if (!reply.detail.empty()) reply.detail += "; derivative: ";
  reply.detail += text(*size, seconds);
  return {};
}

}  // namespace vintage::harness
