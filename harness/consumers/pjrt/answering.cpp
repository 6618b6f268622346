#include "harness/consumers/pjrt/answering.h"

#include <algorithm>
#include <array>
#include <exception>

#include <fmt/format.h>

namespace vintage::harness::consumers::pjrt {
namespace {

void refuse(ExecuteReply& reply, const Error& error) {
  reply.outcome =
      error.kind == Error::Kind::kUnsupported ? OutcomeKind::kUnsupported : OutcomeKind::kError;
  reply.detail = error.message;
  reply.outputs.clear();
}

void takeAll(const Preparation& preparation, const TakeProgram& take, ExecuteReply& reply) {
  const auto& programs = preparation.programs;
  for (const PreparedProgram& program : programs) {
    const Status status = take(program, reply);
    if (status) continue;
    Error error = status.error();
    if (program.form != kAsArchived) error.message += fmt::format("\nmodule: {}", program.form);
    if (!program.note.empty()) error.message += fmt::format("\nmodule: {}", program.note);
    if (&program != &programs.front()) error.message = "derivative: " + error.message;
    refuse(reply, error);
    return;
  }
}

}  // namespace

Stage refusedAt(std::string_view message) {
  constexpr std::array kReading = {"deserialize",      "vhlo",         "VHLO",
                                   "bytecode",         "unregistered", "Failed to parse",
                                   "StableHLO version"};
  const bool reads = std::ranges::any_of(
      kReading, [&](const char* word) { return message.find(word) != message.npos; });
  return reads ? Stage::kUpgrade : Stage::kCompile;
}

ExecuteReply answer(const ExecuteRequest& request, std::string_view mode, Preparer& preparer,
                    const TakeProgram& take) {
  ExecuteReply reply;
  reply.id = request.id;
  reply.stage = Stage::kLoad;
  try {
    if (request.mode != mode) {
      refuse(reply, {Error::Kind::kUnsupported,
                     fmt::format("mode '{}' is not this build's; {} is", request.mode, mode)});
      return reply;
    }
    Lap lap;
    auto prepared = preparer.prepare(request);
    reply.loadSeconds = lap.seconds();
    if (!prepared) return refuse(reply, prepared.error()), reply;
    if (auto* refused = std::get_if<ExecuteReply>(&*prepared)) {
      refused->id = request.id;
      return std::move(*refused);
    }
    takeAll(std::get<Preparation>(*prepared), take, reply);
  } catch (const std::bad_alloc&) {
    refuse(reply, {Error::Kind::kResource, "out of memory"});
  } catch (const std::exception& exception) {
    refuse(reply, {Error::Kind::kResource, fmt::format("a library threw: {}", exception.what())});
  }
  return reply;
}

}  // namespace vintage::harness::consumers::pjrt
