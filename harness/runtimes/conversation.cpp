#include "harness/runtimes/conversation.h"

#include <algorithm>

#include <fmt/format.h>

#include "golden/base/failures.h"

namespace vintage::harness {
using namespace archive;

Result<Conversation> Conversation::start(const ProcessOptions& options, ProcessHost& host) {
  ASSIGN_OR_RETURN(auto process, host.start(options));
  return Conversation(std::move(process), host);
}

void Conversation::write() {
  while (!outgoing_.empty()) {
    const size_t count = process_->write(outgoing_.next());
    if (count == 0) break;
    outgoing_.advance(count);
  }
  while (!unwritten_.empty() && unwritten_.front().first <= outgoing_.written())
    unwritten_.pop_front();
}

Result<std::optional<Frame>> Conversation::next() {
  auto frame = reader_.next();
  if (!frame)
    return tl::unexpected(fail("the worker sent bytes that are " + frame.error().message));
  if (*frame || !process_->outputEnded()) return frame;
  // A worker that closed its output and lives on is useless, too.
  for (int look = 0; look < 50 && !process_->end(); ++look)
    host_->wait({}, host_->now() + std::chrono::milliseconds(2));
  const auto end = process_->end();
  return tl::unexpected(
      fail(end ? "the worker " + end->describe() : "the worker closed its output"));
}

Result<Frame> Conversation::await(std::chrono::milliseconds timeout) {
  const auto deadline = host_->now() + timeout;
  for (;;) {
    write();
    read();
    ASSIGN_OR_RETURN(auto frame, next());
    if (frame) return std::move(*frame);
    if (host_->now() >= deadline)
      return tl::unexpected(fail(fmt::format("the worker said nothing within {} s",
                                             std::chrono::duration<double>(timeout).count())));
    const ProcessHost::Interest waiting = interest();
    host_->wait({&waiting, 1}, deadline);
  }
}

Result<HelloMessage> Conversation::greeting(std::chrono::milliseconds timeout) {
  ASSIGN_OR_RETURN(const auto frame, await(timeout));
  auto hello = helloFromFrame(frame);
  if (!hello) return tl::unexpected(fail("its greeting was wrong: " + hello.error().message));
  return hello;
}

Error Conversation::fail(std::string what) {
  constexpr size_t kWordsShown = 2000;
  process_->kill();
  std::string words = process_->errorTail();
  words.erase(0, words.size() - std::min(words.size(), kWordsShown));
  words.erase(words.find_last_not_of(" \n") + 1);
  if (!words.empty()) what += "; it wrote last: " + words;
  return {Error::Kind::kIo, std::move(what)};
}

Result<BuildRecord> introduce(const std::vector<std::string>& command, ProcessHost& host,
                              std::chrono::milliseconds timeout) {
  ASSIGN_OR_RETURN(auto worker, Conversation::start({command, 0}, host));
  ASSIGN_OR_RETURN(auto hello, within(command.front(), worker.greeting(timeout)));
  if (std::ranges::find(hello.requests, "describe") == hello.requests.end()) return hello.build;
  worker.send(std::make_shared<const DescribeRequest>());
  ASSIGN_OR_RETURN(const auto frame, within(command.front(), worker.await(timeout)));
  auto description = descriptionFromFrame(frame);
  if (!description)
    return within(command.front(),
                  worker.fail("its description is wrong: " + description.error().message));
  hello.build.details.runtime = std::move(*description);
  return hello.build;
}

}  // namespace vintage::harness
