#!/bin/sh
# The simulation: SIM_RUNS seeds from SIM_SEED on, optimised, and then the builds that are wrong on purpose.
set -eu
cd "$(dirname "$0")/.."
. scripts/toolchain.sh

SIM_SEED=${SIM_SEED:-1}
SIM_RUNS=${SIM_RUNS:-2000}
export SIM_SEED SIM_RUNS
exec cargo test --quiet --profile tool --features mutations --test sim -- --nocapture
