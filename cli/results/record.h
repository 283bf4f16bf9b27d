/* One row of results: the named values at the integrator's current state. */
#ifndef CLI_RECORD_H
#define CLI_RECORD_H

#include "cli/setup/case.h"
#include <cardan/integrator.h>
#include <cardan/redundancy.h>

/* How many multipliers have columns. */
typedef struct cli_multipliers {
    int etas; /* m, or 0: not shown */
    int of_stage;
} cli_multipliers;

typedef struct cli_record {
    cli_case *problem;
    cardan_integrator *integrator;
    cardan_model *model; /* whose rows left out count as residuals between states; or NULL */
    int outputs;         /* of the problem */
    int etas;            /* stabilisation multipliers shown: m or 0 */
    int stages;          /* of the method's own multipliers that are shown, each with its time */
    int stage_size;
    int columns; /* t, outputs, etas, stages, phi_max, hidden_max, kinetic, potential, energy and,
                    with a energy balance, work, dE_i, dE_p */
    int tail;    /* how many of them follow outputs, etas and stages */
    double *values;
    char *name; /* room for one */
    size_t name_size;

    /* Maxima over all measured states, and the energies at the first one. */
    double phi_largest, hidden_largest;
    double kinetic_first, potential_first;
    double energy_deviation; /* largest |energy - first energy| */
    int measured;            /* whether there was a first one */
} cli_record;

cli_record *cli_record_create(cli_case *problem, cardan_integrator *integrator,
                              cli_multipliers kept, int stages, bool with_energy_balance);
void cli_record_destroy(cli_record *record);

/* The name of a column, until the next is asked for; and a list of copies of all, which the caller
 * releases. */
const char *cli_record_name(cli_record *record, int i);
char **cli_record_names(cli_record *record);

/* The integrator's current state. */
cardan_point cli_record_point(const cli_record *record);

/* Measures residuals and energies at the current state; to be called once at every step. */
cardan_status cli_record_measure(cli_record *record, double t);

/* Fills in the problem's outputs and eta, for a row that is to be shown. */
void cli_record_fill(cli_record *record);

/* Fills all columns but those of the energy balance at any point, shown as time `t`; `eta` is that
 * of its step. On failure `error` holds the sentence. */
cardan_status cli_record_at(cli_record *record, const cardan_system *system, double t,
                            const cardan_point *at, const double *eta, cardan_error *error);

/* Fills the columns of the energy balance for the state before an event that gained `energy`. */
void cli_record_energy_balance_before(cli_record *record, double energy);

/* Residuals of the measured state: of positions, of velocities. */
const double *cli_record_health(const cli_record *record);

/* The energies of the measured state. */
double cli_record_kinetic(const cli_record *record);
double cli_record_potential(const cli_record *record);
double cli_record_energy(const cli_record *record);

#endif
