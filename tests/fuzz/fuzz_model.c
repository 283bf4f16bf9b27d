/* libFuzzer: whatever bytes a model file holds, reading it ends, with a model or with messages, and
 * releases all memory. Small models are built as well. */
#include <cardan/model_file.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_BODIES = 20 };

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void check_messages(const cardan_model_file *file)
{
    for (int i = 0; i < cardan_model_file_describe(file).message_count; i++) {
        const cardan_file_message *message = cardan_model_file_message(file, i);
        require(message->line >= 1 && message->column >= 1 && message->text[0] != '\0');
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const cardan_file_override overrides[] = {{"solver.step", "1e-4"},
                                                     {"bodies.0.mass", "2"}};
    cardan_model_file *file = NULL;
    const int count = size % 4 == 0 ? 2 : 0;
    const cardan_status status =
        cardan_model_file_parse(&file, (const char *)data, size, "fuzz", overrides, count, NULL);
    require(file != NULL);
    cardan_model *model = cardan_model_file_model(file);
    require((status == CARDAN_OK) == (model != NULL));
    require((status == CARDAN_OK) == (cardan_model_file_describe(file).error_count == 0));
    check_messages(file);
    if (model != NULL && cardan_model_describe(model).body_count <= MOST_BODIES)
        cardan_model_build(model);
    cardan_model_file_destroy(file);
    return 0;
}
