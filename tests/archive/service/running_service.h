// A real `vintage serve` in a process of its own, and ways to talk to it:
// libcurl, and bytes over a socket.
#pragma once

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <curl/curl.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "archive/service/token_store.h"
#include "tests/archive/store/sample.h"

namespace vintage::tests::service {

struct Reply {
  long status = 0;
  CURLcode code = CURLE_OK;
  std::map<std::string, std::string> headers;  // Names in lower case.
  std::string body;

  nlohmann::json json() const { return nlohmann::json::parse(body, nullptr, false); }
  std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
  }
  // "409 conflict"; the status alone where the body is no error.
  std::string problem() const {
    const auto document = json();
    std::string text = std::to_string(status);
    if (document.is_object() && document.contains("error") && document["error"].contains("kind") &&
        !document["error"].value("message", "").empty() &&
        !document["error"].value("next", "").empty())
      text += " " + document["error"]["kind"].get<std::string>();
    return text;
  }
};

// A Location as clients take it: relative to the path that was asked.
inline std::string resolved(const std::string& path, std::string location) {
  if (location.starts_with('/')) return location;
  std::string base = path.substr(0, path.rfind('/'));
  for (; location.starts_with("../"); location.erase(0, 3)) base.resize(base.rfind('/'));
  return base + "/" + location;
}

// One connection, kept alive between requests. One thread at a time.
class Client {
 public:
  explicit Client(std::string url, std::string token = "")
      : url_(std::move(url)), token_(std::move(token)), curl_(curl_easy_init()) {}
  ~Client() { curl_easy_cleanup(curl_); }
  Client(const Client&) = delete;

  std::string trustedCertificate;  // For TLS.

  Reply send(const std::string& method, const std::string& path,
             const std::optional<std::string>& body = std::nullopt,
             const std::vector<std::string>& headers = {}) {
    Reply reply;
    curl_easy_reset(curl_);
    const auto set = [&](CURLoption option, auto value) { curl_easy_setopt(curl_, option, value); };
    const std::string url = url_ + path;
    set(CURLOPT_URL, url.c_str());
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_PATH_AS_IS, 1L);
    set(CURLOPT_TIMEOUT, 60L);
    set(CURLOPT_CUSTOMREQUEST, method.c_str());
    if (method == "HEAD") set(CURLOPT_NOBODY, 1L);
    if (!trustedCertificate.empty()) set(CURLOPT_CAINFO, trustedCertificate.c_str());
    if (body) {
      set(CURLOPT_POSTFIELDS, body->data());
      set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(body->size()));
    }
    curl_slist* list = nullptr;
    if (!token_.empty())
      list = curl_slist_append(list, ("Authorization: Bearer " + token_).c_str());
    list = curl_slist_append(list, "Content-Type:");  // Not libcurl's own.
    for (const std::string& header : headers) list = curl_slist_append(list, header.c_str());
    set(CURLOPT_HTTPHEADER, list);
    set(CURLOPT_WRITEDATA, &reply.body);
    set(
        CURLOPT_WRITEFUNCTION, +[](char* data, size_t, size_t size, void* to) {
          static_cast<std::string*>(to)->append(data, size);
          return size;
        });
    set(CURLOPT_HEADERDATA, &reply);
    set(
        CURLOPT_HEADERFUNCTION, +[](char* data, size_t, size_t size, void* to) {
          std::string line(data, size);
          const size_t colon = line.find(": ");
          if (colon == std::string::npos) return size;
          std::string name = line.substr(0, colon);
          for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
          static_cast<Reply*>(to)->headers[name] =
              line.substr(colon + 2, line.find('\r') - colon - 2);
          return size;
        });
    reply.code = curl_easy_perform(curl_);
    curl_easy_getinfo(curl_, CURLINFO_RESPONSE_CODE, &reply.status);
    curl_slist_free_all(list);
    if (const auto place = reply.headers.find("location"); place != reply.headers.end())
      place->second = resolved(path, place->second);
    return reply;
  }
  Reply get(const std::string& path, const std::vector<std::string>& headers = {}) {
    return send("GET", path, std::nullopt, headers);
  }
  Reply post(const std::string& path, const nlohmann::json& body) {
    return send("POST", path, body.dump(), {"Content-Type: application/json"});
  }

 private:
  std::string url_, token_;
  CURL* curl_;
};

