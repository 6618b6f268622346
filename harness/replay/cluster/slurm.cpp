#include "harness/replay/cluster/scheduler.h"

#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "golden/base/failures.h"

namespace vintage::harness {
namespace {

// squeue forgets a job some minutes after its end, and then says this.
constexpr std::string_view kForgotten = "Invalid job id";

std::string lastLine(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return std::string(text.substr(text.rfind('\n') + 1));
}

class Slurm final : public Scheduler {
 public:
  Slurm(SlurmOptions options, ProcessHost& host) : options_(std::move(options)), host_(host) {}

  std::string taskNumber() const override { return "$SLURM_ARRAY_TASK_ID"; }

  Result<std::string> submit(const JobArray& job) override {
    std::vector<std::string> command{"sbatch", "--parsable", "--job-name=" + job.name,
                                     "--array=" + taskRanges(job.tasks),
                                     "--output=" + (job.logs / "%A_%a.log").string()};
    if (!options_.partition.empty()) command.push_back("--partition=" + options_.partition);
    if (options_.minutes > 0) command.push_back(fmt::format("--time={}", options_.minutes));
    command.insert(command.end(), options_.options.begin(), options_.options.end());
    command.push_back(job.script.string());
    auto done = runProgram(command, host_);
    if (!done)
      return ioError("{}; --slurm needs Slurm's commands on this machine (Debian: slurm-client)",
                     done.error().message);
    if (done->status != 0)
      return ioError("sbatch refuses the job (exit status {}): {}", done->status,
                     lastLine(done->errorTail));
    // "JOB", or "JOB;CLUSTER".
    const std::string id = lastLine(done->out).substr(0, lastLine(done->out).find(';'));
    if (id.empty() || id.find_first_not_of("0123456789") != std::string::npos)
      return ioError("sbatch --parsable answered '{}'; the id of a job was expected", done->out);
    return id;
  }

  Result<std::set<int>> alive(const std::string& job) override {
    ASSIGN_OR_RETURN(
        auto done,
        runProgram({"squeue", "--noheader", "--array", "--format=%K", "--jobs=" + job}, host_));
    if (done.status != 0) {
      if (done.errorTail.find(kForgotten) != std::string::npos) return std::set<int>{};
      return ioError("squeue ended with status {}: {}", done.status, lastLine(done.errorTail));
    }
    std::set<int> tasks;
    std::string_view text = done.out;
    while (!text.empty()) {
      const std::string_view line = text.substr(0, text.find('\n'));
      text.remove_prefix(std::min(text.size(), line.size() + 1));
      int task = 0;
      const auto [end, problem] = std::from_chars(line.data(), line.data() + line.size(), task);
      if (problem == std::errc() && end == line.data() + line.size()) tasks.insert(task);
    }
    return tasks;
  }

  std::filesystem::path log(const std::filesystem::path& logs, const std::string& job,
                            int task) const override {
    return logs / fmt::format("{}_{}.log", job, task);
  }

 private:
  const SlurmOptions options_;
  ProcessHost& host_;
};

}  // namespace

std::unique_ptr<Scheduler> slurm(SlurmOptions options, ProcessHost& host) {
  return std::make_unique<Slurm>(std::move(options), host);
}

std::string taskRanges(const std::vector<int>& tasks) {
  std::vector<std::string> ranges;
  for (size_t first = 0; first < tasks.size();) {
    size_t last = first;
    while (last + 1 < tasks.size() && tasks[last + 1] == tasks[last] + 1) ++last;
    ranges.push_back(first == last ? std::to_string(tasks[first])
                                   : fmt::format("{}-{}", tasks[first], tasks[last]));
    first = last + 1;
  }
  return fmt::format("{}", fmt::join(ranges, ","));
}

}  // namespace vintage::harness
