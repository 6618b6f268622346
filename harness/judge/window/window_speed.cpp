#include "harness/judge/window/window_speed.h"

#include <map>
#include <numeric>
#include <set>

#include "harness/runtimes/builds/product.h"

namespace vintage::harness {
using namespace archive;

namespace {

// How one consumer follows another, by their indices.
struct Neighbours {
  size_t before, after;
  SpeedPair pair;
};

std::vector<Neighbours> neighboursOf(const std::vector<Consumer>& consumers,
                                     const WantedNeighbours& wanted) {
  std::vector<Neighbours> all;
  std::map<std::string, size_t> last;  // By product.
  for (size_t i = 0; i < consumers.size(); ++i) {
    const Consumer& after = consumers[i];
    if (after.factsOnly) continue;
    const auto [known, isNew] = last.try_emplace(productOf(after.build().name), i);
    if (isNew) continue;
    const Consumer& before = consumers[known->second];
    if (!wanted || wanted(before, after))
      all.push_back({known->second,
                     i,
                     {before.build(),
                      after.build(),
                      before.sameProgram,
                      after.sameProgram,
                      before.problem.empty() ? after.problem : before.problem,
                      {}}});
    known->second = i;
  }
  return all;
}

// One content at a time: on which consumers it passes.
class Collector {
 public:
  Collector(const WindowChoice& choice, std::vector<Neighbours>& neighbours)
      : choice_(choice), neighbours_(neighbours) {}

  void see(const WindowCell& cell) {
    if (cell.number != number_) finish();
    number_ = cell.number;
    if (!cell.outcome || cell.outcome->outcome != OutcomeKind::kPass) return;
    if (cell.records.front()->golden.empty()) return;
    const bool isPromised = std::reduce(cell.promised.begin(), cell.promised.end()) > 0;
    Place& place = places_[{cell.platform, cell.mode}];
    place.passing.insert(cell.consumer);
    if (isPromised || choice_.beyond == Beyond::kAll) place.wanted.insert(cell.consumer);
    if (!record_) record_ = std::make_shared<const ArtifactRecord>(*cell.records.front());
  }
  void finish() {
    for (const auto& [key, place] : places_)
      for (Neighbours& one : neighbours_)
        if (place.passing.contains(one.before) && place.wanted.contains(one.after))
          one.pair.artifacts[key].push_back(record_);
    places_.clear();
    record_.reset();
  }

 private:
  struct Place {
    std::set<size_t> passing, wanted;  // Consumers.
  };
  const WindowChoice& choice_;
  std::vector<Neighbours>& neighbours_;
  std::map<PlaceKey, Place> places_;
  SharedRecord record_;
  int64_t number_ = 0;
};

}  // namespace

Result<std::vector<SpeedPair>> neighbouringBuilds(const Archive& archive,
                                                  const WindowChoice& choice,
                                                  const std::vector<Consumer>& consumers,
                                                  const WantedNeighbours& wanted) {
  std::vector<Neighbours> neighbours = neighboursOf(consumers, wanted);
  std::vector<SpeedPair> pairs;
  if (neighbours.empty()) return pairs;
  Collector collector(choice, neighbours);
  ASSIGN_OR_RETURN(auto walked,
                   survey(archive, choice, consumers, [&](const WindowCell& cell) -> Status {
                     collector.see(cell);
                     return {};
                   }));
  collector.finish();
  for (Neighbours& one : neighbours) pairs.push_back(std::move(one.pair));
  return pairs;
}

}  // namespace vintage::harness
