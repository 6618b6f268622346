#include "harness/consumers/pjrt/executor.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <exception>

#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage::harness::consumers::pjrt {
namespace {

// How XLA's plugins for the CPU are given logical devices.
constexpr const char* kDeviceCountOption = "cpu_device_count";
constexpr size_t kWidestCpu = 8;

class Lap {
 public:
  double seconds() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(start_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

void refuse(ExecuteReply& reply, const Error& error) {
  reply.outcome =
      error.kind == Error::Kind::kUnsupported ? OutcomeKind::kUnsupported : OutcomeKind::kError;
  reply.detail = error.message;
  reply.outputs.clear();
}

// One call reads and compiles a program; only the message says which of the two failed.
bool failedToRead(std::string_view message) {
  constexpr std::array kReading = {"deserialize",      "vhlo",         "VHLO",
                                   "bytecode",         "unregistered", "Failed to parse",
                                   "StableHLO version"};
  return std::ranges::any_of(kReading,
                             [&](const char* word) { return message.find(word) != message.npos; });
}

}  // namespace

Result<PluginExecutor> PluginExecutor::make(const Plugin& plugin, std::vector<PluginOption> options,
                                            std::vector<std::string> preparerCommand) {
  ASSIGN_OR_RETURN(auto client, Client::create(plugin, options));
  return PluginExecutor(plugin, std::move(options), std::move(client), std::move(preparerCommand));
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

Status PluginExecutor::executeOne(const PreparedProgram& program, ExecuteReply& reply) {
  Lap lap;
  reply.stage = Stage::kCompile;
  ASSIGN_OR_RETURN(const Client* client, clientFor(program.devices));
  auto loaded = client->compile(program.module, program.devices, program.shardy);
  reply.compileSeconds += lap.seconds();
  if (!loaded) {
    if (failedToRead(loaded.error().message)) reply.stage = Stage::kUpgrade;
    return tl::unexpected(loaded.error());
  }
  reply.stage = Stage::kRun;
  ASSIGN_OR_RETURN(auto values, loaded->run(program.arguments));
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
      ASSIGN_OR_RETURN(auto whole,
                       within(fmt::format("output {}", i), joinOutput(program.outputs[i], pieces)));
      reply.outputs.push_back(std::move(whole));
    }
  }
  reply.runSeconds += lap.seconds();
  return {};
}

ExecuteReply PluginExecutor::execute(const ExecuteRequest& request) {
  ExecuteReply reply;
  reply.id = request.id;
  reply.stage = Stage::kLoad;
  try {
    if (request.mode != "compiled") {
      refuse(reply, {Error::Kind::kUnsupported,
                     fmt::format("mode '{}' is not one of a plugin's; compiled is", request.mode)});
      return reply;
    }
    Lap lap;
    auto answer = preparer_.prepare(request);
    reply.loadSeconds = lap.seconds();
    if (!answer) return refuse(reply, answer.error()), reply;
    if (auto* refused = std::get_if<ExecuteReply>(&*answer)) {
      refused->id = request.id;
      return std::move(*refused);
    }
    const auto& programs = std::get<Preparation>(*answer).programs;
    for (const PreparedProgram& program : programs) {
      const Status status = executeOne(program, reply);
      if (status) continue;
      Error error = status.error();
      if (program.form != kAsArchived) error.message += fmt::format("\nmodule: {}", program.form);
      if (!program.note.empty()) error.message += fmt::format("\nmodule: {}", program.note);
      if (&program != &programs.front()) error.message = "derivative: " + error.message;
      refuse(reply, error);
      break;
    }
  } catch (const std::bad_alloc&) {
    refuse(reply, {Error::Kind::kResource, "out of memory"});
  } catch (const std::exception& exception) {
    refuse(reply, {Error::Kind::kResource, fmt::format("a library threw: {}", exception.what())});
  }
  return reply;
}

}  // namespace vintage::harness::consumers::pjrt
