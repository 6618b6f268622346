// The exchange of messages with one worker process.
#pragma once

#include <chrono>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/runtimes/message.h"

namespace vintage::harness {

// After an error the worker cannot be used any more: it was killed, and the message says how it
// failed and what it wrote last.
class Conversation {
 public:
  static Result<Conversation> start(const ProcessOptions& options, ProcessHost& host);

  // Messages leave with write(), each after those before it.
  template <typename Message>
  void send(std::shared_ptr<const Message> message) {
    encode(*message, outgoing_);
    // Large content is written from where the message has it.
    unwritten_.emplace_back(outgoing_.added(), std::move(message));
  }

  // To wait for several workers at once: write() and read() move bytes without waiting, and
  // interest() names the events to wait for.
  void write();
  void read() { reader_.append(process_->read()); }
  ProcessHost::Interest interest() const { return {process_.get(), !outgoing_.empty()}; }
  // A frame among what was read; none where more has to come.
  Result<std::optional<Frame>> next();

  // Waits for one frame.
  Result<Frame> await(std::chrono::milliseconds timeout);
  // Waits for the worker's first message.
  Result<HelloMessage> greeting(std::chrono::milliseconds timeout);

  // Kills the worker. The error says `what`, and what the worker wrote last.
  Error fail(std::string what);

 private:
  Conversation(std::unique_ptr<Process> process, ProcessHost& host)
      : process_(std::move(process)), host_(&host) {}

  std::unique_ptr<Process> process_;
  ProcessHost* host_;
  FrameReader reader_;
  FrameWriter outgoing_;
  std::deque<std::pair<uint64_t, std::shared_ptr<const void>>> unwritten_;  // By where they end.
};

// Which build a command starts, as its worker says, with its description where it can be asked for
// that. Starts `command`, listens, and ends it again; nothing is executed. kIo where it ends, says
// nonsense, or is silent for `timeout`.
Result<archive::BuildRecord> introduce(const std::vector<std::string>& command, ProcessHost& host,
                                       std::chrono::milliseconds timeout = std::chrono::minutes(2));

}  // namespace vintage::harness
