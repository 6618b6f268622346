#include "harness/command/verb.h"

int main(int argc, char** argv) {
  return vintage::harness::runCommandLine(std::vector<std::string>(argv, argv + argc));
}
