// Records: artifacts, builds, runs with their limitations, outcomes. Lists are
// streams of JSON lines with an end, puts take lines.
#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "archive/integrity/travelling_list.h"
#include "archive/retention/retention.h"
#include "archive/service/application.h"
#include "archive/service/exchange.h"
#include "archive/service/keeping.h"
#include "archive/service/request_values.h"
#include "archive/store/batch_put.h"
#include "archive/store/record_json.h"

namespace vintage::archive {
namespace {

using nlohmann::json;

// One line for each call of `add`; the stream ends with its count, or with what
// went wrong.
class Lines {
 public:
  explicit Lines(const BodyWriter& write) : writer_(write) {}
  Status add(const json& record) {
    ++count_;
    return write(record);
  }
  Status end(const Status& status) {
    if (!status) {
      (void)write({{"error", problemJson(status.error())}});
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
  response.stream = [&application = call.application, produce](const BodyWriter& write) -> Status {
    Lines lines(write);
    auto archive = application.archives.borrow();
    if (!archive) return lines.end(tl::unexpected(archive.error()));
    return lines.end(produce(**archive, lines));
  };
  return response;
}

// All records that `read` gives.
template <typename Read>
Response streamAll(const Call& call, const Read& read) {
  return streamLines(call, [read](Archive& archive, Lines& lines) -> Status {
    ASSIGN_OR_RETURN(const auto records, std::invoke(read, archive));
    for (const auto& record : records) RETURN_IF_ERROR(lines.add(recordJson(record)));
    return {};
  });
}

// Those that `visit` finds by a filter.
template <typename Visit, typename Filter>
Response streamSelected(const Call& call, const Visit& visit, const Filter& filter) {
  return streamLines(call, [visit, filter](Archive& archive, Lines& lines) {
    Status written;
    const Status listed = std::invoke(visit, archive, filter, [&](const auto& record) {
      written = lines.add(recordJson(record));
      return written.has_value();
    });
    return listed ? written : listed;
  });
}

// Reads every line with `parse`, or refuses the request naming the line.
template <typename Record>
Answer<std::vector<Record>> readLines(const Call& call, Result<Record> (*parse)(const json&)) {
  ASSIGN_OR_RETURN(const auto lines,
                   jsonLines(call.request, call.application.options.limits.records));
  std::vector<Record> records;
  for (size_t index = 0; index < lines.size(); ++index) {
    auto record = parse(lines[index]);
    if (!record)
      return invalid(fmt::format("record {}: {}", index + 1, record.error().message),
                     "correct the record; nothing of the request was kept");
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

std::optional<Problem> problemOfStatus(const Status& status) {
  if (status) return std::nullopt;
  return status.error();
}

// Reads every line with `parse`, and keeps each record with `put`, which gives its refusal.
template <typename Record, typename Put>
OptionalResponse putEach(const Call& call, Result<Record> (*parse)(const json&), const Put& put) {
  ASSIGN_OR_RETURN(const auto records, readLines<Record>(call, parse));
  ASSIGN_OR_RETURN(auto archive, borrowAs(call));
  std::vector<std::optional<Problem>> refusals;
  for (const Record& record : records) refusals.push_back(put(*archive, record));
  return respondResults(refusals, {});
}

}  // namespace

OptionalResponse listArtifacts(const Call& call) {
  ASSIGN_OR_RETURN(const auto filter, artifactFilterOf(call.request));
  return streamSelected(call, &Archive::forEach, filter);
}

OptionalResponse showArtifact(const Call& call) {
  ASSIGN_OR_RETURN(const auto id, contentId(call.request.pathValue("id")));
  ASSIGN_OR_RETURN(auto archive, call.application.archives.borrow());
  ArtifactFilter filter;
  filter.ids = {id};
  ASSIGN_OR_RETURN(const auto records, archive->list(filter));
  if (records.empty())
    return notFound(fmt::format("no artifact {} is kept", id),
                    "look at what is kept with GET /v1/artifacts");
  json artifacts = json::array();
  for (const ArtifactRecord& record : records) artifacts.push_back(recordJson(record));
  return respondJson(200, {{"artifacts", artifacts}});
}

OptionalResponse registerArtifacts(const Call& call) {
  ASSIGN_OR_RETURN(const auto records, readLines<ArtifactRecord>(call, artifactOfJson));
  ASSIGN_OR_RETURN(auto archive, borrowAs(call));
  ContentBatch batch;
  batch.records = records;
  batch.endsLeasesOf = kImplicitHolder;
  const auto kept = putBatch(*archive, batch);
  std::vector<std::optional<Problem>> refusals(records.size());
  std::vector<std::string> ids;
  for (size_t index = 0; index < records.size(); ++index) {
    ids.push_back(records[index].id);
    // A problem of the archive itself (a full disk, a lock) refuses all of them.
    if (!kept)
      refusals[index] = kept.error();
    else if (kept->refusals[index])
      refusals[index] = refusal(*archive, records[index], *kept->refusals[index]);
  }
  return respondResults(refusals, ids);
}

OptionalResponse listBuilds(const Call& call) { return streamAll(call, &Archive::builds); }

OptionalResponse putBuilds(const Call& call) {
  return putEach(call, buildOfClient, [](Archive& archive, const BuildRecord& build) {
    return problemOfStatus(archive.putBuild(build));
  });
}

OptionalResponse listRuns(const Call& call) { return streamAll(call, &Archive::runs); }

OptionalResponse showRun(const Call& call) {
  const std::string& id = call.request.pathValue("run");
  ASSIGN_OR_RETURN(auto archive, call.application.archives.borrow());
  auto run = archive->run(id);
  if (!run && run.error().kind == Error::Kind::kNotFound)
    return notFound(fmt::format("there is no run '{}'", id.substr(0, 80)),
                    "look at the runs with GET /v1/runs");
  if (!run) return tl::unexpected(run.error());
  ASSIGN_OR_RETURN(auto limitations, archive->limitations(id));
  return respondJson(200, recordJson(RunWithLimitations{std::move(*run), std::move(limitations)}));
}

OptionalResponse putRuns(const Call& call) {
  ASSIGN_OR_RETURN(auto runs, readLines<RunWithLimitations>(call, runOfJson));
  ASSIGN_OR_RETURN(auto archive, borrowAs(call));
  std::vector<std::optional<Problem>> refusals;
  std::vector<std::string> ids;
  for (const RunWithLimitations& run : runs) {
    const auto id = archive->putRun(run.run, run.limitations);
    ids.push_back(id ? *id : run.run.id);
    refusals.push_back(id ? std::nullopt : std::optional<Problem>(id.error()));
  }
  return respondResults(refusals, ids);
}

OptionalResponse listOutcomes(const Call& call) {
  ASSIGN_OR_RETURN(const auto filter, outcomeFilterOf(call.request));
  return streamSelected(call, &Archive::forEachOutcome, filter);
}

OptionalResponse putOutcomes(const Call& call) {
  ASSIGN_OR_RETURN(const auto outcomes, readLines<OutcomeRecord>(call, outcomeOfJson));
  ASSIGN_OR_RETURN(auto archive, borrowAs(call));
  RETURN_IF_ERROR(archive->putOutcomes(outcomes));
  return respondResults(std::vector<std::optional<Problem>>(outcomes.size()), {});
}

OptionalResponse listLists(const Call& call) { return streamAll(call, travellingLists); }

OptionalResponse showList(const Call& call) {
  ASSIGN_OR_RETURN(const auto id, contentId(call.request.pathValue("list")));
  ASSIGN_OR_RETURN(auto archive, call.application.archives.borrow());
  ASSIGN_OR_RETURN(const auto lists, travellingLists(*archive));
  const auto found =
      std::ranges::find_if(lists, [&](const TravellingList& list) { return list.list == id; });
  if (found == lists.end())
    return notFound(fmt::format("no signed list {} is kept", id),
                    "look at what is kept with GET /v1/lists");
  return streamLines(call, [list = *found](Archive& archive, Lines& lines) {
    return visitLines(archive, list, [&](const json& line) { return lines.add(line); });
  });
}

OptionalResponse putLists(const Call& call) {
  return putEach(call, travellingListOfJson, [](Archive& archive, const TravellingList& list) {
    const Status put = putTravellingList(archive, list);
    return !put && put.error().kind == Error::Kind::kNotFound
               ? missingContent(archive, list.parts, put.error())
               : problemOfStatus(put);
  });
}

OptionalResponse listHolds(const Call& call) { return streamAll(call, allHolds); }

OptionalResponse putHolds(const Call& call) {
  return putEach(call, holdOfJson, [](Archive& archive, const Hold& hold) {
    return problemOfStatus(putTravellingHold(archive, hold));
  });
}

}  // namespace vintage::archive
