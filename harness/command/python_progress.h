// What Python programs say while they work, on the console.
#pragma once

#include <string>

#include "harness/command/console.h"
#include "harness/command/room.h"
#include "harness/consumers/python/python_programs.h"

namespace vintage::harness::command {

// `console` must outlive it.
inline PythonProgress progressOn(Console& console) {
  return {[&](const std::string& text) { console.note(text); },
          [&](const std::string& what, size_t done, size_t total) {
            console.progress(what, done, total);
          }};
}

}  // namespace vintage::harness::command
