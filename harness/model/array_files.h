// Arrays in the files of others: NumPy's .npy and .npz (numpy.lib.format), and safetensors (the
// length of a header in 8 bytes, the header in JSON, the elements).
#pragma once

#include <span>
#include <string>
#include <vector>

#include "golden/base/result.h"
#include "golden/tensor/tensor.h"

namespace vintage::harness {

// The arrays of all files, in the order of the files. Inside a file, arr_0, arr_1, … (numpy.savez
// without names) are sorted by number; other names keep the order of the file.
// As many as `types`, and of these types. NumPy has no name for bf16 and similar types: their raw
// bytes are read as the requested type. `what` ("inputs") stands in messages.
Result<std::vector<golden::Tensor>> readArrayFiles(std::span<const std::string> files,
                                                   std::span<const golden::ElementType> types,
                                                   const std::string& what);

struct NamedArray {
  std::string name;  // In its file; empty of a .npy file.
  golden::Tensor tensor;
};
// All arrays of a file, with the types that it states, in the order as above. Types that NumPy has
// no name for are an error.
Result<std::vector<NamedArray>> readArrayFile(const std::string& file);
// By its extension.
bool isArrayFile(const std::string& path);

// arr_0, arr_1, …, as numpy.savez writes them. The same arrays are the same bytes.
Status writeNpz(const std::string& path, std::span<const golden::Tensor> tensors);

}  // namespace vintage::harness
