#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <ranges>
#include <regex>
#include <thread>

#include <unistd.h>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/thread_pool.hpp>

#include "archive/service/server.h"
#include "archive/store/archive.h"
#include "golden/base/failures.h"
#include "golden/base/process_host.h"
#include "golden/base/visible_text.h"
#include "harness/command/verb.h"
#include "harness/command/verb_options.h"
#include "harness/dashboard/pages.h"
#include "harness/dashboard/report_folder.h"

namespace vintage::harness {
using namespace archive;

namespace {

using namespace std::chrono_literals;

constexpr auto kLastGrace = 10s;  // Beyond the time for requests under way.

// By a `vintage show` of its own: its child that reads the bytes is forked from a process
// without threads.
std::vector<Result<std::string>> textsByShow(const std::string& archive,
                                             std::span<const ArtifactRecord> records) {
  std::error_code problem;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", problem);
  auto host = makePosixProcessHost();
  std::vector<Result<std::string>> texts;
  for (const ArtifactRecord& record : records) {
    texts.push_back([&]() -> Result<std::string> {
      if (problem) return ioError("/proc/self/exe: {}", problem.message());
      ASSIGN_OR_RETURN(auto shown, runProgram({self.string(), "show", record.id, "--archive",
                                               archive, "--format", "json"},
                                              *host));
      const auto fields = nlohmann::json::parse(shown.out, nullptr, false);
      if (fields.is_object() && fields.contains("text") && fields["text"].is_string())
        return fields["text"].get<std::string>();
      if (fields.is_object() && fields.contains("error") && fields["error"].is_string())
        return failure(Error::Kind::kBadInput, fields["error"].get<std::string>());
      return ioError("'vintage show' ended with status {}", shown.status);
    }());
  }
  return texts;
}

// `folder` is the archive's as it was named: it goes into the commands that reproduce.
Site servedDashboard(const std::string& folder) {
  Site site;
  for (const SiteFile& file : siteFiles()) {
    // The index has a path of its own, all others that of their folder.
    const std::string_view name = file.name.substr(file.name.find('/') + 1);
    site.files.push_back({name, file.mediaType, file.text, contentHash(file.text)});
  }
  site.contentSecurityPolicy = contentSecurityPolicy();
  site.data = [folder](Archive& archive, std::string_view page,
                       const PageParameters& parameters) -> Result<std::string> {
    const PageKind* kind = findPageKind(page);
    if (kind == nullptr)
      return vintage::notFound(
          "there is no page '{}'; there are: {}", page.substr(0, 80),
          fmt::join(pageKinds() | std::views::transform(&PageKind::name), ", "));
    for (const auto& [name, value] : parameters)
      if (std::ranges::find(kind->parameters, name) == kind->parameters.end())
        return usageError("'{}' is not a parameter of the page '{}'", name, page);
    const PageContext context{archive, folder, currentDate(),
                              [&](const Archive&, std::span<const ArtifactRecord> records) {
                                return textsByShow(folder, records);
                              }};
    ASSIGN_OR_RETURN(const auto made, kind->make(context, parameters));
    return made.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  return site;
}

// "127.0.0.1:8700", "[::1]:0", "localhost:8700"
Status parseListen(const std::string& text, ServerOptions& server) {
  static const std::regex kPlace(R"((?:\[(.*)\]|([^:]+)):([0-9]{1,5}))");
  std::smatch parts;
  if (!std::regex_match(text, parts, kPlace) || std::stoi(parts[3]) > 65535)
    return usageError(
        "--listen '{}' is not ADDRESS:PORT, such as 127.0.0.1:8700 or [::1]:8700; port 0 takes a "
        "free one",
        text);
  server.address = parts[1].matched ? parts[1] : parts[2];
  server.port = static_cast<uint16_t>(std::stoi(parts[3]));
  return {};
}

// Beside the access log's lines, which stand on standard error too unless sent
// otherwise: one write each, so that they do not mix.
void tellOperator(const std::string& text) {
  // The journal has the time, and keeps what stands below a priority.
  static const std::string kWarning = journalPriority(4);
  const std::string line =
      kWarning.empty() ? fmt::format("vintage: {} {}\n", timeText(std::chrono::system_clock::now()),
                                     visible(text))
                       : fmt::format("{}{}\n", kWarning, visible(text));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

class ServeVerb final : public Verb {
 public:
  ServeVerb()
      : Verb("serve",
             "Serve an archive over HTTP, with the dashboard at /, until SIGTERM; SIGHUP reads the "
             "certificate again",
             "vintage token add nightly --archive A --role push\n"
             "  vintage serve --archive A --listen 127.0.0.1:8700\n"
             "  vintage serve --archive A --anonymous read   # http://127.0.0.1:8700/ asks for no "
             "token") {}
  void addOptions(CLI::App& app) override {
    app.add_option("--archive", application_.folder, "The archive")->required();
    app.add_flag("--create", create_, "Create the archive if it is missing");
    addDefaulted(app, "--listen", listen_, "ADDRESS:PORT; port 0 takes a free one");
    app.add_option("--certificate", server_.tls.certificate,
                   "TLS: the chain of certificates (PEM)");
    app.add_option("--key", server_.tls.key, "TLS: the certificate's private key (PEM)");
    addDefaulted(
        app, "--anonymous", anonymous_,
        "Access without a token: none or read. Writing always needs one ('vintage token add'): "
        "otherwise any web page could write",
        CLI::Validator(
            [](const std::string& role) -> std::string {
              if (role == "none" || role == "read") return "";
              return fmt::format(
                  "--anonymous is 'none' or 'read', at most, and not '{}': any page of the "
                  "web could write; make a token ('vintage token add')",
                  role);
            },
            "none or read"));
    app.add_option("--host", application_.hosts,
                   "A name by which this service is reached without a token, beside its addresses, "
                   "localhost and this machine's name");
    addDefaulted(app, "--access-log", accessLog_,
                 "A file; - is standard error; 'none' writes none");
    auto& limit = application_.limits;
    for (CLI::Option* option :
         {addDefaulted(app, "--largest-push", limit.pushBytes, "Bytes of one request"),
          addDefaulted(app, "--largest-upload", limit.uploadBytes, "Bytes of one resumable upload"),
          addDefaulted(app, "--largest-memory", limit.memoryBytes,
                       "Bytes of all contents in memory: half for responses"),
          addDefaulted(app, "--requests-per-second", limit.requestsPerSecond,
                       "For each token; 0: no limit", CLI::NonNegativeNumber),
          addDefaulted(app, "--connections", server_.connections, "Open at once",
                       CLI::PositiveNumber)})
      option->group("Limits");
    addSeconds(app, "--head-seconds", server_.headTime, "For the head of a request");
    addSeconds(app, "--idle-seconds", server_.idleTime, "Between requests of a connection");
    addSeconds(app, "--grace-seconds", server_.graceTime,
               "Before a body or a response has to move 1 KiB a second");
    addSeconds(app, "--stop-seconds", server_.stopTime, "For requests under way when it stops");
    addSeconds(app, "--certificate-seconds", server_.lookTime,
               "Between checks whether --certificate and --key changed");
    for (CLI::Option* option :
         {addDefaulted(app, "--workers", server_.workers,
                       "Threads for what writes, streams or takes long", CLI::Range(1, 256)),
          addDefaulted(app, "--io-threads", server_.ioThreads,
                       "Threads for connections; 0: one a core", CLI::Range(0, 256))})
      option->group("Threads");
  }

  Result<int> run(Console& console) override {
    RETURN_IF_ERROR(parseListen(listen_, server_));
    server_.report = tellOperator;
    application_.anonymous = *parseRole(anonymous_);
    std::array<char, 256> machine{};
    if (::gethostname(machine.data(), machine.size() - 1) == 0)
      application_.hosts.emplace_back(machine.data());
    if (create_) {
      ASSIGN_OR_RETURN(auto archive, Archive::open(application_.folder, Archive::Mode::kCreate));
    }
    const Site site = servedDashboard(application_.folder);
    application_.site = &site;
    // They are handled and not masked: a library may have begun threads of its own before main()
    // (OpenBLAS does), and a signal that is blocked everywhere but there ends the process.
    boost::asio::io_context context;
    boost::asio::signal_set signals(context, SIGTERM, SIGINT, SIGHUP);
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
      struct sigaction action{};
      ::sigaction(signal, nullptr, &action);
      action.sa_flags |= SA_RESTART;  // Calls of other threads go on.
      ::sigaction(signal, &action, nullptr);
    }
    std::signal(SIGPIPE, SIG_IGN);
    ASSIGN_OR_RETURN(auto application, Application::open(application_));
    ASSIGN_OR_RETURN(auto log, AccessLog::open(accessLog_ == "none" ? "" : accessLog_));
    ASSIGN_OR_RETURN(auto server, Server::start(server_, *application, *log));
    console.answer({{"url", server->url()}, {"port", server->port()}},
                   "listening on " + server->url() + "\n");
    std::fflush(stdout);  // The process that started it may wait for this line.
    boost::asio::thread_pool reloading(1);
    const std::function<void(const boost::system::error_code&, int)> take =
        [&](const boost::system::error_code&, int signal) {
          if (signal != SIGHUP) return;
          // Not here: a disk that does not answer must not keep the next signal waiting.
          boost::asio::post(reloading, [&] { server->reload(); });
          signals.async_wait(take);
        };
    signals.async_wait(take);
    context.run();
    // A waiting request or chore does not matter: all acknowledged data is durable.
    std::thread([time = server_.stopTime + kLastGrace] {
      std::this_thread::sleep_for(time);
      tellOperator("something does not end, as a disk that does not answer: the server ends");
      std::_Exit(kExitCannotTell);
    }).detach();
    server->stop();
    return kExitHolds;
  }

 private:
  static void addSeconds(CLI::App& app, const char* option, std::chrono::seconds& place,
                         const char* help) {
    const auto take = [&place](int64_t seconds) { place = std::chrono::seconds(seconds); };
    app.add_option_function<int64_t>(option, take, help)
        ->default_str(std::to_string(place.count()))
        ->group("Times, in seconds")
        ->check(CLI::Range(int64_t{1}, int64_t{86'400}));
  }

  ApplicationOptions application_;
  ServerOptions server_;
  std::string listen_ = "127.0.0.1:8700", anonymous_ = "none", accessLog_ = "-";
  bool create_ = false;
};

}  // namespace

std::unique_ptr<Verb> makeServeVerb() { return std::make_unique<ServeVerb>(); }

}  // namespace vintage::harness
