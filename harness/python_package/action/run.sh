#!/bin/sh
# The step of action.yml: installs the package beside nothing, and runs the window.
set -eu

environment="${RUNNER_TEMP:?a folder for the environment}/vintage"
"${VINTAGE_ACTION_PYTHON:-python3}" -m venv "$environment"
"$environment/bin/pip" install --quiet "${VINTAGE_ACTION_PACKAGE:-vintage-archive}"
# Several releases and words stand in one input.
# shellcheck disable=SC2086
exec "$environment/bin/python" -m vintage.action --archive "$VINTAGE_ACTION_ARCHIVE" \
  --jax ${VINTAGE_ACTION_JAX:-window} --scope ${VINTAGE_ACTION_SCOPE:-cpu backward} \
  --report "$RUNNER_TEMP/vintage-window.json"
