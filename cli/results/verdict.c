/* See verdict.h. */
#include "verdict.h"
#include "cli/setup/options.h"

#include <string.h>

static cli_colour colour_of(cardan_verdict verdict)
{
    return verdict == CARDAN_GOOD       ? CLI_COLOUR_GOOD
           : verdict == CARDAN_DOUBTFUL ? CLI_COLOUR_DOUBTFUL
                                        : CLI_COLOUR_WRONG;
}

void cli_verdict_print(const char *name)
{
    cardan_verdict verdict = CARDAN_GOOD;
    while (verdict < CARDAN_WRONG && strcmp(cardan_verdict_name(verdict), name) != 0)
        verdict++;
    printf("%s%s%s", cli_colour_code(stdout, colour_of(verdict)), name,
           cli_colour_code(stdout, CLI_COLOUR_NONE));
}

void cli_verdict_tell(const char *command, const cardan_health *health, bool quiet)
{
    for (int i = 0; i < health->count; i++) {
        const cardan_health_finding *finding = &health->findings[i];
        if (finding->verdict == CARDAN_GOOD && quiet)
            continue;
        cli_tell(colour_of(finding->verdict), command, "%s: %s",
                 finding->verdict == CARDAN_GOOD ? "note" : cardan_verdict_name(finding->verdict),
                 finding->text);
    }
}

json_t *cli_verdict_json(const cardan_health *health)
{
    json_t *findings = json_array();
    for (int i = 0; i < health->count; i++) {
        const cardan_health_finding *finding = &health->findings[i];
        json_array_append_new(findings, json_pack("{s:s, s:s, s:o, s:o}", "verdict",
                                                  cardan_verdict_name(finding->verdict), "concern",
                                                  finding->name, "t", cli_json_number(finding->t),
                                                  "text", cli_json_text(finding->text)));
    }
    return json_pack("{s:s, s:o}", "verdict", cardan_verdict_name(health->verdict), "findings",
                     findings);
}

void cli_verdict_note(const cardan_health *health, cli_result *result)
{
    static const cli_severity severity[] = {CLI_NOTE, CLI_WARNING, CLI_ERROR};
    cli_result_add_statistic(result, "verdict", (double)health->verdict);
    for (int i = 0; i < health->count; i++)
        cli_result_add_note(result, severity[health->findings[i].verdict],
                            health->findings[i].text);
}

bool cli_verdict_fails(const cardan_health *health, bool strict)
{
    return health->verdict == CARDAN_WRONG || (strict && health->verdict == CARDAN_DOUBTFUL);
}
