// Gathers small pieces of a streamed body into few writes.
#pragma once

#include <string>

#include "archive/service/exchange.h"
#include "archive/service/room.h"

namespace vintage::archive::service {

class GatheredWriter {
 public:
  explicit GatheredWriter(BodyWriter& writer) : writer_(writer) {}

  std::string& text() { return text_; }
  // Writes where much was gathered.
  Status spill() { return text_.size() < kGathered ? Status() : flush(); }
  Status flush() {
    if (text_.empty()) return {};
    const Status status = writer_.write(text_);
    text_.clear();
    return status;
  }

 private:
  static constexpr size_t kGathered = 128 * 1024;
  BodyWriter& writer_;
  std::string text_;
};

}  // namespace vintage::archive::service
