#!/bin/sh
# usage: run_pytest.sh FOLDER [OPTIONS of pytest]
# Runs its tests with the first Python that has pytest, and the module that PYTEST_NEEDS names;
# 77 says that there is none.
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import pytest'"${PYTEST_NEEDS:+, $PYTEST_NEEDS}" 2>/dev/null; then
    exec "$python" -m pytest -rs "$@"
  fi
done
echo "no python3 here has pytest${PYTEST_NEEDS:+ and $PYTEST_NEEDS}; nothing was tested (Debian:" \
  "apt-get install python3-pytest${PYTEST_NEEDS:+ python3-$PYTEST_NEEDS})"
exit 77
