// A copy of an archive's index as it is at one moment, while others go on reading and
// writing, and the files beside it that its rows name.
//
// SQLite's online backup copies the pages inside one read transaction. A lease protects
// the files from collection for as long as the copy lives.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "archive/store/archive.h"
#include "golden/base/result.h"

namespace vintage::archive {

// A content that lies in a file, by its row in the copy.
struct FiledContent {
  ContentId id;
  int64_t codec = 0, bytes = 0, storedBytes = 0;
};

class IndexCopy {
 public:
  // `holder` names the lease to people. The copy lies in blobs/incoming, where
  // collection finds it after a crash.
  static Result<IndexCopy> make(Archive& archive, std::string_view holder);

  const std::string& path() const { return state_->path; }
  Result<int64_t> countArtifacts() const;
  // In order of their ids; stops at an error of `visit`, which is returned.
  Status forEachFile(const std::function<Status(const FiledContent&)>& visit) const;
  // As stored, verified against the id. kBadInput where it is damaged or missing.
  Result<std::vector<std::byte>> readFile(const FiledContent& content) const;
  // Callers that take longer than hours call it now and then.
  Status renewLease();

 private:
  IndexCopy() = default;
  struct State {
    Archive& archive;
    std::string path, lease;
    ~State();  // Removes the file and ends the lease.
  };
  std::shared_ptr<State> state_;
};

// A restored index: what held on to contents when it was copied has ended, and the second
// copies of dictionaries, which lie in files, are made again from the index.
Status finishRestoredIndex(Archive& archive);

}  // namespace vintage::archive
