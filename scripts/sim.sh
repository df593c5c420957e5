#!/bin/sh
# The simulation: SIM_RUNS seeds from SIM_SEED on, optimised, then the builds that are wrong on purpose, and the exhaustive
# model of leases; with LONG=1 that once more with two operations and two faults.
set -eu
cd "$(dirname "$0")/.."
. scripts/toolchain.sh

SIM_SEED=${SIM_SEED:-1}
SIM_RUNS=${SIM_RUNS:-2000}
export SIM_SEED SIM_RUNS
cargo test --quiet --profile tool --features mutations --test sim -- --nocapture
[ -n "${LONG:-}" ] || exit 0
LEASES_OPERATIONS=2 LEASES_FAULTS=2
export LEASES_OPERATIONS LEASES_FAULTS
exec cargo test --quiet --profile tool --features mutations --test sim -- --nocapture small::in_no
