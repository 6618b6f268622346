// The real disk with faults: the n-th operation fails, once or from then on, or the n-th read of a
// large file, and a power cut undoes what was not synced.
//
// After cutPower() a file that was not synced holds half of its bytes, and a
// name whose folder was not synced is gone: the least that a disk promises.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <set>
#include <string>

#include <unistd.h>

#include "golden/base/file_system.h"

namespace vintage::tests {

class FaultyFileSystem : public FileSystem {
 public:
  int operations = 0;  // So far; reading is none.
  int failAt = 0;      // The operation that fails, from 1; 0: none.
  bool failForever = false;
  Error::Kind failWith = Error::Kind::kResource;
  int reads = 0;       // So far: files that were opened, and pieces of them.
  int failReadAt = 0;  // The read that fails, from 1, with kIo; 0: none.

  void cutPower() {
    for (const auto& [path, bytes] : unsyncedBytes_) {
      std::error_code missing;
      std::filesystem::resize_file(path, bytes / 2, missing);
    }
    for (const std::string& path : unsyncedNames_) std::filesystem::remove_all(path);
    unsyncedBytes_.clear();
    unsyncedNames_.clear();
  }

  Status createFolders(const std::string& folder, FileAccess access) override {
    if (std::filesystem::exists(folder)) return {};
    RETURN_IF_ERROR(createFolders(parentFolder(folder), FileAccess::kShared));
    RETURN_IF_ERROR(step(folder));
    unsyncedNames_.insert(folder);
    return real_.createFolders(folder, access);
  }
  Result<std::unique_ptr<WritableFile>> create(const std::string& path,
                                               FileAccess access) override {
    RETURN_IF_ERROR(step(path));
    auto file = real_.create(path, access);
    if (!file) return file;
    unsyncedNames_.insert(path);
    unsyncedBytes_[path] = 0;
    return std::make_unique<File>(*this, std::move(*file), path);
  }
  Status rename(const std::string& from, const std::string& to) override {
    RETURN_IF_ERROR(step(from));
    if (const auto bytes = unsyncedBytes_.extract(from)) unsyncedBytes_[to] = bytes.mapped();
    unsyncedNames_.erase(from);
    // A name that was durable before would come back with its old content,
    // which content-addressed names do not have: only a new name is lost.
    if (!std::filesystem::exists(to)) unsyncedNames_.insert(to);
    return real_.rename(from, to);
  }
  Status syncFolder(const std::string& folder) override {
    RETURN_IF_ERROR(step(folder));
    std::erase_if(unsyncedNames_, [&](const auto& path) { return parentFolder(path) == folder; });
    return real_.syncFolder(folder);
  }
  Status remove(const std::string& path) override {
    RETURN_IF_ERROR(step(path));
    unsyncedNames_.erase(path);
    unsyncedBytes_.erase(path);
    return real_.remove(path);
  }
  Result<std::vector<std::byte>> read(const std::string& path, uint64_t limit) override {
    return real_.read(path, limit);
  }
  Result<std::unique_ptr<ReadableFile>> open(const std::string& path) override {
    RETURN_IF_ERROR(readStep(path));
    ASSIGN_OR_RETURN(auto file, real_.open(path));
    return std::make_unique<OpenedFile>(*this, std::move(file), path);
  }
  Result<std::optional<FileStatus>> status(const std::string& path) override {
    return real_.status(path);
  }
  Result<std::vector<std::string>> list(const std::string& folder) override {
    return real_.list(folder);
  }

 private:
  class File : public WritableFile {
   public:
    File(FaultyFileSystem& owner, std::unique_ptr<WritableFile> real, std::string path)
        : owner_(owner), real_(std::move(real)), path_(std::move(path)) {}
    Status append(std::span<const std::byte> bytes) override {
      if (Status allowed = owner_.step(path_); !allowed) {
        (void)real_->append(bytes.first(bytes.size() / 3));  // A full disk takes what fits.
        return allowed;
      }
      owner_.unsyncedBytes_[path_] += bytes.size();
      return real_->append(bytes);
    }
    Status sync() override {
      RETURN_IF_ERROR(owner_.step(path_));
      owner_.unsyncedBytes_.erase(path_);
      return real_->sync();
    }

   private:
    FaultyFileSystem& owner_;
    std::unique_ptr<WritableFile> real_;
    std::string path_;
  };

  class OpenedFile : public ReadableFile {
   public:
    OpenedFile(FaultyFileSystem& owner, std::unique_ptr<ReadableFile> real, std::string path)
        : owner_(owner), real_(std::move(real)), path_(std::move(path)) {}
    Result<size_t> read(std::span<std::byte> piece) override {
      RETURN_IF_ERROR(owner_.readStep(path_));
      return real_->read(piece);
    }

   private:
    FaultyFileSystem& owner_;
    std::unique_ptr<ReadableFile> real_;
    std::string path_;
  };

  Status readStep(const std::string& path) {
    if (++reads != failReadAt) return {};
    return failure(Error::Kind::kIo, path + ": injected fault, the device does not answer");
  }

  Status step(const std::string& path) {
    ++operations;
    const bool fails = failAt > 0 && (failForever ? operations >= failAt : operations == failAt);
    if (!fails) return {};
    return failure(failWith, path + ": injected fault, no space left on the device");
  }

  FileSystem& real_ = realFileSystem();
  std::map<std::string, uint64_t> unsyncedBytes_;
  std::set<std::string> unsyncedNames_;
};

}  // namespace vintage::tests
