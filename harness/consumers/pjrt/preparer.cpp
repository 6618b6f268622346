#include "harness/consumers/pjrt/preparer.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage::harness::consumers::pjrt {
namespace {

// The parent ends a worker that is silent for too long; this only keeps a wait finite.
constexpr std::chrono::hours kPatience{1};

Status takeAll(const Preparation& preparation, const TakeProgram& take, ExecuteReply& reply) {
  for (const PreparedProgram& program : preparation.programs) {
    const Status status = take(program, reply);
    if (status) continue;
    Error error = status.error();
    if (program.form != kAsArchived) error.message += fmt::format("\nmodule: {}", program.form);
    if (!program.note.empty()) error.message += fmt::format("\nmodule: {}", program.note);
    if (&program != &preparation.programs.front()) return within("derivative", error);
    return tl::unexpected(error);
  }
  return {};
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

ExecuteReply Preparer::answer(ExecuteRequest request, std::string_view mode,
                              const TakeProgram& take) {
  const auto asked = std::make_shared<const ExecuteRequest>(std::move(request));
  return replyOf(*asked, [&](ExecuteReply& reply) -> Status {
    if (asked->mode != mode)
      return unsupported("mode '{}' is not this build's; {} is", asked->mode, mode);
    Lap lap;
    auto prepared = within("the program that prepares artifacts", prepare(asked));
    reply.loadSeconds = lap.seconds();
    if (!prepared) return tl::unexpected(prepared.error());
    if (auto* refused = std::get_if<ExecuteReply>(&*prepared)) {
      reply = std::move(*refused);
      reply.id = asked->id;
      return {};
    }
    return takeAll(std::get<Preparation>(*prepared), take, reply);
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
  Result<PreparationAnswer> answer = frame ? answerFromFrame(std::move(*frame))
                                           : tl::unexpected(std::move(frame.error()));
  if (!answer) conversation_.reset();
  return answer;
}

}  // namespace vintage::harness::consumers::pjrt
