/* The writer of VTK series: XML PolyData as text, a file for the bodies and one for the joints of
 * every frame. */
#define _GNU_SOURCE /* syncfs */
#include "vtk.h"
#include "cli/report/scene.h"
#include "cli/report/scene_pose.h"
#include "cli/setup/options.h"
#include "output_file.h"
#include "vtk_mesh.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct cli_vtk {
    const char *command, *folder;
    cli_scene *scene;
    cli_mesh *meshes; /* one for every body, and one for the ground behind */
    int bodies;
    cli_output_file list, frame;
    char *list_path;
    long end; /* of the entries in the list */
    int frames;
    char *path; /* of the frame at hand */
};

static const char list_end[] = "  </Collection>\n</VTKFile>\n";

/* ---- what there is to draw ---- */

static const json_t *part(const cli_vtk *vtk, const char *name)
{
    return json_object_get(cli_scene_json(vtk->scene), name);
}

/* A scene of boxes where columns tell where bodies are; NULL if none do. */
static char *box_scene(const cli_result *result, double size)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    json_t *scene = cli_scene_new(result->title, none);
    int count = 0;
    for (int i = 0; i + 7 <= result->column_count; i++) {
        const cli_column *column = &result->columns[i];
        if (column->kind != CLI_COLUMN_BODY || strcmp(column->quantity, "pos") != 0 ||
            strcmp(column->component, "x") != 0)
            continue;
        json_t *place = json_array(), *turn = json_array();
        for (int k = 0; k < 7; k++)
            json_array_append_new(k < 3 ? place : turn, json_string(column[k].name));
        const int body = cli_scene_add_body(scene, column->owner, place, "quaternion", turn);
        cli_scene_add_shape(scene, body,
                            &(cli_scene_shape){.type = "box",
                                               .size = {size, size, size},
                                               .turn = {1.0, 0.0, 0.0, 0.0}});
        count++;
    }
    char *text = count > 0 ? json_dumps(scene, JSON_COMPACT) : NULL;
    json_decref(scene);
    return text;
}

static cli_scene *scene_of(const cli_result *result, double size)
{
    const char **names = cli_allocate((size_t)result->column_count, sizeof *names);
    char *boxes = result->scene == NULL ? box_scene(result, size) : NULL;
    const char *text = result->scene != NULL ? result->scene : boxes;
    for (int i = 0; i < result->column_count; i++)
        names[i] = result->columns[i].name;
    cli_scene *scene = text != NULL ? cli_scene_parse(text, names, result->column_count) : NULL;
    free(boxes);
    free(names);
    return scene;
}

static void make_meshes(cli_vtk *vtk)
{
    const json_t *bodies = part(vtk, "bodies");
    vtk->bodies = cli_scene_bodies(vtk->scene);
    vtk->meshes = cli_allocate((size_t)vtk->bodies + 1, sizeof *vtk->meshes);
    for (int b = 0; b <= vtk->bodies; b++) {
        const json_t *shapes = b < vtk->bodies
                                   ? json_object_get(json_array_get(bodies, (size_t)b), "shapes")
                                   : part(vtk, "ground");
        for (size_t i = 0; i < json_array_size(shapes); i++)
            cli_mesh_add(&vtk->meshes[b], json_array_get(shapes, i));
    }
}

/* ---- files ---- */

/* Each frame is a file of its own; the disk is waited for once, at the end. */
static FILE *open_file(cli_vtk *vtk, const char *format, int number)
{
    char name[64];
    snprintf(name, sizeof name, format, number);
    snprintf(vtk->path, strlen(vtk->folder) + 80, "%s/%s", vtk->folder, name);
    return cli_output_file_open(&vtk->frame, vtk->command, vtk->path, CLI_OUTPUT_WHOLE)
               ? vtk->frame.file
               : NULL;
}

static bool close_file(cli_vtk *vtk)
{
    const bool placed = cli_output_file_place_early(&vtk->frame);
    return cli_output_file_close(&vtk->frame) && placed;
}

static void write_head(FILE *file, double t, int points, int vertices, int lines, int polygons)
{
    fprintf(file,
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"PolyData\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
            " <PolyData>\n"
            "  <FieldData>\n"
            "   <DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
            "format=\"ascii\">%.17g</DataArray>\n"
            "  </FieldData>\n"
            "  <Piece NumberOfPoints=\"%d\" NumberOfVerts=\"%d\" NumberOfLines=\"%d\" "
            "NumberOfStrips=\"0\" NumberOfPolys=\"%d\">\n",
            t, points, vertices, lines, polygons);
}

