#!/bin/sh
# usage: run_pytest.sh FOLDER [OPTIONS of pytest]
# Runs its tests with the first Python that has pytest, and the module that PYTEST_NEEDS names;
# 77 says that there is none.
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import pytest'"${PYTEST_NEEDS:+, $PYTEST_NEEDS}" 2>/dev/null; then
    # How builds are started is the user's state; tests have one of their own.
    XDG_STATE_HOME="$(mktemp -d)"
    export XDG_STATE_HOME
    status=0
    "$python" -m pytest -rs "$@" || status=$?
    rm -rf "$XDG_STATE_HOME"
    exit $status
  fi
done
echo "no python3 here has pytest${PYTEST_NEEDS:+ and $PYTEST_NEEDS}; nothing was tested (Debian:" \
  "apt-get install python3-pytest${PYTEST_NEEDS:+ python3-$PYTEST_NEEDS})"
exit 77
