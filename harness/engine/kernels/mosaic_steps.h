// The operations of a tpu_custom_call besides those that all kernel languages share.
#pragma once

#include "harness/engine/kernels/kernel_plan.h"

namespace vintage::harness {

StepTable mosaicVectorSteps();
StepTable mosaicMemorySteps();
StepTable mosaicRegisterSteps();

}  // namespace vintage::harness
