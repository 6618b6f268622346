#include "archive/records/measurement.h"

#include <algorithm>

#include "archive/records/json_fields.h"

namespace vintage::archive {
namespace {

constexpr auto kRequestFields = [](auto& fields, auto& request) {
  fields.required("repetitions", request.repetitions);
  fields.required("seconds", request.seconds);
};
constexpr auto kCheckRequest = [](JsonFieldReader& fields, const MeasureRequest& request) {
  if (request.repetitions < 1) fields.fail("repetitions", "at least 1");
  if (request.seconds < 0) fields.fail("seconds", "not negative");
};

constexpr auto kDurationFields = [](auto& fields, auto& duration) {
  fields.required("wall", duration.wall);
  fields.required("processor", duration.processor);
};

constexpr auto kCompilerFields = [](auto& fields, auto& memory) {
  fields.required("temporaries", memory.temporaries);
  fields.required("code", memory.code);
  fields.required("arguments", memory.arguments);
  fields.required("outputs", memory.outputs);
};

constexpr auto kFields = [](auto& fields, auto& measurement) {
  fields.object("load", measurement.load, kDurationFields);
  fields.object("compile", measurement.compile, kDurationFields);
  fields.object("first_run", measurement.firstRun, kDurationFields);
  fields.list("runs", measurement.runs, kDurationFields);
  fields.optional("process_growth", measurement.processGrowth);
  fields.object("compiler", measurement.compiler, kCompilerFields);
};
constexpr auto kCheck = [](JsonFieldReader& fields, const Measurement& measurement) {
  if (measurement.runs.empty()) fields.fail("runs", "at least one run was measured");
};

}  // namespace

Duration& Duration::operator+=(const Duration& other) {
  wall += other.wall;
  processor += other.processor;
  return *this;
}

Measurement& Measurement::operator+=(const Measurement& other) {
  load += other.load;
  compile += other.compile;
  firstRun += other.firstRun;
  runs.resize(std::min(runs.size(), other.runs.size()));
  for (size_t i = 0; i < runs.size(); ++i) runs[i] += other.runs[i];
  if (other.processGrowth)
    processGrowth = std::max(processGrowth.value_or(0), *other.processGrowth);
  if (!other.compiler || (compiler && compiler->atOnce() >= other.compiler->atOnce())) return *this;
  compiler = other.compiler;
  return *this;
}

nlohmann::json toJson(const MeasureRequest& request) {
  return JsonFieldWriter::write(request, kRequestFields);
}
Result<MeasureRequest> measureRequestOfJson(const nlohmann::json& json, std::string_view name) {
  return readFields<MeasureRequest>(json, name, kRequestFields, kCheckRequest);
}
nlohmann::json toJson(const Measurement& measurement) {
  return JsonFieldWriter::write(measurement, kFields);
}
Result<Measurement> measurementOfJson(const nlohmann::json& json, std::string_view name) {
  // A newer worker may say more of itself: what is not known here is passed over.
  Status status;
  Measurement measurement;
  JsonObject object(json, "", status);
  JsonFieldReader fields(object, status);
  kFields(fields, measurement);
  kCheck(fields, measurement);
  if (!status) return within(std::string(name), status.error());
  return measurement;
}

}  // namespace vintage::archive
