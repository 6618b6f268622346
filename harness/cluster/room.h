// Work in parts on the machines of a cluster.
//
// A scheduler (Slurm) starts the parts as tasks of a job array. What counts as done is a file: a
// task writes its result as the last thing it does, so that a task that was killed, that ran too
// long or whose machine was lost has none, and is submitted again. Nothing is asked of the
// scheduler but which tasks still wait or run; it needs no accounting database.
//
// All machines see one folder, which holds the results, the log of each task and what was
// submitted: the same call goes on where an earlier one was broken off, and waits for what that
// one submitted.
#pragma once

namespace vintage::golden::base {}

namespace vintage::harness::cluster {
using namespace golden::base;
}  // namespace vintage::harness::cluster
