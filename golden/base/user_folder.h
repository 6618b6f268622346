// Folders of the user who runs the program, by the XDG Base Directory Specification.
#pragma once

#include <filesystem>

namespace vintage {

// The folder that `variable` names ("XDG_STATE_HOME"), else `below` (".local/state") of the user's
// home: HOME, or the home in passwd, since a service of systemd and a command under chroot(8) have
// no HOME. Paths that are not absolute are ignored. Empty: the user has none of them.
std::filesystem::path userFolder(const char* variable, const char* below);

}  // namespace vintage