static void write_tail(FILE *file)
{
    fputs("  </Piece>\n </PolyData>\n</VTKFile>\n", file);
}

static void begin_array(FILE *file, const char *type, const char *name, int components)
{
    fprintf(file,
            "    <DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"ascii\">\n",
            type, name, components);
}

static void end_array(FILE *file)
{
    fputs("    </DataArray>\n", file);
}

/* VTK knows no NAN in text. */
static void write_point(FILE *file, const double p[3])
{
    fprintf(file, "%.12g %.12g %.12g\n", isfinite(p[0]) ? p[0] : 0.0, isfinite(p[1]) ? p[1] : 0.0,
            isfinite(p[2]) ? p[2] : 0.0);
}

/* ---- places ---- */

typedef struct place {
    double at[3], turn[4];
} place;

/* The ground has the number -1 or the one behind the bodies. */
static place place_of(const cli_vtk *vtk, int body, const double *row)
{
    place p = {.turn = {1.0}};
    if (body >= 0 && body < vtk->bodies)
        cli_scene_place(vtk->scene, body, row, p.at, p.turn);
    return p;
}

static void place_point(const place *p, const double point[3], double out[3])
{
    cli_turn(p->turn, point, out);
    for (int k = 0; k < 3; k++)
        out[k] += p->at[k];
}

/* ---- bodies ---- */

static void write_body_points(const cli_vtk *vtk, FILE *file, const double *row)
{
    fputs("   <Points>\n", file);
    begin_array(file, "Float64", "Points", 3);
    for (int b = 0; b <= vtk->bodies; b++) {
        const place p = place_of(vtk, b, row);
        for (int i = 0; i < vtk->meshes[b].point_count; i++) {
            double out[3];
            place_point(&p, vtk->meshes[b].points[i], out);
            write_point(file, out);
        }
    }
    end_array(file);
    fputs("   </Points>\n", file);
}

static void write_polygons(const cli_vtk *vtk, FILE *file)
{
    fputs("   <Polys>\n", file);
    begin_array(file, "Int32", "connectivity", 1);
    for (int b = 0, points = 0; b <= vtk->bodies; points += vtk->meshes[b++].point_count)
        for (int i = 0; i < vtk->meshes[b].corner_count; i++)
            fprintf(file, "%d\n", points + vtk->meshes[b].corners[i]);
    end_array(file);
    begin_array(file, "Int32", "offsets", 1);
    for (int b = 0, corners = 0; b <= vtk->bodies; corners += vtk->meshes[b++].corner_count)
        for (int i = 0; i < vtk->meshes[b].polygon_count; i++)
            fprintf(file, "%d\n", corners + vtk->meshes[b].ends[i]);
    end_array(file);
    fputs("   </Polys>\n   <CellData Scalars=\"body\">\n", file);
    begin_array(file, "Int32", "body", 1);
    for (int b = 0; b <= vtk->bodies; b++)
        for (int i = 0; i < vtk->meshes[b].polygon_count; i++)
            fprintf(file, "%d\n", b < vtk->bodies ? b : -1);
    end_array(file);
    fputs("   </CellData>\n", file);
}

static bool write_bodies(cli_vtk *vtk, const double *row)
{
    int points = 0, polygons = 0;
    for (int b = 0; b <= vtk->bodies; b++) {
        points += vtk->meshes[b].point_count;
        polygons += vtk->meshes[b].polygon_count;
    }
    FILE *file = open_file(vtk, "bodies_%06d.vtp", vtk->frames);
    if (file == NULL)
        return false;
    write_head(file, row[0], points, 0, 0, polygons);
    write_body_points(vtk, file, row);
    write_polygons(vtk, file);
    write_tail(file);
    return close_file(vtk);
}

/* ---- joints and lines ---- */

static int body_of(const json_t *object, const char *key)
{
    return (int)json_integer_value(json_object_get(object, key));
}

/* Where a frame of a joint or an end of a line is. */
static void end_of(const cli_vtk *vtk, const json_t *object, const char *body, const char *at,
                   const double *row, double out[3])
{
    double point[3];
    const place p = place_of(vtk, body_of(object, body), row);
    cli_mesh_numbers(json_object_get(object, at), 3, point);
    place_point(&p, point, out);
}

