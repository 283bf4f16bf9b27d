/* IDA on the stabilised index-2 form: see ida.h. */
#include "ida.h"

#include "coordinates.h"
#include "ida_jacobian.h"

#include <cardan/evaluator.h>

#include <ida/ida.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunmatrix/sunmatrix_sparse.h>

struct peer_ida {
    const cardan_group *group;
    cardan_evaluator *evaluator;
    peer_sizes sizes;
    peer_jacobian jacobian; /* without entries: differences and a full matrix (SE(3)) */
    double *room;           /* what follows, in one piece */
    double *q;              /* element of the group */
    double *velocity;       /* v - B^T mu */
    double *rate;           /* of the coordinates */
    double t, end;

    SUNContext context;
    void *ida;
    N_Vector y, yp, id, absolute;
    SUNMatrix matrix;
    SUNLinearSolver solver;
    char complaint[400]; /* the last message of IDA */
};

const char *peer_ida_text(void)
{
    return "IDA of SUNDIALS " SUNDIALS_VERSION ", stabilised index-2 form";
}

static cardan_status fail(cardan_error *error, cardan_status status, const char *what,
                          const char *why)
{
    error->status = status;
    snprintf(error->text, sizeof error->text, "%s%s%.400s", what, why[0] != '\0' ? ": " : "", why);
    return status;
}

static cardan_point point_in(const peer_ida *peer, double t, const double *y, const double *yp)
{
    const double *v = y + peer->sizes.coordinates, *lambda = v + peer->sizes.dof;
    peer_coordinates_element(peer->group, y, peer->q);
    return (cardan_point){
        t, peer->q, v, yp + peer->sizes.coordinates, lambda, lambda + peer->sizes.constraints};
}

/* v - B^T mu with the B of the point evaluated last. */
static void find_velocity(peer_ida *peer, const cardan_point *at, const double *mu)
{
    cardan_evaluator_reaction(peer->evaluator, mu, peer->velocity);
    for (int i = 0; i < peer->sizes.dof; i++)
        peer->velocity[i] = at->v[i] - peer->velocity[i];
}

static int residual(double t, N_Vector y_in, N_Vector yp_in, N_Vector out, void *context)
{
    peer_ida *peer = context;
    const double *y = N_VGetArrayPointer(y_in), *yp = N_VGetArrayPointer(yp_in);
    const cardan_point at = point_in(peer, t, y, yp);
    const double *mu = at.psi + peer->sizes.nonholonomic, *nu = mu + peer->sizes.constraints;
    double *dynamics = N_VGetArrayPointer(out) + peer->sizes.coordinates;
    double *position = dynamics + peer->sizes.dof,
           *nonholonomic = position + peer->sizes.constraints;
    double *hidden = nonholonomic + peer->sizes.nonholonomic,
           *unit = hidden + peer->sizes.constraints;
    const cardan_equations equations = {dynamics, position, hidden, nonholonomic};
    const cardan_status status = cardan_evaluator_evaluate(peer->evaluator, &at, &equations);
    if (status != CARDAN_OK)
        return status;
    find_velocity(peer, &at, mu);
    peer_coordinates_rate(peer->group, y, peer->velocity, nu, peer->rate, unit);
    for (int i = 0; i < peer->sizes.coordinates; i++)
        N_VGetArrayPointer(out)[i] = yp[i] - peer->rate[i];
    return 0;
}

/* IDA has evaluated the residual at the same point just before. */
static int jacobian(double t, double c, N_Vector y_in, N_Vector yp_in, N_Vector unused_residual,
                    SUNMatrix matrix, void *context, N_Vector unused1, N_Vector unused2,
                    N_Vector unused3)
{
    peer_ida *peer = context;
    peer_jacobian *j = &peer->jacobian;
    const double *y = N_VGetArrayPointer(y_in), *yp = N_VGetArrayPointer(yp_in);
    const cardan_point at = point_in(peer, t, y, yp);
    (void)unused_residual;
    (void)unused1;
    (void)unused2;
    (void)unused3;
    SUNMatZero(matrix);
    for (int i = 0; i <= j->sizes.count; i++)
        SUNSparseMatrix_IndexPointers(matrix)[i] = j->column_start[i];
    for (int i = 0; i < j->entries; i++)
        SUNSparseMatrix_IndexValues(matrix)[i] = j->row[i];
    find_velocity(peer, &at, at.psi + peer->sizes.nonholonomic);
    return peer_jacobian_evaluate(j, &at, y, peer->velocity, c, SUNSparseMatrix_Data(matrix));
}

/* Kept for the sentence of a failure instead of being printed. */
static void keep_complaint(int code, const char *module, const char *function, char *message,
                           void *context)
{
    peer_ida *peer = context;
    (void)code;
    snprintf(peer->complaint, sizeof peer->complaint, "%s, %s: %s", module, function, message);
}

