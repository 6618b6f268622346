// How a worker measures what an execution costs (docs/speed.md).
#pragma once

#include <functional>
#include <optional>

#include "archive/records/measurement.h"
#include "golden/base/result.h"
#include "harness/runtimes/message.h"

namespace vintage::harness {

// Wall and processor time since it was made, or since the last call.
class Stopwatch {
 public:
  archive::Duration lap();

 private:
  archive::Duration start_ = now();
  static archive::Duration now();
};

// Measures one request, and does nothing where the request does not ask for it. Times of a second
// program of the same request are added to those of the first.
class Meter {
 public:
  // `reply` outlives it; its `measured` is filled in.
  Meter(const ExecuteRequest& request, ExecuteReply& reply);

  // Opens what measuring reads, for a program that gives up the right to open files.
  static void openFiles();

  bool measures() const { return request_.has_value(); }
  void loaded() { part_.load += watch_.lap(); }
  void compiled() { part_.compile += watch_.lap(); }
  void reportMemory(std::optional<archive::CompilerMemory> memory) { part_.compiler = memory; }
  // The time between the parts counts for none of them.
  void pass() { watch_.lap(); }
  // Executes `run`, and where it measures again as often as the request asks. The first error ends
  // it.
  Status run(const std::function<Status()>& run);

 private:
  std::optional<archive::MeasureRequest> request_;
  ExecuteReply& reply_;
  Stopwatch watch_;
  archive::Measurement part_;
  int64_t residentBefore_ = 0;
};

}  // namespace vintage::harness
