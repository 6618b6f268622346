// The parts of a mirror beside artifacts: signed lists, and runs with their outcomes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "archive/integrity/travelling_list.h"
#include "archive/transfer/mirror.h"

namespace vintage::archive {

// Carries signed lists. A list is checked before anything is copied: a
// source that shows an older state, another history, or a list of a key that does not count is not
// copied from. The destination keeps the list as what the source said, and signs nothing.
class ListMirror {
 public:
  ListMirror(PlaceReader& from, Place* to, const MirrorOptions& options, MirrorSummary& summary)
      : from_(from), to_(to), options_(options), summary_(summary) {}

  // kMismatch where the source is not to be copied from, and why. The lists' parts are put
  // meanwhile, and named by nothing.
  Status check();
  // After the artifacts. `whole`: all of them are there.
  Status send(bool whole);

 private:
  Status checkList(TravellingList list);
  Status stage(const TravellingList& list, ListCheck& check, std::vector<ContentId>& parts);
  Status checkSources() const;
  Status checkPins() const;
  Result<std::string> problemWithKept(const TravellingList& list, const ListCheck& check);
  Result<bool> countsUnderKey(const TravellingList& kept) const;
  const TravellingList* sameKept(const TravellingList& list) const;
  tl::unexpected<Error> refuse(const std::string& problem, const std::string& next) const;

  PlaceReader& from_;
  Place* to_;
  const MirrorOptions& options_;
  MirrorSummary& summary_;
  std::vector<TravellingList> offered_, kept_;  // At the source, at the destination.
  std::vector<TravellingList> accepted_;
  std::vector<std::vector<std::string>> problemsOfPins_;  // One of each accepted list, by pin.
};

inline bool selectsAll(const ArtifactFilter& filter) { return filter == ArtifactFilter(); }

// The artifacts that were selected and that the destination has. Eight bytes
// for each, so that millions of them fit: two of them collide
// once in 2^64, and then the destination refuses an outcome by name.
class PresentArtifacts {
 public:
  void add(const ContentId& id);
  void seal();  // After the last add, before the first question.
  bool contains(const ContentId& id) const;

 private:
  std::vector<uint64_t> beginnings_;
};

Status mirrorResults(PlaceReader& from, Place* to, const MirrorOptions& options,
                     PresentArtifacts present, MirrorSummary& summary);

}  // namespace vintage::archive
