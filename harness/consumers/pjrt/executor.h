// What requests are executed by, in this process: a plugin's devices, or its compiler alone.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/consumers/message.h"
#include "harness/consumers/pjrt/client.h"
#include "harness/consumers/pjrt/preparer.h"
#include "harness/consumers/pjrt/room.h"
#include "harness/consumers/pjrt/topology.h"

namespace vintage::harness::consumers::pjrt {

// Executes on a plugin's devices.
class PluginExecutor {
 public:
  // The plugin outlives it. `options` are those that its client is made with.
  static Result<PluginExecutor> make(const Plugin& plugin, std::vector<PluginOption> options,
                                     std::vector<std::string> preparerCommand);

  static constexpr const char* kMode = "compiled";

  const Client& client() const { return client_; }
  // What `note` says after an artifact, if it says anything, becomes part of its detail.
  void noteWith(std::function<std::string()> note) { note_ = std::move(note); }
  // Never fails: what goes wrong is the reply's outcome, with its stage.
  ExecuteReply execute(ExecuteRequest request);

 private:
  PluginExecutor(const Plugin& plugin, std::vector<PluginOption> options, Client client,
                 std::vector<std::string> preparerCommand)
      : plugin_(plugin),
        options_(std::move(options)),
        client_(std::move(client)),
        preparer_(std::move(preparerCommand)) {}
  Status executeOne(const PreparedProgram& program, ExecuteReply& reply);
  // One with as many devices, where the plugin can be given them.
  Result<const Client*> clientFor(size_t devices);

  const Plugin& plugin_;
  std::vector<PluginOption> options_;
  Client client_;
  std::optional<Client> wideClient_;
  Preparer preparer_;
  std::function<std::string()> note_;
};

// Compiles what requests hold for a topology, in this process, and runs nothing.
class CompilingExecutor {
 public:
  CompilingExecutor(Topology topology, std::vector<std::string> preparerCommand)
      : topology_(std::move(topology)), preparer_(std::move(preparerCommand)) {}

  const Topology& topology() const { return topology_; }
  // Never fails: what goes wrong is the reply's outcome. A compiled program's sizes are its
  // detail.
  ExecuteReply execute(ExecuteRequest request);

 private:
  Topology topology_;
  Preparer preparer_;
};

}  // namespace vintage::harness::consumers::pjrt
