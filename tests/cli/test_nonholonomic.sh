# The options and refusals that belong to nonholonomic constraints.
. "$(dirname "$0")/support.sh"

code 2 run skate --method ga3
says 'use `nonholonomic` or `ga2s`'
code 2 run skate --method ga3 --expert
says 'use `nonholonomic` or `ga2s`'
code 2 run jay1 --method nonholonomic --mass now
says 'predicted'

# Two choices of M_alpha, two results; the first is the default.
state() {
    code 0 run jay1 --method nonholonomic --rho 0.2 --step 0.0125 --end 1 --quiet --json "$@"
    json state
}
default=$(state)
predicted=$(state --mass predicted)
previous=$(state --mass previous)
same "default of --mass" "$default" "$predicted"
checks=$((checks + 1))
[ "$predicted" != "$previous" ] || fail "--mass previous changes nothing"

finish
