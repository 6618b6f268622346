// Any text is a program or an error; a program can be shown, and what is written
// of it reads back.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/program_checks.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  vintage::golden::ProgramContext& context = vintage::tests::fuzz::freshContext();
  const auto program =
      context.parseText(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!program) {
    if (program.error().message.empty()) std::abort();
    return 0;
  }
  vintage::tests::fuzz::checkProgram(context, *program);
  return 0;
}
