#include "tests/rooms/source_tree.h"
#include "tests/golden/base/texts.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <regex>
#include <sstream>

#include <fmt/format.h>

namespace vintage::tests::rooms {
namespace {

namespace fs = std::filesystem;

// golden/dialects extends MLIR's own namespaces and opens nobody's.
constexpr std::string_view kDialects = "golden/dialects";

std::vector<std::string> linesOf(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

// golden/base declares the vocabulary of all folders.
std::string namespaceOf(const std::string& room) {
  return room == "golden/base" ? "vintage" : "vintage::" + room.substr(0, room.find('/'));
}

struct Include {
  const Source* source;
  size_t line;
  std::string path, from, to;  // Rooms.
};

const std::regex& includePattern() {
  static const std::regex kInclude("^#?include \"([^\"]+)\"");
  return kInclude;
}

// Includes that leave their room.
std::vector<Include> crossings(const std::vector<Source>& sources, const DeclaredRooms& rooms) {
  std::vector<Include> found;
  for (const Source& source : sources) {
    const std::string from = roomOf(source.path, rooms);
    const auto lines = linesOf(source.text);
    for (size_t i = 0; i < lines.size(); ++i) {
      std::smatch match;
      if (!std::regex_search(lines[i], match, includePattern())) continue;
      const std::string to = roomOf(match[1].str(), rooms);
      if (!to.empty() && to != from) found.push_back({&source, i + 1, match[1], from, to});
    }
  }
  return found;
}

}  // namespace

DeclaredRooms parseRooms(std::string_view text) {
  DeclaredRooms rooms;
  for (const std::string& line : linesOf(std::string(text))) {
    const size_t colon = line.find(':');
    if (line.empty() || line[0] == '#' || colon == std::string::npos) continue;
    std::istringstream uses(line.substr(colon + 1));
    auto& room = rooms[line.substr(0, colon)];
    for (std::string used; uses >> used;) room.insert(used);
  }
  return rooms;
}

std::vector<Source> readSources(const std::string& root, const DeclaredRooms& rooms) {
  std::set<std::string> paths;
  for (const auto& [room, uses] : rooms)
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(root) / room)) {
      const auto extension = entry.path().extension();
      if (extension == ".h" || extension == ".cpp" || extension == ".td")
        paths.insert(fs::relative(entry.path(), root).string());
    }
  std::vector<Source> sources;
  for (const std::string& path : paths) {
    sources.push_back({path, fileText(fs::path(root) / path)});
  }
  return sources;
}

std::string roomOf(std::string_view path, const DeclaredRooms& rooms) {
  for (std::string_view folder = path; !folder.empty();) {
    const size_t slash = folder.rfind('/');
    if (slash == std::string_view::npos) break;
    folder = folder.substr(0, slash);
    if (rooms.contains(std::string(folder))) return std::string(folder);
  }
  return "";
}

std::vector<std::string> forbiddenIncludes(const std::vector<Source>& sources,
                                           const DeclaredRooms& rooms) {
  std::vector<std::string> found;
  for (const Include& include : crossings(sources, rooms))
    if (!rooms.at(include.from).contains(include.to))
      found.push_back(fmt::format("{}:{}: {} may not include {}; cmake/rooms.txt lets it use {}",
                                  include.source->path, include.line, include.from, include.path,
                                  fmt::join(rooms.at(include.from), ", ")));
  return found;
}

std::vector<std::string> unusedEdges(const std::vector<Source>& sources,
                                     const DeclaredRooms& rooms) {
  std::map<std::string, std::set<std::string>> used;
  for (const Include& include : crossings(sources, rooms)) used[include.from].insert(include.to);
  std::vector<std::string> found;
  for (const auto& [room, uses] : rooms)
    for (const std::string& other : uses)
      if (!used[room].contains(other)) found.push_back(room + " includes nothing of " + other);
  return found;
}

std::string findCycle(const DeclaredRooms& rooms) {
  std::set<std::string> done;
  std::vector<std::string> path;
  const std::function<std::string(const std::string&)> visit = [&](const std::string& room) {
    const auto before = std::ranges::find(path, room);
    if (before != path.end())
      return fmt::format("{} -> {}", fmt::join(before, path.end(), " -> "), room);
    if (done.contains(room)) return std::string();
    path.push_back(room);
    const auto uses = rooms.find(room);
    if (uses != rooms.end())
      for (const std::string& used : uses->second)
        if (std::string cycle = visit(used); !cycle.empty()) return cycle;
    path.pop_back();
    done.insert(room);
    return std::string();
  };
  for (const auto& [room, uses] : rooms)
    if (std::string cycle = visit(room); !cycle.empty()) return cycle;
  return "";
}