/* A vector on body 2 that the columns give in the axes of frame 1, in those of the world. */
static void vector_of(const cli_vtk *vtk, const json_t *joint, const char *key, const double *row,
                      double out[3])
{
    const json_t *columns = json_object_get(joint, key);
    const place p = place_of(vtk, body_of(joint, "body1"), row);
    double turn[4], given[3] = {0.0}, half[3];
    cli_mesh_numbers(json_object_get(joint, "turn1"), 4, turn);
    for (int k = 0; k < 3 && columns != NULL; k++)
        given[k] = cli_scene_value(vtk->scene, json_array_get(columns, (size_t)k), row);
    cli_turn(turn, given, half);
    cli_turn(p.turn, half, out);
}

static void write_vectors(const cli_vtk *vtk, FILE *file, const char *name, const char *key,
                          const double *row)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    const json_t *joints = part(vtk, "joints");
    const size_t lines = json_array_size(part(vtk, "lines"));
    begin_array(file, "Float64", name, 3);
    for (size_t i = 0; i < json_array_size(joints); i++) {
        double out[3];
        vector_of(vtk, json_array_get(joints, i), key, row, out);
        write_point(file, out);
    }
    for (size_t i = 0; i < 2 * lines; i++)
        write_point(file, none);
    end_array(file);
}

static void write_joint_points(const cli_vtk *vtk, FILE *file, const double *row)
{
    const json_t *joints = part(vtk, "joints"), *lines = part(vtk, "lines");
    double out[3];
    fputs("   <Points>\n", file);
    begin_array(file, "Float64", "Points", 3);
    for (size_t i = 0; i < json_array_size(joints); i++) {
        end_of(vtk, json_array_get(joints, i), "body2", "at2", row, out);
        write_point(file, out);
    }
    for (size_t i = 0; i < 2 * json_array_size(lines); i++) {
        end_of(vtk, json_array_get(lines, i / 2), i % 2 == 0 ? "body1" : "body2",
               i % 2 == 0 ? "at1" : "at2", row, out);
        write_point(file, out);
    }
    end_array(file);
    fputs("   </Points>\n", file);
}

/* Cells of `size` points each, counted from `first`. */
static void write_cells(FILE *file, const char *name, int first, int count, int size)
{
    fprintf(file, "   <%s>\n", name);
    begin_array(file, "Int32", "connectivity", 1);
    for (int i = 0; i < count * size; i++)
        fprintf(file, "%d\n", first + i);
    end_array(file);
    begin_array(file, "Int32", "offsets", 1);
    for (int i = 1; i <= count; i++)
        fprintf(file, "%d\n", i * size);
    end_array(file);
    fprintf(file, "   </%s>\n", name);
}

static bool write_joints(cli_vtk *vtk, const double *row)
{
    const int joints = (int)json_array_size(part(vtk, "joints"));
    const int lines = (int)json_array_size(part(vtk, "lines"));
    FILE *file = open_file(vtk, "joints_%06d.vtp", vtk->frames);
    if (file == NULL)
        return false;
    write_head(file, row[0], joints + 2 * lines, joints, lines, 0);
    fputs("   <PointData Vectors=\"force\">\n", file);
    write_vectors(vtk, file, "force", "force", row);
    write_vectors(vtk, file, "torque", "moment", row);
    fputs("   </PointData>\n", file);
    write_joint_points(vtk, file, row);
    write_cells(file, "Verts", 0, joints, 1);
    write_cells(file, "Lines", joints, lines, 2);
    write_tail(file);
    return close_file(vtk);
}

/* ---- the series ---- */

/* Writes entries at their place, and the end of the list behind. */
static bool write_list(cli_vtk *vtk, const char *entries)
{
    FILE *file = vtk->list.file;
    errno = 0;
    if (fseek(file, vtk->end, SEEK_SET) == 0 && fputs(entries, file) >= 0 &&
        fputs(list_end, file) >= 0 && fflush(file) == 0) {
        vtk->end += (long)strlen(entries);
        return true;
    }
    cli_output_file_complain(&vtk->list);
    /* As it was before: that room is there. */
    const ssize_t size = (ssize_t)sizeof list_end - 1;
    if (pwrite(fileno(file), list_end, (size_t)size, vtk->end) == size &&
        ftruncate(fileno(file), vtk->end + size) == 0)
        errno = 0;
    return false;
}

