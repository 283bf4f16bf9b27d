/* See verdict.h. */
#include "verdict.h"
#include "cli/setup/options.h"

void cli_verdict_tell(const char *command, const cardan_health *health, bool quiet)
{
    for (int i = 0; i < health->count; i++) {
        const cardan_health_finding *finding = &health->findings[i];
        if (finding->verdict == CARDAN_GOOD && quiet)
            continue;
        cli_complain(command, "%s: %s",
                     finding->verdict == CARDAN_GOOD ? "note"
                                                     : cardan_verdict_name(finding->verdict),
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
