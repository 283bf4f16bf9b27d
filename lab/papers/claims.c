/* The table of claims, and which rows show them. */
#include "claims.h"

#include <string.h>

#define CLAIM(place, text, code, rows)    {place, text, code, rows, false},
#define MISPRINT(place, text, code, rows) {place, text, code, rows, true},

static const papers_claim acb15[] = {
#include "claims_acb15.def"
};
static const papers_claim acbr[] = {
#include "claims_acbr.def"
};
static const papers_claim jay11[] = {
#include "claims_jay11.def"
};
static const papers_claim jn07[] = {
#include "claims_jn07.def"
};
static const papers_claim go10[] = {
#include "claims_go10.def"
};

#define COUNT(claims) ((int)(sizeof(claims) / sizeof(claims)[0]))

static const papers_paper papers[] = {
    {"ACB15",
     "M. Arnold, O. Brüls, A. Cardona: Error analysis of generalized-α Lie group time "
     "integration methods for constrained mechanical systems, Numerische Mathematik, 2015",
     acb15, COUNT(acb15)},
    {"ACB-R",
     "M. Arnold, A. Cardona, O. Brüls: Order reduction in time integration caused by velocity "
     "projection, Report 02/2015",
     acbr, COUNT(acbr)},
    {"Jay11",
     "L. O. Jay: Convergence of the generalized-α method for constrained systems in mechanics "
     "with nonholonomic constraints, 2011",
     jay11, COUNT(jay11)},
    {"JN07",
     "L. O. Jay, D. Negrut: Extensions of the HHT-α method to differential-algebraic equations "
     "in mechanics, 2007",
     jn07, COUNT(jn07)},
    {"GO10",
     "J. C. García Orden: Energy considerations for the stabilization of constrained mechanical "
     "systems with velocity projection, 2010",
     go10, COUNT(go10)},
};

int papers_paper_count(void)
{
    return COUNT(papers);
}

const papers_paper *papers_paper_at(int i)
{
    return &papers[i];
}

static const papers_report *find_report(papers_report *const *reports, int count, const char *id,
                                        size_t length)
{
    for (int i = 0; i < count; i++) {
        const char *own = reports[i]->experiment->id;
        if (strlen(own) == length && memcmp(own, id, length) == 0)
            return reports[i];
    }
    return NULL;
}

/* Whether an experiment of this name exists, run or not. */
static bool is_experiment(const char *id, size_t length)
{
    for (int i = 0; i < papers_count(); i++)
        if (strlen(papers_at(i)->id) == length && memcmp(papers_at(i)->id, id, length) == 0)
            return true;
    return false;
}

static void count_rows(const papers_report *report, const char *start, size_t length,
                       papers_support *support)
{
    bool found = false;
    for (int i = 0; i < report->row_count; i++) {
        if (strncmp(report->rows[i].what, start, length) != 0)
            continue;
        found = true;
        support->rows[report->rows[i].verdict]++;
    }
    support->missing |= !found;
}

papers_support papers_claim_support(const papers_claim *claim, papers_report *const *reports,
                                    int count)
{
    papers_support support = {.run = true};
    for (const char *at = claim->rows; *at != '\0';) {
        const char *colon = strstr(at, ": ");
        const char *end = strstr(at, "; ");
        const size_t length = end != NULL ? (size_t)(end - at) : strlen(at);
        const size_t id = colon != NULL && colon < at + length ? (size_t)(colon - at) : length;
        const papers_report *report = find_report(reports, count, at, id);
        if (report == NULL) {
            support.run = false;
            support.missing |= !is_experiment(at, id);
        } else if (id < length) {
            count_rows(report, at + id + 2, length - id - 2, &support);
        } else {
            count_rows(report, "", 0, &support);
        }
        at += length + (end != NULL ? 2 : 0);
    }
    return support;
}

int papers_claims_missing(papers_report *const *reports, int count)
{
    int missing = 0;
    for (int p = 0; p < COUNT(papers); p++)
        for (int i = 0; i < papers[p].count; i++)
            missing += papers_claim_support(&papers[p].claims[i], reports, count).missing;
    return missing;
}
