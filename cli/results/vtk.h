/* Series of VTK files for ParaView: DIR/run.pvd lists the frames; each frame has the bodies' shapes
 * where they are, and the joints as points with force and torque vectors in the world's axes
 * (docs/results.md). */
#ifndef CLI_VTK_H
#define CLI_VTK_H

#include "result.h"

typedef struct cli_vtk cli_vtk;

/* Makes the folder if need be. `result` has columns and scene; without a scene bodies are drawn as
 * boxes of `size`. Complains and returns NULL if that fails or there is nothing to draw. */
cli_vtk *cli_vtk_open(const char *command, const char *folder, const cli_result *result,
                      double size);

/* A frame from the values of a row. Complains and returns false if it could not be written. */
bool cli_vtk_frame(cli_vtk *vtk, const double *row);

int cli_vtk_frames(const cli_vtk *vtk);

/* Brings everything to the disk; complains and returns false if that fails. */
bool cli_vtk_close(cli_vtk *vtk);

/* All rows of a result in memory; *frames counts them. */
bool cli_vtk_write(const char *command, const char *folder, const cli_result *result, int *frames);

#endif
