/* What `cardan check` says of a model file beyond what it says of every system. */
#include "check.h"
#include "cli/results/json.h"
#include "cli/results/wrap.h"

#include <math.h>
#include <stdio.h>

/* Joints with redundant directions that are listed. */
enum { MOST_REDUNDANT = 50 };

void cli_check_elements(cli_check_job *check)
{
    cardan_error error;
    if (check->setup.model_file == NULL)
        return;
    cardan_model *model = cardan_model_file_model(check->setup.model_file);
    if (cardan_model_check(model, check->at.t, &check->elements, &error) != CARDAN_OK)
        cli_complain(check->setup.command, "%s", error.text);
}

bool cli_check_elements_fine(const cli_check_job *check)
{
    for (int i = 0; check->elements != NULL && i < check->elements->count; i++)
        if (check->elements->findings[i].error)
            return false;
    return true;
}

void cli_check_print_place(const cli_check_job *check, const char *text)
{
    const cardan_model_file *file = check->setup.model_file;
    cardan_file_message place;
    if (file != NULL && cardan_model_file_locate(file, text, &place))
        printf("  %s:%d:%d:\n", place.file, place.line, place.column);
}

void cli_check_print_elements(const cli_check_job *check)
{
    const cardan_model_report *r = check->elements;
    char sentence[CLI_CHECK_TEXT + 64];
    if (r == NULL)
        return;
    printf("%-60s %s\n", "Model", cli_check_elements_fine(check) ? "ok" : "WRONG");
    printf("  %d degree%s of freedom, %d redundant constraint%s\n", r->freedom,
           r->freedom == 1 ? "" : "s", r->redundant, r->redundant == 1 ? "" : "s");
    int redundant = 0;
    for (int i = 0; i < r->count; i++) {
        if (r->findings[i].kind == CARDAN_FINDING_REDUNDANT && ++redundant > MOST_REDUNDANT)
            continue;
        snprintf(sentence, sizeof sentence, "%s: %s", r->findings[i].name, r->findings[i].text);
        if (r->findings[i].error)
            cli_check_print_place(check, r->findings[i].text);
        cli_print_wrapped("  ", sentence);
    }
    if (r->singular_skipped)
        printf("  singular configurations nearby were not looked for: more than 600 rows\n");
    if (redundant > MOST_REDUNDANT)
        printf("  redundant: %d more joints like these (--json lists all)\n",
               redundant - MOST_REDUNDANT);
    if (r->redundant > 0)
        cli_print_wrapped("  ", "Redundant constraints are removed for the run; joint forces are "
                                "the least-squares distribution over all.");
    printf("  steps: adaptive (the default); for fixed steps begin with %g s\n\n", r->step);
}

json_t *cli_check_elements_json(const cli_check_job *check)
{
    const cardan_model_report *r = check->elements;
    if (r == NULL)
        return json_null();
    json_t *object = json_object(), *list = json_array();
    json_object_set_new(object, "degrees_of_freedom", json_integer(r->freedom));
    json_object_set_new(object, "redundant", json_integer(r->redundant));
    json_object_set_new(object, "smallest_singular_value", cli_json_number(r->smallest));
    json_object_set_new(object, "nearest_singular_configuration",
                        isfinite(r->nearest) ? cli_json_number(r->nearest) : json_null());
    json_object_set_new(object, "step", cli_json_number(r->step));
    for (int i = 0; i < r->count; i++) {
        json_t *finding = json_object();
        json_object_set_new(finding, "kind", json_string(r->findings[i].name));
        json_object_set_new(finding, "error", json_boolean(r->findings[i].error));
        json_object_set_new(finding, "text", json_string(r->findings[i].text));
        json_array_append_new(list, finding);
    }
    json_object_set_new(object, "findings", list);
    return object;
}
