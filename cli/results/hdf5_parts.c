/* Strings, attributes, reasons: what HDF5 makes a little long. */
#include "hdf5_parts.h"
#include "cli/setup/options.h"
#include "hdf5_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cli_h5_quiet(void)
{
    enum { NEEDED = 8 << 20 };
    free(cli_allocate(NEEDED, 1)); /* HDF5 crashes if it finds no memory for a file's caches */
    H5dont_atexit();               /* what it would write after a failure is wrong, or crashes */
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    errno = 0; /* what it becomes may be the reason of a failure */
}

/* Strings of a list are of one length, filled up with zeros: HDF5 reads strings of their own
 * lengths from a heap without a checksum, and crashes if that is damaged. */
hid_t cli_h5_string_type(size_t size)
{
    const hid_t type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, size > 0 ? size : 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
}

hid_t cli_h5_creation(void)
{
    const hid_t creation = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(creation, 1);
    H5Pset_char_encoding(creation, H5T_CSET_UTF8);
    return creation;
}

hid_t cli_h5_access(void)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
#if H5_VERSION_GE(1, 10, 7) && !(H5_VERS_MINOR == 12 && H5_VERS_RELEASE == 0)
    H5Pset_file_locking(access, false, true);
#endif
    return access;
}

/* Bytes of the longest, with its end. */
static size_t largest(const char *const *texts, int count)
{
    size_t most = 0;
    for (int i = 0; i < count; i++)
        most = strlen(texts[i]) > most ? strlen(texts[i]) : most;
    return most + 1;
}

bool cli_h5_write_strings(hid_t place, const char *name, const char *const *texts, int count)
{
    const size_t size = largest(texts, count);
    const hsize_t length = (hsize_t)count, chunk = length > 0 ? length : 1;
    char *bytes = cli_allocate((size_t)count, size);
    for (int i = 0; i < count; i++)
        memcpy(bytes + (size_t)i * size, texts[i], strlen(texts[i]));
    const hid_t type = cli_h5_string_type(size), links = cli_h5_creation();
    const hid_t space = H5Screate_simple(1, &length, NULL),
                creation = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(creation, 1, &chunk);
    H5Pset_deflate(creation, 4);
    const hid_t set = H5Dcreate2(place, name, type, space, links, creation, H5P_DEFAULT);
    bool done = set >= 0;
    if (done && count > 0)
        done = H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0;
    if (set >= 0)
        done = H5Dclose(set) >= 0 && done;
    H5Pclose(creation);
    H5Sclose(space);
    H5Pclose(links);
    H5Tclose(type);
    free(bytes);
    return done;
}

bool cli_h5_attribute(hid_t object, const char *name, const char *text)
{
    /* Attributes have 64 kB at most; no title needs more. */
    const size_t size = strlen(text) < CLI_H5_MOST_TEXT ? strlen(text) + 1 : CLI_H5_MOST_TEXT;
    const hid_t type = cli_h5_string_type(size), space = H5Screate(H5S_SCALAR);
    const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    bool done = attribute >= 0 && H5Awrite(attribute, type, text) >= 0;
    if (attribute >= 0)
        done = H5Aclose(attribute) >= 0 && done;
    H5Sclose(space);
    H5Tclose(type);
    return done;
}

bool cli_h5_is_string(hid_t type, size_t *size)
{
    *size = H5Tget_size(type);
    return H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 && *size > 0;
}

char *cli_h5_read_attribute(hid_t object, const char *name)
{
    char *text = NULL;
    size_t size;
    if (H5Aexists(object, name) <= 0)
        return NULL;
    const hid_t attribute = H5Aopen(object, name, H5P_DEFAULT), type = H5Aget_type(attribute);
    const hid_t space = H5Aget_space(attribute);
    if (cli_h5_is_string(type, &size) && size <= CLI_H5_MOST_TEXT &&
        H5Sget_simple_extent_npoints(space) == 1) {
        text = cli_allocate(size + 1, 1);
        if (H5Aread(attribute, type, text) < 0)
            text[0] = '\0';
    }
    H5Sclose(space);
    H5Tclose(type);
    H5Aclose(attribute);
    return text;
}

/* The innermost of HDF5's reasons. */
static herr_t keep_reason(unsigned n, const H5E_error2_t *error, void *text)
{
    if (n == 0 && error->desc != NULL)
        snprintf(text, 256, "%s", error->desc);
    return 0;
}

void cli_h5_complain(const char *command, const char *what, const char *path)
{
    char reason[256];
    snprintf(reason, sizeof reason, "%s",
             errno != 0                  ? strerror(errno)
             : strcmp(what, "read") == 0 ? "HDF5 refuses it; it is damaged or cut off"
                                         : "a write failed");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_reason, reason);
    /* What the system said is in the middle of a long sentence. */
    char *system = strstr(reason, "error message = '");
    if (system != NULL) {
        system += strlen("error message = '");
        system[strcspn(system, "'")] = '\0';
    }
    cli_complain(command, "cannot %s %s: %s", what, path, system != NULL ? system : reason);
}
