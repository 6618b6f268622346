// The records of one build date in a bucket. Its objects are only added, so that of
// several records of one artifact the fuller one counts.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "archive/store/records.h"
#include "archive/transfer/room.h"

namespace vintage::archive::transfer {

class BucketDay {
 public:
  void add(ArtifactRecord record);
  // What the records of its name and producer say otherwise; empty: nothing.
  std::string contradiction(const ArtifactRecord& record) const;

  // By (name, producer). Several of one only where writers at the same time
  // contradicted each other, or each knew what the other did not.
  using Records = std::multimap<std::pair<std::string, std::string>, ArtifactRecord>;
  const Records& records() const { return records_; }

 private:
  Records records_;
};

}  // namespace vintage::archive::transfer
