// Executes requests in this process: on a plugin's devices, or by its compiler alone.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/base/process_host.h"
#include "golden/base/result.h"
#include "harness/runtimes/conversation.h"
#include "harness/runtimes/message.h"
#include "harness/runtimes/pjrt/client.h"
#include "harness/runtimes/pjrt/prepared.h"
#include "harness/runtimes/pjrt/topology.h"
#include "harness/runtimes/worker_server.h"

namespace vintage::harness {

// Adds what came of one program to the reply; an error is the artifact's.
using TakeProgram =
    std::function<Status(const PreparedProgram& program, Meter& meter, ExecuteReply& reply)>;

// The artifact is made ready by another process, vintage-pjrt-prepare, which reads programs for
// this one; then each of its programs is taken in turn.
class Preparer {
 public:
  // Started when it is first needed, and again after it ended.
  explicit Preparer(std::vector<std::string> command)
      : command_(std::move(command)), host_(makePosixProcessHost()) {}

  // Never fails: what goes wrong is the reply's outcome, with its stage. `mode`: the only one
  // that is answered.
  ExecuteReply answer(ExecuteRequest request, std::string_view mode, const TakeProgram& take);

 private:
  // kIo: it does not start, or ended on this request; the message says how.
  Result<PreparationAnswer> prepare(std::shared_ptr<const ExecuteRequest> request);

  std::vector<std::string> command_;
  std::unique_ptr<ProcessHost> host_;
  std::optional<Conversation> conversation_;
};

// Executes programs on a plugin's devices.
class PluginExecutor {
 public:
  static constexpr const char* kMode = "compiled";

  // The plugin outlives it. `options` are those that the client was made with.
  PluginExecutor(const Plugin& plugin, std::vector<PluginOption> options, Client client)
      : plugin_(plugin), options_(std::move(options)), client_(std::move(client)) {}

  Status execute(const PreparedProgram& program, Meter& meter, ExecuteReply& reply);

 private:
  // One with as many devices, where the plugin can be given them.
  Result<const Client*> clientFor(size_t devices);

  const Plugin& plugin_;
  std::vector<PluginOption> options_;
  Client client_;
  std::optional<Client> wideClient_;
};

// Compiles a program for a topology, and runs nothing: its sizes are the reply's detail.
Status compileOnly(const Topology& topology, const PreparedProgram& program, ExecuteReply& reply);

}  // namespace vintage::harness
