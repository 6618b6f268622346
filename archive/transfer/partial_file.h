// The part of a large content that has arrived, kept so that a later run can
// continue where this one was interrupted. Only a help: what is wrong with it
// shows when the whole is hashed, and every failure to write it is harmless.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "archive/transfer/place.h"
#include "archive/transfer/room.h"

namespace vintage::archive::transfer {

class PartialFile {
 public:
  // Null where `folder` is empty or cannot be used, or another process is at
  // the same content.
  static std::unique_ptr<PartialFile> open(const std::string& folder, const ContentId& id);
  // Whether one was left behind.
  static bool exists(const std::string& folder, const ContentId& id);
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  // What is there, at most `limit` bytes of it.
  Bytes read(uint64_t limit) const;
  void append(std::span<const std::byte> bytes);
  void clear();
  void remove();

 private:
  PartialFile(int descriptor, std::string path);

  int descriptor_;
  std::string path_;
};

}  // namespace vintage::archive::transfer
