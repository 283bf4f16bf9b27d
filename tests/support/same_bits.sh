#!/usr/bin/env bash
# Runs a test program, and again with 2 and 4 threads in every integrator that leaves their number
# open: it passes, and all integrators end with the bits that they had at first (thread_count.c).
# usage: same_bits.sh PROGRAM
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

CARDAN_TEST_DIGEST=$work/plain "$1"
[ -s "$work/plain" ] || exit 0 # no integrator
sort "$work/plain" >"$work/expected"
for threads in 2 4; do
    CARDAN_TEST_THREADS=$threads CARDAN_TEST_DIGEST=$work/$threads "$1" >"$work/out" ||
        { cat "$work/out"; echo "FAILED with $threads threads"; exit 1; }
    sort "$work/$threads" >"$work/got"
    diff "$work/expected" "$work/got" || { echo "FAILED: other bits with $threads threads"; exit 1; }
done
echo "$(wc -l <"$work/plain") integrators: the same bits with 2 and 4 threads"
