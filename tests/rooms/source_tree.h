// The rooms of cmake/rooms.txt, and what the sources below them include and declare.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace vintage::tests::rooms {

// Room -> the rooms that it may use, as cmake/rooms.txt declares them.
using DeclaredRooms = std::map<std::string, std::set<std::string>>;
DeclaredRooms parseRooms(std::string_view text);

struct Source {
  std::string path;  // "golden/base/result.h"
  std::string text;
};
// Every .h, .cpp and .td below the rooms' folders.
std::vector<Source> readSources(const std::string& root, const DeclaredRooms& rooms);

// The innermost room that holds the path; empty where none does.
std::string roomOf(std::string_view path, const DeclaredRooms& rooms);

// "gate/change.h:12: harness/gate may not include harness/command/verb.h": one
// line for each include of a room that is not declared.
std::vector<std::string> forbiddenIncludes(const std::vector<Source>& sources,
                                           const DeclaredRooms& rooms);
// Edges that are declared and that no file needs.
std::vector<std::string> unusedEdges(const std::vector<Source>& sources,
                                     const DeclaredRooms& rooms);
// A cycle as "a -> b -> a"; empty where there is none.
std::string findCycle(const DeclaredRooms& rooms);
// Types declared under one name in the headers of two rooms.
std::vector<std::string> typesDeclaredTwice(const std::vector<Source>& sources,
                                            const DeclaredRooms& rooms);
// Files whose namespace is not that of their top-level folder; golden/base is in `vintage` itself.
std::vector<std::string> foreignNamespaces(const std::vector<Source>& sources,
                                           const DeclaredRooms& rooms);
// Headers that open a namespace for whoever includes them.
std::vector<std::string> openedInHeaders(const std::vector<Source>& sources);

// Ways around the store: files outside of archive/store that reach its database, through whatever
// headers, or hold a text of SQL.
std::vector<std::string> openingsOfStore(const std::vector<Source>& sources);

}  // namespace vintage::tests::rooms
