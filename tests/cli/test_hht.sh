# hht, hht3 and hht2 from the command line: their options, defaults and refusals.
. "$(dirname "$0")/support.sh"

code 0 converge jn1 --method hht3 --params hht:-0.15 --b 0.3 --end 1 --steps 0.02,0.01
prints 'jn1 by hht3 (hht:-0.15, perturbed start)'
for variant in full explicit midpoint midpoint-explicit lunk-simeon; do
    code 0 converge jn1 --method hht3 --variant $variant --end 1 --steps 0.02,0.01
    prints 'hht:-0.1,'
done
code 0 run skate --method hht2 --rho 0.6 --end 0.1 --out "$work/skate.csv"
prints 'skate by hht2 (hht:-0.25,'
code 0 run oscillator --method hht --end 0.1 --out "$work/oscillator.csv"
prints 'oscillator by hht (hht:-0.1,'

# The multipliers of a step, with the times they belong to: lambda of jn1 is e^-t.
code 0 run jn1 --method hht3 --b 0.3 --step 0.01 --end 0.5 --stages --out "$work/stages.csv"
same "stage columns" "$(head -1 "$work/stages.csv" | cut -d, -f7-10)" \
    'stage1_t,stage1_1,stage2_t,stage2_1'
same "no stages before the first step" "$(sed -n 2p "$work/stages.csv" | cut -d, -f7-10)" \
    'nan,nan,nan,nan'
same "their mean is lambda in the middle of the step" "$(tail -1 "$work/stages.csv" |
    awk -F, '{ e = ($8 + $10) / 2 - exp(-($7 + $9) / 2); print (e < 1e-4 && e > -1e-4) }')" 1
code 2 run pendulum --stages
says 'belong to t'
code 2 run pendulum --method midpoint --stages --sample 0.1
says '--sample'

code 2 run jn1 --method hht3 --b 0.5
says 'b != 1/2'
code 2 run jn1 --method hht3 --b x
says '--b'
for variant in midpoint midpoint-explicit; do
    code 2 run jn1 --method hht3 --variant $variant --b 0.1
    says 'b = 0'
done
code 2 run jn1 --method hht3 --variant middle
says 'choose `full`, `explicit`, `midpoint`, `midpoint-explicit` or `lunk-simeon`'
code 2 run jn1 --method hht3 --rho 0.4
says 'damping 0.5 to 1'
code 2 run jn1 --method hht3 --params ch:0.8
says 'needs parameters of the HHT family'
says '--variant lunk-simeon'
code 2 run jn1 --method hht3 --variant lunk-simeon --rho 0.4
says '--variant lunk-simeon --params ch:0.4'
code 0 converge jn1 --method hht3 --variant lunk-simeon --params ch:0.4 --end 1 --steps 0.02,0.01
prints 'jn1 by hht3 (ch:0.4,'
code 0 converge jn1 --method hht3 --start trapezoidal --end 1 --steps 0.02,0.01
prints 'trapezoidal start'
code 2 run jn1 --method ga3 --start trapezoidal
says 'the trapezoidal start is one of hht, hht2 and hht3'
code 2 run jn1 --method ga3 --b 0.3
says '--b is an option of `hht3` and the method is `ga3`'
code 2 run jn1 --variant midpoint
says '--variant is an option of `hht3`'
code 2 run jn1 --method hht3 --penalty 10
says '--penalty is an option of `conserving`'
code 2 converge jn1 --mass previous --steps 0.02,0.01
says '--mass is an option of `nonholonomic`'
code 2 run jn1 --method hht
says 'use hht3'
code 2 run jn1 --method hht2
says 'use hht3'
code 2 run skate --method hht3
says 'hht2'
finish