class RunningService {
 public:
  // `errors`: the file that takes standard error.
  explicit RunningService(const std::string& archive, std::vector<std::string> options = {},
                          const std::string& errors = "") {
    int out[2];
    if (::pipe2(out, O_CLOEXEC) != 0) return;
    log_ = archive + ".access";
    std::vector<std::string> words{VINTAGE_BINARY "/bin/vintage", "serve", "--archive", archive,
                                   "--create"};
    if (std::ranges::find(options, "--listen") == options.end())
      words.insert(words.end(), {"--listen", "127.0.0.1:0"});
    if (std::ranges::find(options, "--access-log") == options.end())
      words.insert(words.end(), {"--access-log", log_});
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    process_ = ::fork();
    if (process_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::dup2(out[1], STDOUT_FILENO);
      if (!errors.empty())
        ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600),
               STDERR_FILENO);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(out[1]);
    std::string text;
    char piece[256];
    for (ssize_t size;
         text.find('\n') == std::string::npos && (size = ::read(out[0], piece, sizeof piece)) > 0;)
      text.append(piece, static_cast<size_t>(size));
    ::close(out[0]);
    constexpr std::string_view kSays = "listening on ";
    if (text.starts_with(kSays)) url_ = text.substr(kSays.size(), text.find('\n') - kSays.size());
    EXPECT_FALSE(url_.empty()) << "it did not start: " << text;
  }
  ~RunningService() { end(SIGKILL); }

  const std::string& url() const { return url_; }
  uint16_t port() const {
    return static_cast<uint16_t>(std::stoi(url_.substr(url_.rfind(':') + 1)));
  }
  pid_t process() const { return process_; }
  const std::string& accessLog() const { return log_; }

  // Its exit status, or 128 + the signal that ended it.
  int end(int signal) {
    if (process_ <= 0) return -1;
    ::kill(process_, signal);
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t process_ = -1;
  std::string url_, log_;
};

// Bytes over a connection, without a library that would put them right.
class RawConnection {
 public:
  explicit RawConnection(uint16_t port)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    connected_ = ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawConnection() { ::close(socket_); }
  RawConnection(const RawConnection&) = delete;

  bool connected() const { return connected_; }
  bool write(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t written = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (written <= 0) return false;
      bytes.remove_prefix(static_cast<size_t>(written));
    }
    return true;
  }
  // Whether something has arrived, or the other side has closed.
  bool readable() const { return wait(std::chrono::milliseconds(0)); }
  void endWriting() { ::shutdown(socket_, SHUT_WR); }
  // Everything until the other side closes, or until it falls silent.
  std::string readAll(std::chrono::milliseconds patience = std::chrono::seconds(20)) {
    std::string text;
    char piece[4096];
    while (wait(patience)) {
      const ssize_t size = ::recv(socket_, piece, sizeof piece, 0);
      if (size <= 0) {
        closed_ = true;
        break;
      }
      text.append(piece, static_cast<size_t>(size));
    }
    return text;
  }
  // Until `end` has arrived.
  std::string readUntil(std::string_view end) {
    std::string text;
    char byte;
    while (!text.ends_with(end) && wait(std::chrono::seconds(20)) &&
           ::recv(socket_, &byte, 1, 0) == 1)
      text += byte;
    return text;
  }
  bool closed() const { return closed_; }

 private:
  bool wait(std::chrono::milliseconds patience) const {
    pollfd entry{socket_, POLLIN, 0};
    return ::poll(&entry, 1, static_cast<int>(patience.count())) > 0;
  }
  int socket_;
  bool connected_ = false, closed_ = false;
};

// An archive of its own with a token of each role.
class ServiceTest : public FolderTest {
 protected:
  void SetUp() override {
    FolderTest::SetUp();
    archive_ = path("archive");
    must(archive::Archive::open(archive_, archive::Archive::Mode::kCreate));
    for (const archive::Role role : {archive::Role::kRead, archive::Role::kReport,
                                     archive::Role::kPush, archive::Role::kAdmin})
      tokens_[role] = must(archive::makeToken(archive_, systemClock(),
                                              std::string(archive::roleName(role)), role, 30))
                          .token;
  }
  std::string token(archive::Role role) const { return tokens_.at(role); }
  archive::Archive open() const {
    return must(archive::Archive::open(archive_, archive::Archive::Mode::kReadWrite));
  }

  std::string archive_;
  std::map<archive::Role, std::string> tokens_;
};

inline std::string text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace vintage::tests::service
