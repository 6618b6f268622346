// libvintage_pjrt.so: the one symbol that a PJRT plugin exports.

#include "harness/plugin/entry.h"

extern "C" __attribute__((visibility("default"))) const vintage::harness::Api* GetPjrtApi() {
  return &vintage::harness::apiTable();
}
