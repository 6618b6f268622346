#include "archive/transfer/service_client.h"

#include <algorithm>

#include "archive/store/frame_stream.h"

namespace vintage::archive {
namespace {

// One body is one sync on the other side, and what is sent again where the
// connection breaks.
constexpr size_t kUsualBody = 1 << 20;
constexpr size_t kRecordsInBody = 500;
// What a record and the lines around its contents take, generously.
constexpr size_t kAroundRecord = 16 * 1024;

}  // namespace

PushBodies::PushBodies(const ArtifactBatch& batch, std::set<ContentId> sent, int64_t longestBody)
    : batch_(batch),
      arrived_(std::move(sent)),
      longestBody_(std::min(kUsualBody, static_cast<size_t>(longestBody))) {
  for (const ArtifactRecord& record : batch.records) waiting_.push_back(&record);
}

std::string PushBodies::next() {
  std::string body;
  FrameStreamWriter frames(body);
  std::set<ContentId> inside;
  std::vector<const ArtifactRecord*> later;
  size_t records = 0;
  for (const ArtifactRecord* record : waiting_) {
    size_t bytes = kAroundRecord;
    bool mustWait = records == kRecordsInBody;
    std::vector<const std::pair<const ContentId, Bytes>*> contents;
    for (const ContentId& id : {record->id, record->golden}) {
      const auto content = batch_.contents.find(id);
      if (content == batch_.contents.end() || arrived_.contains(id) || inside.contains(id)) continue;
      mustWait |= underWay_.contains(id);
      bytes += content->second.size();
      contents.push_back(&*content);
    }
    if (mustWait || (records > 0 && body.size() + bytes > longestBody_)) {
      later.push_back(record);
      continue;
    }
    for (const auto* content : contents) {
      if (!inside.insert(content->first).second) continue;  // A golden that is its artifact.
      frames.content(content->first, content->second);
    }
    frames.artifact(*record);
    ++records;
  }
  waiting_ = std::move(later);
  if (records == 0) return {};
  underWay_.merge(inside);
  frames.end();
  return body;
}

void PushBodies::roundEnded() { arrived_.merge(underWay_); }

}  // namespace vintage::archive