std::vector<std::string> typesDeclaredTwice(const std::vector<Source>& sources,
                                            const DeclaredRooms& rooms) {
  static const std::regex kType(
      "^(?:class|struct|enum class|union) (\\w+)(?: final)?(?: :[^:].*)? \\{");
  std::map<std::string, std::map<std::string, std::string>> places;  // Type, room, path.
  for (const Source& source : sources) {
    const std::string room = roomOf(source.path, rooms);
    if (!source.path.ends_with(".h") || room == kDialects) continue;
    for (const std::string& line : linesOf(source.text)) {
      std::smatch match;
      if (std::regex_search(line, match, kType)) places[match[1]].emplace(room, source.path);
    }
  }
  std::vector<std::string> found;
  for (const auto& [type, declared] : places) {
    if (declared.size() < 2) continue;
    std::vector<std::string> paths;
    for (const auto& [room, path] : declared) paths.push_back(path);
    found.push_back(fmt::format("{} is declared in {}", type, fmt::join(paths, " and ")));
  }
  return found;
}

std::vector<std::string> foreignNamespaces(const std::vector<Source>& sources,
                                           const DeclaredRooms& rooms) {
  static const std::regex kNamespace("^namespace (vintage[\\w:]*) \\{$");
  std::vector<std::string> found;
  for (const Source& source : sources) {
    const std::string room = roomOf(source.path, rooms);
    if (room == kDialects) continue;
    const std::string own = namespaceOf(room);
    const auto lines = linesOf(source.text);
    for (size_t i = 0; i < lines.size(); ++i) {
      std::smatch match;
      if (!std::regex_match(lines[i], match, kNamespace)) continue;
      const std::string name = match[1];
      const bool inner = own != "vintage" && name.starts_with(own + "::");
      if (name != own && !inner)
        found.push_back(fmt::format("{}:{}: {} instead of {}", source.path, i + 1, name, own));
    }
  }
  return found;
}

std::vector<std::string> openedInHeaders(const std::vector<Source>& sources) {
  static const std::regex kOpens("^\\s*using namespace ");
  std::vector<std::string> found;
  for (const Source& source : sources) {
    if (!source.path.ends_with(".h")) continue;
    const auto lines = linesOf(source.text);
    for (size_t i = 0; i < lines.size(); ++i)
      if (std::regex_search(lines[i], kOpens))
        found.push_back(fmt::format("{}:{}: `using namespace` in a header", source.path, i + 1));
  }
  return found;
}

std::vector<std::string> openingsOfStore(const std::vector<Source>& sources) {
  static const std::regex kSql(
      "\\b(SELECT [a-z0-9*(?]|INSERT (OR [A-Z]+ )?INTO |UPDATE [a-z_]+ SET |DELETE FROM |PRAGMA "
      "[a-z]|CREATE (TEMP )?TABLE )");
  std::map<std::string, std::vector<std::string>> includes;
  for (const Source& source : sources)
    for (const std::string& line : linesOf(source.text)) {
      std::smatch match;
      if (std::regex_search(line, match, includePattern()))
        includes[source.path].push_back(match[1]);
    }
  std::map<std::string, bool> known;
  const std::function<bool(const std::string&)> reaches = [&](const std::string& path) {
    if (path == "archive/store/database.h") return true;
    const auto [entry, isNew] = known.emplace(path, false);
    if (isNew) entry->second = std::ranges::any_of(includes[path], reaches);
    return known[path];
  };
  std::vector<std::string> found;
  for (const Source& source : sources) {
    if (source.path.starts_with("archive/store/")) continue;
    for (const std::string& path : includes[source.path])
      if (path.starts_with("archive/store/") && reaches(path))
        found.push_back(
            fmt::format("{} reaches the store's database through {}", source.path, path));
    const auto lines = linesOf(source.text);
    for (size_t i = 0; i < lines.size(); ++i)
      if (std::regex_search(lines[i], kSql))
        found.push_back(fmt::format("{}:{}: SQL outside of the store", source.path, i + 1));
  }
  return found;
}

}  // namespace vintage::tests::rooms