static void set_start(peer_ida *peer, const cardan_state *start)
{
    double *y = N_VGetArrayPointer(peer->y), *yp = N_VGetArrayPointer(peer->yp);
    double *v = y + peer->sizes.coordinates, *lambda = v + peer->sizes.dof;
    const size_t number = sizeof *y;
    N_VConst(0.0, peer->y);
    N_VConst(0.0, peer->yp);
    peer_coordinates_of(peer->group, start->q, peer->velocity, y);
    memcpy(v, start->v, (size_t)peer->sizes.dof * number);
    memcpy(yp + peer->sizes.coordinates, start->vdot, (size_t)peer->sizes.dof * number);
    if (peer->sizes.constraints > 0)
        memcpy(lambda, start->lambda, (size_t)peer->sizes.constraints * number);
    if (peer->sizes.nonholonomic > 0)
        memcpy(lambda + peer->sizes.constraints, start->psi,
               (size_t)peer->sizes.nonholonomic * number);
    const double *nu = y + peer->sizes.count - peer->sizes.quaternions;
    peer_coordinates_rate(peer->group, y, v, nu, yp, peer->rate);
    N_VConst(0.0, peer->id);
    for (int i = 0; i < peer->sizes.coordinates + peer->sizes.dof; i++)
        N_VGetArrayPointer(peer->id)[i] = 1.0;
}

/* IDA's own choice at rest, where velocities weigh next to nothing, is so short that rounding
 * errors of the constraints, which mu takes up times 1 / h, keep Newton's method from converging.
 * The error test shortens this one as needed. */
static double first_step(const peer_ida *peer, cardan_tolerance tolerance)
{
    return 0.1 * sqrt(fmax(tolerance.relative, tolerance.absolute)) * (peer->end - peer->t);
}

/* mu and nu are zero but for rounding errors of Phi and |p| over h: whether these get smaller says
 * nothing about convergence. What they do to positions is judged there. */
static void set_tolerances(peer_ida *peer, double absolute)
{
    const double ignored = 1e6;
    double *tolerances = N_VGetArrayPointer(peer->absolute);
    const int judged = peer->sizes.count - peer->sizes.constraints - peer->sizes.quaternions;
    for (int i = 0; i < peer->sizes.count; i++)
        tolerances[i] = i < judged ? absolute : ignored;
}

/* Multipliers stay out of the error test, as is usual for index 2: their errors are of lower order
 * in the predictor and would only shorten the steps. */
static bool configure(peer_ida *peer, cardan_tolerance tolerance)
{
    return IDASetErrHandlerFn(peer->ida, keep_complaint, peer) == IDA_SUCCESS &&
           IDAInit(peer->ida, residual, peer->t, peer->y, peer->yp) == IDA_SUCCESS &&
           IDASVtolerances(peer->ida, tolerance.relative, peer->absolute) == IDA_SUCCESS &&
           IDASetUserData(peer->ida, peer) == IDA_SUCCESS &&
           IDASetLinearSolver(peer->ida, peer->solver, peer->matrix) == IDA_SUCCESS &&
           (peer->jacobian.entries == 0 || IDASetJacFn(peer->ida, jacobian) == IDA_SUCCESS) &&
           IDASetId(peer->ida, peer->id) == IDA_SUCCESS &&
           IDASetSuppressAlg(peer->ida, SUNTRUE) == IDA_SUCCESS &&
           IDASetInitStep(peer->ida, first_step(peer, tolerance)) == IDA_SUCCESS &&
           IDASetMaxNumSteps(peer->ida, -1) == IDA_SUCCESS &&
           IDASetStopTime(peer->ida, peer->end) == IDA_SUCCESS;
}

/* KLU with analytic derivatives. */
static bool make_solver(peer_ida *peer, const cardan_system *system)
{
    const int n = peer->sizes.count;
    if (peer_jacobian_create(&peer->jacobian, system, peer->evaluator)) {
        peer->matrix = SUNSparseMatrix(n, n, peer->jacobian.entries, CSC_MAT, peer->context);
        if (peer->matrix != NULL)
            peer->solver = SUNLinSol_KLU(peer->y, peer->matrix, peer->context);
        return peer->solver != NULL;
    }
    peer->matrix = SUNDenseMatrix(n, n, peer->context);
    if (peer->matrix != NULL)
        peer->solver = SUNLinSol_Dense(peer->y, peer->matrix, peer->context);
    return peer->solver != NULL;
}

