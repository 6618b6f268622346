// Work in processes of their own, for tests that kill them.
#pragma once

#include <functional>

#include <sys/wait.h>
#include <unistd.h>

namespace vintage::tests {

// Runs `work` in a process of its own; its exit status is what `work` returns.
inline pid_t spawn(const std::function<int()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work());
  return child;
}

// -1 where it was killed.
inline int exitStatusOf(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace vintage::tests
