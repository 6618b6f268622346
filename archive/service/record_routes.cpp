// Records: artifacts, builds, runs with their limitations, outcomes. Lists are
// streams of JSON lines with an end, puts take lines.
#include <algorithm>

#include <fmt/format.h>

#include "archive/integrity/travelling_list.h"
#include "archive/retention/travelling_hold.h"
#include "archive/service/application.h"
#include "archive/service/exchange.h"
#include "archive/service/query_parameters.h"
#include "archive/service/record_puts.h"
#include "archive/service/request_json.h"
#include "archive/store/record_json.h"

namespace vintage::archive::service {
namespace {

using nlohmann::json;

// One line for each call of `add`; the stream ends with its count, or with what
// went wrong.
class Lines {
 public:
  explicit Lines(BodyWriter& writer) : writer_(writer) {}
  Status add(const json& record) {
    ++count_;
    return write(record);
  }
  Status end(const Status& status) {
    if (!status) {
      (void)write({{"error", problemJson(problemOf(status.error()))}});
      (void)writer_.flush();
      return status;
    }
    RETURN_IF_ERROR(write({{"end", true}, {"count", count_}}));
    return writer_.flush();
  }

 private:
  Status write(const json& line) {
    writer_.text() += jsonText(line);
    writer_.text() += '\n';
    return writer_.spill();
  }
  GatheredWriter writer_;
  uint64_t count_ = 0;
};

// `produce(archive, lines)` runs while the response is sent.
template <typename Produce>
Response streamLines(const Call& call, Produce produce) {
  Response response;
  response.contentType = std::string(mediaType(BodyForm::kLines));
  response.stream = [&application = call.application, produce](BodyWriter& writer) -> Status {
    Lines lines(writer);
    auto archive = application.archives().borrow();
    if (!archive) return lines.end(tl::unexpected(archive.error()));
    return lines.end(produce(**archive, lines));
  };
  return response;
}

template <typename Records>
Status addAll(Lines& lines, const Records& records) {
  if (!records) return tl::unexpected(records.error());
  for (const auto& record : *records) {
    RETURN_IF_ERROR(lines.add(recordJson(record)));
  }
  return {};
}

// Reads every line with `parse`, or refuses the request naming the line.
template <typename Record>
Answer<std::vector<Record>> readLines(const Call& call,
                                      Result<Record> (*parse)(const json&)) {
  ASSIGN_OR_RETURN(const auto lines, jsonLines(call.request, call.application.limits().records));
  std::vector<Record> records;
  for (size_t index = 0; index < lines.size(); ++index) {
    auto record = parse(lines[index]);
    if (!record)
      return tl::unexpected(invalid(fmt::format("record {}: {}", index + 1, record.error().message),
                                    "correct the record; nothing of the request was kept"));
    records.push_back(std::move(*record));
  }
  return records;
}

// One record answers with its own status, several with a list.
Response respondResults(const std::vector<std::optional<Problem>>& refusals,
                        const std::vector<std::string>& ids) {
  if (refusals.size() == 1 && refusals[0]) return respond(*refusals[0]);
  size_t refused = 0;
  json results = json::array();
  for (size_t index = 0; index < refusals.size(); ++index) {
    json result = {{"status", refusals[index] ? "refused" : "kept"}};
    if (!ids.empty()) result["id"] = ids[index];
    if (refusals[index]) {
      ++refused;
      result["error"] = problemJson(*refusals[index]);
    }
    results.push_back(std::move(result));
  }
  return respondJson(refused == 0 ? 200 : 207, {{"results", results}, {"refused", refused}});
}

}  // namespace

OptionalResponse listArtifacts(const Call& call) {
  const auto filter = artifactFilterOf(call.request);
  if (!filter) return respond(badRequest(filter.error().message, "correct the parameter"));
  // Rejects a wrong filter before the stream begins.
  if (const Status usable = checkFilter(*filter); !usable)
    return respond(badRequest(usable.error().message, "correct the parameter"));
  return streamLines(call, [filter = *filter](Archive& archive, Lines& lines) {
    Status written;
    const Status listed = archive.forEach(filter, [&](const ArtifactRecord& record) {
      written = lines.add(recordJson(record));
      return written.has_value();
    });
    return listed ? written : listed;
  });
}

OptionalResponse showArtifact(const Call& call) {
  const auto id = contentId(call.request.pathValue("id"));
  if (!id) return respond(id.error());
  auto archive = call.application.archives().borrow();
  if (!archive) return respond(problemOf(archive.error()));
  ArtifactFilter filter;
  filter.ids = {*id};
  const auto records = (*archive)->list(filter);
  if (!records) return respond(problemOf(records.error()));
  if (records->empty())
    return respond(notFound(fmt::format("no artifact {} is kept", *id),
                            "look at what is kept with GET /v1/artifacts"));
  json artifacts = json::array();
  for (const ArtifactRecord& record : *records) artifacts.push_back(recordJson(record));
  return respondJson(200, {{"artifacts", artifacts}});
}

OptionalResponse registerArtifacts(const Call& call) {
  const auto records = readLines<ArtifactRecord>(call, artifactOfJson);
  if (!records) return respond(records.error());
  auto archive = borrowAs(call);
  if (!archive) return respond(problemOf(archive.error()));
  const auto refusals = registerEach(**archive, *records);
  std::vector<std::string> ids;
  for (const ArtifactRecord& record : *records) ids.push_back(record.id);
  return respondResults(refusals, ids);
}

OptionalResponse listBuilds(const Call& call) {
  return streamLines(call, [](Archive& archive, Lines& lines) {
    return addAll(lines, archive.builds());
  });
}

OptionalResponse putBuilds(const Call& call) {
  const auto builds = readLines<BuildRecord>(call, buildOfClient);
  if (!builds) return respond(builds.error());
  auto archive = borrowAs(call);
  if (!archive) return respond(problemOf(archive.error()));
  std::vector<std::optional<Problem>> refusals;
  for (const BuildRecord& build : *builds)
    refusals.push_back(problemOfStatus((*archive)->putBuild(build)));
  return respondResults(refusals, {});
}

OptionalResponse listRuns(const Call& call) {
  return streamLines(call, [](Archive& archive, Lines& lines) {
    return addAll(lines, archive.runs());
  });
}

OptionalResponse showRun(const Call& call) {
  const std::string& id = call.request.pathValue("run");
  auto archive = call.application.archives().borrow();
  if (!archive) return respond(problemOf(archive.error()));
  auto run = (*archive)->run(id);
  if (!run && run.error().kind == Error::Kind::kNotFound)
    return respond(notFound(fmt::format("there is no run '{}'", id.substr(0, 80)),
                            "look at the runs with GET /v1/runs"));
  if (!run) return respond(problemOf(run.error()));
  auto limitations = (*archive)->limitations(id);
  if (!limitations) return respond(problemOf(limitations.error()));
  return respondJson(200, recordJson(RunWithLimitations{std::move(*run), std::move(*limitations)}));
}

OptionalResponse putRuns(const Call& call) {
  auto runs = readLines<RunWithLimitations>(call, runOfJson);
  if (!runs) return respond(runs.error());
  auto archive = borrowAs(call);
  if (!archive) return respond(problemOf(archive.error()));
  std::vector<std::optional<Problem>> refusals;
  std::vector<std::string> ids;
  for (const RunWithLimitations& run : *runs) {
    const auto id = (*archive)->putRun(run.run, run.limitations);
    ids.push_back(id ? *id : run.run.id);
    refusals.push_back(id ? std::nullopt : std::optional(problemOf(id.error())));
  }
  return respondResults(refusals, ids);
}

OptionalResponse listOutcomes(const Call& call) {
  const auto filter = outcomeFilterOf(call.request);
  if (!filter) return respond(badRequest(filter.error().message, "correct the parameter"));
  return streamLines(call, [filter = *filter](Archive& archive, Lines& lines) {
    Status written;
    const Status listed = archive.forEachOutcome(filter, [&](const OutcomeRecord& outcome) {
      written = lines.add(recordJson(outcome));
      return written.has_value();
    });
    return listed ? written : listed;
  });
}

OptionalResponse putOutcomes(const Call& call) {
  const auto outcomes = readLines<OutcomeRecord>(call, outcomeOfJson);
  if (!outcomes) return respond(outcomes.error());
  auto archive = borrowAs(call);
  if (!archive) return respond(problemOf(archive.error()));
  if (const Status put = (*archive)->putOutcomes(*outcomes); !put)
    return respond(problemOf(put.error()));
  return respondResults(std::vector<std::optional<Problem>>(outcomes->size()), {});
}

OptionalResponse listLists(const Call& call) {
  return streamLines(
      call, [](Archive& archive, Lines& lines) { return addAll(lines, travellingLists(archive)); });
}

OptionalResponse showList(const Call& call) {
  const auto id = contentId(call.request.pathValue("list"));
  if (!id) return respond(id.error());
  auto archive = call.application.archives().borrow();
  if (!archive) return respond(problemOf(archive.error()));
  const auto lists = travellingLists(**archive);
  if (!lists) return respond(problemOf(lists.error()));
  const auto found =
      std::ranges::find_if(*lists, [&](const TravellingList& list) { return list.list == *id; });
  if (found == lists->end())
    return respond(notFound(fmt::format("no signed list {} is kept", *id),
                            "look at what is kept with GET /v1/lists"));
  return streamLines(call, [list = *found](Archive& archive, Lines& lines) {
    return visitLines(archive, list, [&](const json& line) { return lines.add(line); });
  });
}

OptionalResponse putLists(const Call& call) {
  const auto lists = readLines<TravellingList>(call, travellingListOfJson);
  if (!lists) return respond(lists.error());
  auto archive = borrowAs(call);
  if (!archive) return respond(problemOf(archive.error()));
  std::vector<std::optional<Problem>> refusals(lists->size());
  for (size_t index = 0; index < lists->size(); ++index) {
    const TravellingList& list = (*lists)[index];
    const Status put = putTravellingList(**archive, list);
    if (!put && put.error().kind == Error::Kind::kNotFound)
      refusals[index] = missingContent(**archive, list.parts, put.error());
    else
      refusals[index] = problemOfStatus(put);
  }
  return respondResults(refusals, {});
}

OptionalResponse listHolds(const Call& call) {
  return streamLines(
      call, [](Archive& archive, Lines& lines) { return addAll(lines, travellingHolds(archive)); });
}

OptionalResponse putHolds(const Call& call) {
  const auto holds = readLines<TravellingHold>(call, travellingHoldOfJson);
  if (!holds) return respond(holds.error());
  auto archive = borrowAs(call);
  if (!archive) return respond(problemOf(archive.error()));
  std::vector<std::optional<Problem>> refusals;
  for (const TravellingHold& hold : *holds)
    refusals.push_back(problemOfStatus(putTravellingHold(**archive, hold)));
  return respondResults(refusals, {});
}

}  // namespace vintage::archive::service
