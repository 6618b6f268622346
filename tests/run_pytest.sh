#!/bin/sh
# usage: run_pytest.sh FOLDER [OPTIONS of pytest]
# Runs its tests with the first Python that has pytest; 77 says that there is none.
for python in python3 /usr/bin/python3; do
  if "$python" -c 'import pytest' 2>/dev/null; then
    exec "$python" -m pytest -rs "$@"
  fi
done
echo "no python3 here has pytest (Debian: apt-get install python3-pytest); nothing was tested"
exit 77