/* The list takes its place at once, so that none lists frames of another run. */
static bool open_list(cli_vtk *vtk)
{
    return cli_output_file_open(&vtk->list, vtk->command, vtk->list_path, CLI_OUTPUT_WHOLE) &&
           write_list(vtk,
                      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n"
                      "  <Collection>\n") &&
           cli_output_file_place(&vtk->list);
}

static bool make_folder(const cli_vtk *vtk)
{
    if (mkdir(vtk->folder, 0777) == 0 || errno == EEXIST)
        return true;
    cli_complain(vtk->command, "cannot write %s: %s", vtk->folder, strerror(errno));
    return false;
}

cli_vtk *cli_vtk_open(const char *command, const char *folder, const cli_result *result,
                      double size)
{
    cli_vtk *vtk = cli_allocate(1, sizeof *vtk);
    vtk->command = command;
    vtk->folder = folder;
    vtk->path = cli_allocate(strlen(folder) + 80, 1);
    vtk->list_path = cli_allocate(strlen(folder) + 80, 1);
    sprintf(vtk->list_path, "%s/run.pvd", folder);
    vtk->scene = scene_of(result, size);
    bool done = vtk->scene != NULL && cli_scene_bodies(vtk->scene) > 0;
    if (!done) {
        cli_complain(command, "there is nothing to draw: no scene, and no columns that tell where "
                              "bodies are; name the problem or model with --model");
    } else {
        make_meshes(vtk);
        done = make_folder(vtk) && open_list(vtk);
    }
    if (done)
        return vtk;
    cli_vtk_close(vtk);
    return NULL;
}

bool cli_vtk_frame(cli_vtk *vtk, const double *row)
{
    char entry[512];
    if (!write_bodies(vtk, row) || !write_joints(vtk, row))
        return false;
    /* The list is whole after every frame. */
    snprintf(entry, sizeof entry,
             "    <DataSet timestep=\"%.17g\" part=\"0\" name=\"bodies\" "
             "file=\"bodies_%06d.vtp\"/>\n"
             "    <DataSet timestep=\"%.17g\" part=\"1\" name=\"joints\" "
             "file=\"joints_%06d.vtp\"/>\n",
             row[0], vtk->frames, row[0], vtk->frames);
    if (!write_list(vtk, entry))
        return false;
    vtk->frames++;
    return true;
}

int cli_vtk_frames(const cli_vtk *vtk)
{
    return vtk->frames;
}

bool cli_vtk_close(cli_vtk *vtk)
{
    if (vtk == NULL)
        return true;
    errno = 0;
    if (vtk->list.file != NULL && !vtk->list.failed && syncfs(fileno(vtk->list.file)) != 0)
        cli_output_file_complain(&vtk->list);
    const bool done = cli_output_file_close(&vtk->list);
    for (int b = 0; vtk->meshes != NULL && b <= vtk->bodies; b++)
        cli_mesh_free(&vtk->meshes[b]);
    free(vtk->meshes);
    if (vtk->scene != NULL)
        cli_scene_destroy(vtk->scene);
    free(vtk->list_path);
    free(vtk->path);
    free(vtk);
    return done;
}

/* A twentieth of the room that the bodies move in. */
static double box_size(const cli_result *result)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < result->column_count; i++)
        if (result->columns[i].kind == CLI_COLUMN_BODY &&
            strcmp(result->columns[i].quantity, "pos") == 0)
            for (long long r = 0; r < result->rows; r++) {
                low = fmin(low, result->columns[i].values[r]);
                high = fmax(high, result->columns[i].values[r]);
            }
    return high > low ? 0.05 * (high - low) : 0.1;
}

bool cli_vtk_write(const char *command, const char *folder, const cli_result *result, int *frames)
{
    double *row = cli_allocate((size_t)result->column_count, sizeof *row);
    cli_vtk *vtk = cli_vtk_open(command, folder, result, box_size(result));
    bool done = vtk != NULL;
    for (long long r = 0; done && r < result->rows; r++) {
        for (int i = 0; i < result->column_count; i++)
            row[i] = result->columns[i].values[r];
        done = cli_vtk_frame(vtk, row);
    }
    *frames = vtk != NULL ? vtk->frames : 0;
    done = cli_vtk_close(vtk) && done;
    free(row);
    return done;
}
