#include "harness/runtimes/embedded/confinement.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <sstream>

#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "golden/base/failures.h"

namespace vintage::harness {
namespace {

// Files, the network, programs, other processes, and doors of the kernel that nothing here needs.
constexpr const char* kRefused =
    "open openat openat2 open_by_handle_at creat truncate unlink unlinkat rename renameat "
    "renameat2 link linkat symlink symlinkat mkdir mkdirat rmdir mknod mknodat chmod fchmodat "
    "chown lchown fchownat setxattr removexattr utimensat chdir chroot mount umount2 pivot_root "
    "socket socketpair connect bind listen execve execveat fork vfork ptrace process_vm_readv "
    "process_vm_writev pidfd_open pidfd_getfd pidfd_send_signal tkill rt_sigqueueinfo unshare "
    "setns bpf perf_event_open userfaultfd keyctl add_key request_key io_uring_setup memfd_create "
    "shmget shmat msgget init_module finit_module kexec_load kexec_file_load fanotify_init "
    "inotify_init1 setrlimit setpgid setsid";

int refuse(scmp_filter_ctx filter, const char* name, unsigned comparisons = 0,
           scmp_arg_cmp first = {}) {
  const int call = seccomp_syscall_resolve_name(name);
  if (call == __NR_SCMP_ERROR) return 0;  // Not of this machine's kernel.
  return comparisons == 0 ? seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0)
                          : seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 1, first);
}

}  // namespace

Status confine() {
  const std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter(seccomp_init(SCMP_ACT_ALLOW),
                                                                seccomp_release);
  if (filter == nullptr) return unsupported("libseccomp makes no filter here");
  int problem = seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1);  // For all threads.
  const auto add = [&](int added) {
    if (problem == 0) problem = added;
  };
  std::istringstream refused(kRefused);
  for (std::string name; refused >> name;) add(refuse(filter.get(), name.c_str()));
  // It ends with its parent, whose group it stays in.
  add(refuse(filter.get(), "prctl", 1, SCMP_A0_64(SCMP_CMP_EQ, PR_SET_PDEATHSIG, 0)));
  // Threads, and no processes. glibc takes the older call where the newer one, whose flags a filter
  // does not see, is not there.
  add(refuse(filter.get(), "clone", 1, SCMP_A0_64(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)));
  add(seccomp_rule_add(filter.get(), SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0));
  const auto self = static_cast<scmp_datum_t>(::getpid());
  for (const char* name : {"kill", "tgkill", "rt_tgsigqueueinfo"})
    add(refuse(filter.get(), name, 1, SCMP_A0_64(SCMP_CMP_NE, self, 0)));
  for (const char* name : {"mmap", "mprotect", "pkey_mprotect"})
    add(refuse(filter.get(), name, 1, SCMP_A2_64(SCMP_CMP_MASKED_EQ, PROT_EXEC, PROT_EXEC)));
  // Its own limits may be asked for and not raised.
  add(refuse(filter.get(), "prlimit64", 1, SCMP_A2_64(SCMP_CMP_NE, 0, 0)));
  if (problem == 0) problem = seccomp_load(filter.get());
  if (problem == 0) return {};
  return unsupported("the kernel takes no filter of system calls: {}", strerror(-problem));
}

}  // namespace vintage::harness
