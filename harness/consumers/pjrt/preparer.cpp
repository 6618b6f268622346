#include "harness/consumers/pjrt/preparer.h"

#include "golden/base/failures.h"

namespace vintage::harness::consumers::pjrt {
namespace {

// The parent ends a worker that is silent for too long; this only keeps a wait finite.
constexpr std::chrono::hours kPatience{1};

}  // namespace

Preparer::Preparer(std::vector<std::string> command)
    : command_(std::move(command)), host_(makePosixProcessHost()) {}

tl::unexpected<Error> Preparer::ended() {
  const auto end = process_->end();
  std::string said = process_->errorTail();
  while (said.ends_with('\n')) said.pop_back();
  process_.reset();
  return ioError("the program that prepares artifacts {}{}{}",
                 end ? end->describe() : "does not answer", said.empty() ? "" : ": ", said);
}

Result<Frame> Preparer::ask(Frame frame) {
  if (!process_) {
    ProcessOptions options;
    options.command = command_;
    ASSIGN_OR_RETURN(process_, host_->start(options));
    reader_ = FrameReader();
  }
  const std::vector<std::byte> bytes = encodeFrame(std::move(frame));
  std::span<const std::byte> rest(bytes);
  for (;;) {
    if (!rest.empty()) rest = rest.subspan(process_->write(rest));
    reader_.append(process_->read());
    auto answer = reader_.next();
    if (!answer) {
      process_.reset();
      return within("the program that prepares artifacts", answer.error());
    }
    if (*answer) return std::move(**answer);
    if (process_->outputEnded()) {
      const ProcessHost::Interest interest{process_.get(), false};
      while (!process_->end()) host_->wait({&interest, 1}, host_->now() + kPatience);
      return ended();
    }
    const ProcessHost::Interest interest{process_.get(), !rest.empty()};
    host_->wait({&interest, 1}, host_->now() + kPatience);
  }
}

Result<PreparationAnswer> Preparer::prepare(const ExecuteRequest& request) {
  ASSIGN_OR_RETURN(auto frame, ask(toFrame(request)));
  auto answer = answerFromFrame(frame);
  if (!answer) {
    process_.reset();
    return within("the program that prepares artifacts", answer.error());
  }
  return answer;
}

}  // namespace vintage::harness::consumers::pjrt
