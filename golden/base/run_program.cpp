#include "golden/base/run_program.h"

namespace vintage::golden::base {

Result<FinishedProgram> runProgram(const std::vector<std::string>& command, ProcessHost& host,
                                   const std::function<void(std::string_view)>& line) {
  ASSIGN_OR_RETURN(auto process, host.start({command, 0}));
  FinishedProgram finished;
  size_t reported = 0;
  for (;;) {
    const std::vector<std::byte> bytes = process->read();
    finished.out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    for (size_t end; line && (end = finished.out.find('\n', reported)) != std::string::npos;
         reported = end + 1)
      line(std::string_view(finished.out).substr(reported, end - reported));
    if (const auto end = process->end(); end && process->outputEnded()) {
      finished.status = end->signalled ? 128 + end->code : end->code;
      finished.errorTail = process->errorTail();
      return finished;
    }
    const ProcessHost::Interest interest{process.get(), false};
    host.wait({&interest, 1}, host.now() + std::chrono::milliseconds(200));
  }
}

}  // namespace vintage::golden::base
