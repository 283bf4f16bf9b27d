/* In place of yaml.c in a library built without CARDAN_YAML: model files cannot be read. */
#include "document.h"

cd_node *cd_yaml_parse(cd_document *document, const cd_source *source, const char *text,
                       size_t size)
{
    (void)text;
    (void)size;
    cd_report_error(&document->report, (cd_location){source, 1, 1},
                    "this library was built without CARDAN_YAML and cannot read model files; "
                    "configure it with -D CARDAN_YAML=ON");
    return NULL;
}
