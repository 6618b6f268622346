// What is checked while a plan runs.
#include <algorithm>

#include <fmt/format.h>

#include "golden/base/failures.h"
#include "harness/engine/process.h"

namespace vintage::harness {
using namespace golden;

namespace {

bool hasType(const Value& value, const ValueType& type) {
  using Kind = ValueType::Kind;
  switch (type.kind) {
    case Kind::kTensor:
      return !value.isToken && !value.isTuple && value.tensor.type() == type.element &&
             agree(value.tensor.shape(), type.shape);
    case Kind::kToken:
      return value.isToken;
    case Kind::kTuple:
      return value.isTuple && std::ranges::equal(value.elements, type.elements, hasType);
    case Kind::kFuture:
      return value.isTuple;
    default:
      return !value.isToken && !value.isTuple;
  }
}

}  // namespace

TimeCheck::TimeCheck(const RunOptions& options) {
  if (const GridProcess* process = GridProcess::current()) stopped_ = process->run().stopped();
  if (!options.timeLimit) return;
  // The sum of absurd limits would overflow; a day is as good as none.
  const auto most = std::chrono::milliseconds(std::chrono::hours(24));
  deadline_ = Clock::now() + std::min(*options.timeLimit, most);
}

std::optional<std::chrono::milliseconds> TimeCheck::left() const {
  if (!deadline_) return std::nullopt;
  return std::max(std::chrono::milliseconds(0),
                  std::chrono::duration_cast<std::chrono::milliseconds>(*deadline_ - Clock::now()));
}

Status TimeCheck::checkBoth() const {
  if (stopped_ != nullptr && *stopped_) return badInput("another process of the run has failed");
  if (!deadline_ || Clock::now() < *deadline_) return {};
  return noResource(
      "the program was stopped at its time limit. Raise the limit, or look for a "
      "loop that does not end");
}

Error at(const Step& step, Error error) {
  if (error.message.find(step.name) == std::string::npos)
    error.message = step.name + ": " + error.message;
  if (!step.location.empty() && error.message.find("\n  at ") == std::string::npos)
    error.message += "\n  at " + step.location;
  return error;
}

std::string describe(const Value& value) {
  if (value.isToken) return "a token";
  if (value.isTuple) return fmt::format("a tuple of {}", value.elements.size());
  return golden::describe(value.tensor);
}

Status checkResults(const Step& step, std::span<const Value> values) {
  if (values.size() != step.results.size())
    return badInput("{} values came out; it has {} results", values.size(), step.results.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const ValueType& type = step.resultTypes[i];
    if (!hasType(values[i], type))
      return badInput("result {} is {}; its type is {}", i, describe(values[i]),
                      type.text.empty() ? golden::describe(type.element, type.shape) : type.text);
  }
  return {};
}

}  // namespace vintage::harness
