#include "harness/consumers/introduction.h"

#include <algorithm>

#include <fmt/format.h>

namespace vintage::harness::consumers {
namespace {

class Listener {
 public:
  Listener(const std::vector<std::string>& command, ProcessHost& host,
           std::chrono::milliseconds timeout)
      : command_(command), host_(host), deadline_(host.now() + timeout), timeout_(timeout) {}

  Result<Introduction> run() {
    ASSIGN_OR_RETURN(auto started, host_.start({command_, 0}));
    process_ = std::move(started);
    auto frame = listen();
    if (!frame) return tl::unexpected<Error>(frame.error());
    Introduction introduction;
    auto hello = helloFromFrame(*frame);
    if (!hello) return refuse("its greeting is wrong: " + hello.error().message);
    introduction.hello = std::move(*hello);
    const auto& requests = introduction.hello.requests;
    if (std::find(requests.begin(), requests.end(), "describe") == requests.end())
      return introduction;
    outgoing_ = encodeFrame(describeRequest());
    frame = listen();
    if (!frame) return tl::unexpected<Error>(frame.error());
    auto description = descriptionFromFrame(*frame);
    if (!description) return refuse("its description is wrong: " + description.error().message);
    introduction.runtime = std::move(description->runtime);
    return introduction;
  }

 private:
  tl::unexpected<Error> refuse(const std::string& what) const {
    std::string words = process_->errorTail();
    while (!words.empty() && (words.back() == '\n' || words.back() == ' ')) words.pop_back();
    return failure(Error::Kind::kIo, fmt::format("{}: {}{}{}", command_.front(), what,
                                                 words.empty() ? "" : "; it wrote last: ", words));
  }

  Result<Frame> listen() {
    for (;;) {
      reader_.append(process_->read());
      auto frame = reader_.next();
      if (!frame) return refuse("it sent bytes that are " + frame.error().message);
      if (*frame) return std::move(**frame);
      if (process_->outputEnded()) {
        for (int look = 0; look < 50 && !process_->end(); ++look)
          host_.wait({}, host_.now() + std::chrono::milliseconds(2));
        const auto end = process_->end();
        return refuse(end ? "it " + end->describe() + " before it said what it is"
                          : "it closed its output before it said what it is");
      }
      if (host_.now() >= deadline_)
        return refuse(fmt::format("it said nothing within {} s",
                                  std::chrono::duration<double>(timeout_).count()));
      const size_t written = process_->write(outgoing_);
      outgoing_.erase(outgoing_.begin(), outgoing_.begin() + static_cast<ptrdiff_t>(written));
      const ProcessHost::Interest interest{process_.get(), !outgoing_.empty()};
      host_.wait({&interest, 1}, deadline_);
    }
  }

  const std::vector<std::string>& command_;
  ProcessHost& host_;
  const ProcessHost::Clock::time_point deadline_;
  const std::chrono::milliseconds timeout_;
  std::unique_ptr<Process> process_;
  FrameReader reader_;
  std::vector<std::byte> outgoing_;
};

}  // namespace

Result<Introduction> introduce(const std::vector<std::string>& command, ProcessHost& host,
                               std::chrono::milliseconds timeout) {
  if (command.empty())
    return failure(Error::Kind::kUsage, "a worker needs a command that starts it");
  return Listener(command, host, timeout).run();
}

}  // namespace vintage::harness::consumers
