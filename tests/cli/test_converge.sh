# Errors and orders of `cardan converge` against published figures and theory.
. "$(dirname "$0")/support.sh"

# figure PATH EXPECTED: agrees in all printed digits.
figure() {
    same "$last: $1" "$(python3 -c "print('%.2e' % float('$(json "$1")'))")" "$2"
}

# PEND of ACB15, Example 1: maximum errors in lambda for rho 0.9. For x0 = 0 the paper gives bounds
# for both starts together.
pend="converge pendulum --method ga3 --rho 0.9 --steps 2e-2,1e-2 --end 2 --json"
# shellcheck disable=SC2086
{
    code 0 $pend --set x0=0.2 --start plain
    figure runs.0.errors.lambda 2.48e-01
    figure runs.1.errors.lambda 1.23e-01
    near "order of lambda, plain start" "$(json runs.1.orders.lambda)" 1 0.05
    near "peak step" "$(json runs.1.lambda_peak_step)" 15 1
    code 0 $pend --set x0=0.2 --start acceleration
    figure runs.0.errors.lambda 2.48e-01
    figure runs.1.errors.lambda 1.23e-01
    same "name of the start" "$(json start)" acceleration
    near "order of lambda, (57) alone" "$(json runs.1.orders.lambda)" 1 0.05
    code 0 $pend --set x0=0.2 --start perturbed
    figure runs.0.errors.lambda 3.99e-03
    figure runs.1.errors.lambda 9.96e-04
    near "order of lambda, perturbed start" "$(json runs.1.orders.lambda)" 2 0.05
    # The values are those of an independent program for the pendulum's equations alone.
    while read -r start coarse fine; do
        code 0 $pend --set x0=0 --start "$start"
        near "x0 = 0, $start, h = 2e-2" "$(json runs.0.errors.lambda)" "$coarse" 1e-7
        below "x0 = 0, $start, h = 2e-2" "$(json runs.0.errors.lambda)" 3.955e-3
        near "x0 = 0, $start, h = 1e-2" "$(json runs.1.errors.lambda)" "$fine" 1e-8
        below "x0 = 0, $start, h = 1e-2" "$(json runs.1.errors.lambda)" 9.855e-4
    done <<'VALUES'
plain 3.9168e-3 9.8028e-4
perturbed 3.9362e-3 9.8514e-4
VALUES
}

# Order 2 in every quantity with the defaults, at the end as well.
for norm in max end; do
    code 0 converge pendulum --steps 1e-2,5e-3,2.5e-3 --norm $norm --json
    for quantity in q v vdot lambda; do
        near "$norm order of $quantity" "$(json runs.2.orders.$quantity)" 2 0.1
    done
done
code 0 converge pendulum --steps 1e-2,5e-3 --json
near "order of eta" "$(json runs.1.orders.eta)" 2 0.2
same "first run has no order" "$(json runs.0.orders.q)" null

# Beyond the transient the plain start is of order 2.
code 0 converge pendulum --method ga3 --rho 0.6 --start plain --skip 1 --end 2 \
    --steps 1e-2,5e-3 --json
near "order of lambda after the transient" "$(json runs.1.orders.lambda)" 2 0.1
same "ga3 has no eta" "$(json runs.1.errors.eta)" null

# On a Lie group.
code 0 converge heavy_top --steps 1e-3,5e-4 --end 0.2 --json
for quantity in q v lambda eta; do
    near "heavy_top order of $quantity" "$(json runs.1.orders.$quantity)" 2 0.2
done

# A problem without constraints has no lambda.
code 0 converge oscillator --steps 2e-2,1e-2 --json
near "oscillator order of q" "$(json runs.1.orders.q)" 2 0.1
same "oscillator lambda" "$(json runs.1.errors.lambda)" null

# The table: a head, a line a step, the same figures as the JSON.
code 0 converge pendulum --method ga3 --rho 0.9 --start plain --steps 2e-2,1e-2 --end 2
silent
same "table head" "$(sed -n 5p "$work/out" | tr -s ' ')" \
    " h q order v order vdot order lambda order at n"
same "lambda in the table" "$(sed -n 6,7p "$work/out" | awk '{ print $8 }' | tr '\n' ' ')" \
    "2.48e-01 1.23e-01 "
code 0 converge pendulum --steps 2e-2,1e-2 --end 2
prints '|eta| order'

# Steps that divide the span only to rounding, and in any order.
code 0 converge pendulum --end 1 --steps 0.016666666666667,0.03333333333333 --json
near "order with growing steps" "$(json runs.1.orders.q)" 2 0.1

finish
