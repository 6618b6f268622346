// An array on a device: a Tensor, until it is deleted or donated.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"
#include "harness/plugin/client.h"

namespace vintage::harness {

class DeviceBuffer {
 public:
  using Handle = PluginBuffer;
  DeviceBuffer(std::shared_ptr<EngineClient> client, EngineDevice& device, golden::Tensor value);
  ~DeviceBuffer();
  DeviceBuffer(const DeviceBuffer&) = delete;
  DeviceBuffer& operator=(const DeviceBuffer&) = delete;

  EngineDevice& device() const { return device_; }
  golden::ElementType type() const { return type_; }
  const golden::Shape& shape() const { return shape_; }
  const std::vector<int64_t>& minorToMajor() const { return minorToMajor_; }
  size_t byteCount() const { return byteCount_; }

  // kConflict once it is deleted.
  Result<golden::Tensor> value() const;
  // Where its bytes are, for as long as it is not deleted or somebody refers to it from outside.
  Result<const std::byte*> address() const;
  void remove();  // Deletes it; those who refer to it from outside keep the bytes.
  bool removed() const;
  void referFromOutside();
  Status endReferenceFromOutside();
  Result<std::unique_ptr<DeviceBuffer>> copyOn(EngineDevice& device) const;

 private:
  void letGo();  // Under the lock.

  const std::shared_ptr<EngineClient> client_;
  EngineDevice& device_;
  const golden::ElementType type_;
  const golden::Shape shape_;
  std::vector<int64_t> minorToMajor_;
  const size_t byteCount_;

  mutable std::mutex mutex_;
  golden::Tensor value_;
  bool removed_ = false, held_ = true;
  int references_ = 0;
};

void answerBuffers(Api& api);

}  // namespace vintage::harness
