# cardan explain: exit codes, sentences, table width, and its JSON against the stored reference.
. "$(dirname "$0")/support.sh"

code 0 explain ga3 --rho 0.9
silent
prints "34.2653 at n = 14"
prints "31.933 at n = 15"
prints "peak"
prints "0.999999999999271"
same "widest line fits" "$(awk 'length > 80' "$work/out" | wc -l)" 0

code 0 explain ga2s
prints "parameters ch:0.8"
prints "no large oscillations"
code 0 explain nonholonomic --rho 0.2
prints "generalized-alpha with averaged forces, parameters ch:0.2"
prints "With nonholonomic and a plain start"
code 0 explain hht3
prints "parameters hht:-0.1"
prints "no transient"
code 0 explain hht2 --params hht:-0.3 --json
valid_json
same "no recursion of hht2" "$(json recursion)" null
near "shift" "$(json shift)" -0.3 1e-15
near "damping at infinity, (1 - 0.3) / (1 + 0.3)" "$(json spectrum.10.spectral_radius)" \
    0.538461538461538 1e-6
code 0 explain ga3 --params stoermer
prints "only conditionally stable"
prints "singular for beta = 0"
code 0 explain ga3 --rho 1
prints "unbounded"

code 0 explain ga3 --rho 0.9 --omega 0.01,1e8 --json
valid_json
near "damping at 0.01" "$(json spectrum.0.damping_ratio)" 7.28956406773228e-11 1e-24
near "spurious root at 1e8" "$(json spectrum.1.spurious_root)" -0.899993720624583 1e-15
near "radius" "$(json recursion.spectral_radius)" 0.9 1e-15
same "peak step" "$(json recursion.peak_step)" 14
code 0 explain ga3 --rho 1 --json
valid_json
same "infinite peak" "$(json recursion.peak)" null
code 0 explain ga3 --params stoermer --json
same "no recursion" "$(json recursion)" null

code 2 explain
says "no method is given"
code 2 explain ga4
says "did you mean \`ga3\`"
code 2 explain midpoint
says "unknown method with parameters"
code 2 explain hht3 --rho 0.9
says "--params hht:ALPHA"
code 2 explain hht --params ch:0.8
says "HHT family only"
code 2 explain ga3 ga2s
says "one argument too many"
code 2 explain ga3 --rho 1.5
says "0 <= rho <= 1"
code 2 explain ga3 --rho 0.5 --params ch:0.5
says "exclude each other"
code 2 explain ga3 --params nosuch:1
says "newmark:beta,gamma"
code 2 explain ga3 --omega 0
says "not positive"
code 2 explain ga3 --params free:1,0,0,0.5
says "singular at omega h"
finish
