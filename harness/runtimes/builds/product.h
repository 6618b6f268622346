// Which builds are releases of one thing.
#pragma once

#include <string>

namespace vintage::harness {

// The product of a build: its name without date and version. The condition under which
// a release runs stays: releases that are fresh are a sequence of their own.
// "vintage-engine 2026-11-20" -> "vintage-engine", "jaxlib-0.4.14" -> "jaxlib",
// "jax-0.6.0-fresh" -> "jax-fresh", "libtpu-0.0.24-v5e:2x2" -> "libtpu-v5e:2x2". How a version
// was built makes no other product: "jaxlib-0.5.3+cuda12-cudnn89" -> "jaxlib".
std::string productOf(const std::string& buildName);

}  // namespace vintage::harness