static bool allocate(peer_ida *peer, const cardan_system *system)
{
    const int size = cardan_group_size(peer->group);
    const int rates = peer->sizes.coordinates + peer->sizes.quaternions;
    peer->room = calloc((size_t)(size + peer->sizes.dof + rates), sizeof *peer->room);
    if (peer->room == NULL || SUNContext_Create(NULL, &peer->context) != 0 ||
        cardan_evaluator_create(&peer->evaluator, system, NULL, NULL) != CARDAN_OK)
        return false;
    peer->q = peer->room;
    peer->velocity = peer->q + size;
    peer->rate = peer->velocity + peer->sizes.dof;
    peer->y = N_VNew_Serial(peer->sizes.count, peer->context);
    peer->yp = N_VNew_Serial(peer->sizes.count, peer->context);
    peer->id = N_VNew_Serial(peer->sizes.count, peer->context);
    peer->absolute = N_VNew_Serial(peer->sizes.count, peer->context);
    peer->ida = IDACreate(peer->context);
    return peer->y != NULL && peer->yp != NULL && peer->id != NULL && peer->absolute != NULL &&
           peer->ida != NULL && make_solver(peer, system);
}

cardan_status peer_ida_create(peer_ida **peer, const cardan_system *system,
                              const cardan_state *start, cardan_tolerance tolerance, double end,
                              cardan_error *error)
{
    peer_ida *made = calloc(1, sizeof *made);
    *peer = NULL;
    if (made == NULL)
        return fail(error, CARDAN_OUT_OF_MEMORY, "no memory for IDA", "");
    made->group = cardan_system_describe(system).group;
    made->sizes = peer_sizes_of(system);
    made->t = start->t;
    made->end = end;
    if (!allocate(made, system)) {
        peer_ida_destroy(made);
        return fail(error, CARDAN_OUT_OF_MEMORY, "no memory for IDA", "");
    }
    set_start(made, start);
    set_tolerances(made, tolerance.absolute);
    if (!configure(made, tolerance)) {
        const cardan_status status =
            fail(error, CARDAN_UNSUPPORTED, "IDA refuses its settings", made->complaint);
        peer_ida_destroy(made);
        return status;
    }
    *peer = made;
    return CARDAN_OK;
}

void peer_ida_destroy(peer_ida *peer)
{
    if (peer == NULL)
        return;
    if (peer->ida != NULL)
        IDAFree(&peer->ida);
    if (peer->solver != NULL)
        SUNLinSolFree(peer->solver);
    if (peer->matrix != NULL)
        SUNMatDestroy(peer->matrix);
    N_Vector vectors[] = {peer->y, peer->yp, peer->id, peer->absolute};
    for (int i = 0; i < 4; i++)
        if (vectors[i] != NULL)
            N_VDestroy(vectors[i]);
    if (peer->context != NULL)
        SUNContext_Free(&peer->context);
    peer_jacobian_destroy(&peer->jacobian);
    cardan_evaluator_destroy(peer->evaluator);
    free(peer->room);
    free(peer);
}

void peer_ida_order_by_amd(peer_ida *peer)
{
    if (peer->jacobian.entries > 0)
        SUNLinSol_KLUSetOrdering(peer->solver, 0);
}

cardan_status peer_ida_step(peer_ida *peer, cardan_error *error)
{
    peer->complaint[0] = '\0';
    const int code = IDASolve(peer->ida, peer->end, &peer->t, peer->y, peer->yp, IDA_ONE_STEP);
    return code >= 0 ? CARDAN_OK
                     : fail(error, CARDAN_NOT_CONVERGED, "IDA stopped", peer->complaint);
}

cardan_status peer_ida_advance(peer_ida *peer, double t, cardan_error *error)
{
    peer->complaint[0] = '\0';
    const int code = IDASolve(peer->ida, t, &peer->t, peer->y, peer->yp, IDA_NORMAL);
    return code >= 0 ? CARDAN_OK
                     : fail(error, CARDAN_NOT_CONVERGED, "IDA stopped", peer->complaint);
}

cardan_point peer_ida_point(peer_ida *peer)
{
    return point_in(peer, peer->t, N_VGetArrayPointer(peer->y), N_VGetArrayPointer(peer->yp));
}

peer_work peer_ida_work(const peer_ida *peer)
{
    peer_work work = {0};
    long errors = 0, failures = 0;
    IDAGetNumSteps(peer->ida, &work.steps);
    IDAGetNumErrTestFails(peer->ida, &errors);
    IDAGetNumStepSolveFails(peer->ida, &failures);
    IDAGetNumResEvals(peer->ida, &work.residuals);
    IDAGetNumLinResEvals(peer->ida, &work.differences);
    IDAGetNumNonlinSolvIters(peer->ida, &work.iterations);
    IDAGetNumJacEvals(peer->ida, &work.matrices);
    IDAGetNumLinSolvSetups(peer->ida, &work.factorizations);
    work.rejected = errors + failures;
    return work;
}
