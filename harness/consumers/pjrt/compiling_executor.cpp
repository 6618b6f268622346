#include "harness/consumers/pjrt/compiling_executor.h"

#include <fmt/format.h>

#include "archive/store/records.h"
#include "harness/consumers/pjrt/answering.h"

namespace vintage::harness::consumers::pjrt {
namespace {

std::string text(const CompiledSize& size, double seconds) {
  std::string text = fmt::format("compiled in {:.3f} s", seconds);
  for (const auto& [what, bytes] : {std::pair{"code", size.code},
                                    {"arguments", size.arguments},
                                    {"outputs", size.outputs},
                                    {"temporaries", size.temporaries}})
    if (bytes >= 0) text += fmt::format(", {} bytes of {}", bytes, what);
  return text;
}

}  // namespace

ExecuteReply CompilingExecutor::execute(const ExecuteRequest& request) {
  return answer(request, kCompileOnly, preparer_,
                [&](const PreparedProgram& program, ExecuteReply& reply) -> Status {
                  Lap lap;
                  reply.stage = Stage::kCompile;
                  auto size = topology_.compile(program.module, program.devices, program.shardy);
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
                });
}

}  // namespace vintage::harness::consumers::pjrt
