#include "harness/command/table_options.h"

#include "golden/base/failures.h"
#include "harness/command/filter_options.h"

namespace vintage::harness::command {

void TableOptionsOfVerb::addTo(CLI::App& app) {
  app.add_option("--archive", archive, "The archive");
  app.add_option("--build", options_.build,
                 "The consumer to report on (default: the newest with a result)");
  app.add_option("--mode", options_.modes, "Only these modes (default: all with a result)");
  app.add_option("--today", today_, "The current date (YYYY-MM-DD; default: today)");
}

Result<TableOptions> TableOptionsOfVerb::options() const {
  if (archive.empty()) return usageError("give the --archive that holds the results");
  ASSIGN_OR_RETURN(auto today, parseDateOption(today_, "--today"));
  TableOptions options = options_;
  options.today = today.value_or(currentDate());
  options.archiveArgument = archive;
  return options;
}

}  // namespace vintage::harness::command
