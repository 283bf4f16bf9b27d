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

# ACB15 Remark 4(c): with the factor -alpha_m/(1 - alpha_m) of a along the motion.
code 0 explain ga2s --rho 0
prints "spectral radius of both             0.5"
code 0 explain ga2s --rho 0 --json
near "Remark 4(c), rho 0" "$(json recursion.spectral_radius)" 0.5 1e-15
near "T_+^-1 T_0 alone" "$(json recursion.normal_radius)" 0.333333333333333 1e-14
code 0 explain ga2s --rho 0.1 --json
near "Remark 4(c), rho 0.1" "$(json recursion.spectral_radius)" 0.421052631578947 1e-14
code 0 explain ga3 --rho 0 --json
near "ga3, rho 0" "$(json recursion.spectral_radius)" 0.5 1e-15
near "ga3, rho 0, T_+^-1 T_0" "$(json recursion.normal_radius)" 0 1e-15

# ACB15 Sec. 4.1: the Jordan form (condition by numpy) and the overshoot (numpy).
code 0 explain ga3 --rho 0.9 --omega 1,1e4
prints "one block with mu = -0.9"
prints "condition of X                      11.7388"
prints " 1.96"
prints "34.27"
code 0 explain ga3 --rho 0.9 --omega 1,10 --json
near "mu" "$(json recursion.jordan.mu)" -0.9 1e-15
near "X_12" "$(json recursion.jordan.x.0.1)" 0.0263157894736842 1e-15
near "condition" "$(json recursion.jordan.condition)" 11.738847811015605 1e-9
near "overshoot" "$(json spectrum.1.overshoot)" 11.02045113101504 1e-9
same "overshoot is reached at" "$(json spectrum.1.overshoot_step)" 3
near "T_+(z)" "$(json spectrum.1.plus.0.1)" 0.01 1e-17
near "T_0(z)" "$(json spectrum.1.zero.0.1)" 0.01 1e-17
code 0 explain ga3 --params hht:-0.1 --json
same "no triple eigenvalue" "$(json recursion.jordan)" null

# The other methods.
code 0 explain ga2 --rho 0.7
prints "constraints linearly in time"
code 0 explain ga1 --rho 0.7
prints "quadratically"
code 0 explain ga1 --rho 0.7 --json
near "ga1" "$(json recursion.spectral_radius)" 0.307692307692308 1e-14
for method in conserving midpoint; do
    code 0 explain "$method"
    prints "changes its sign in every step"
    code 0 explain "$method" --json
    valid_json
    near "$method" "$(json recursion.spectral_radius)" 1 1e-15
    near "$method: largest power" "$(json recursion.peak)" 2.23606797749979 1e-14
done
code 0 explain trapezoidal
prints "double eigenvalue -1"
prints "unbounded"

# Jay11 Theorem 6.1: r_gamma = r_alpha_f for rho = 3 - 2 sqrt(2).
code 0 explain nonholonomic --rho 0.8 --json
near "r_gamma" "$(json rates.gamma)" 0.636363636363636 1e-14
near "r_alpha_m" "$(json rates.alpha_m)" 0.5 1e-14
near "r_alpha_f" "$(json rates.alpha_f)" 0.8 1e-14
same "fit" "$(json rates.fit)" True
code 0 explain nonholonomic --rho 0.17157287525380990
prints "the first and the last not equal                          FAILS"
code 0 explain nonholonomic --rho 0.17157287525380990 --json
same "equal rates" "$(json rates.fit)" False

for method in ga3 ga2s ga2 ga1 nonholonomic hht hht3 hht2 conserving midpoint trapezoidal; do
    code 0 explain "$method"
    same "$method: widest line fits" "$(awk 'length > 80' "$work/out" | wc -l)" 0
done

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
code 2 explain rk5
says "explicit Runge-Kutta"
code 2 explain midpoint --rho 0.5
says "midpoint has no parameters"
code 2 explain conserving --params ch:0.5
says "conserving has no parameters"
code 0 explain hht3 --params ch:0.4
prints "no transient"
code 2 explain hht2 --rho 0.9
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
