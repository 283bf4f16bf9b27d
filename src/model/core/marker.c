/* Markers in the world. */
#include "marker.h"

cd_marker cd_marker_of(const cardan_frame *frame, const double center_of_mass[3])
{
    cd_marker marker;
    cd_unit_quaternion_matrix(frame->orientation, marker.axes);
    for (int i = 0; i < 3; i++)
        marker.offset[i] = frame->position[i] - center_of_mass[i];
    return marker;
}

/* Columns x, y, z become those after and before `axis`, and `axis` itself. */
static void rename_axes(int axis, double axes[9])
{
    for (int i = 0; i < 3; i++) {
        const double row[3] = {axes[3 * i], axes[3 * i + 1], axes[3 * i + 2]};
        for (int j = 0; j < 3; j++)
            axes[3 * i + j] = row[(axis + 1 + j) % 3];
    }
}

cd_marker cd_marker_about(const cd_marker *marker, int axis)
{
    cd_marker turned = *marker;
    rename_axes(axis, turned.axes);
    return turned;
}

void cd_pair_about(int axis, cd_pair *pair)
{
    rename_axes(axis, pair->one.axes);
    rename_axes(axis, pair->two.axes);
}

void cd_marker_at(const cd_marker *marker, const cd_site *site, cd_marker_place *place)
{
    double turning[3];
    cd_apply3(site->R, marker->offset, place->arm);
    cd_product3(site->R, marker->axes, place->axes);
    cd_cross(site->w, place->arm, turning);
    for (int i = 0; i < 3; i++) {
        place->p[i] = site->r[i] + place->arm[i];
        place->v[i] = site->u[i] + turning[i];
        place->w[i] = site->w[i];
    }
}

void cd_marker_axis(const cd_marker_place *place, int axis, double out[3])
{
    for (int i = 0; i < 3; i++)
        out[i] = place->axes[3 * i + axis];
}

void cd_pair_at(const cd_marker marker[2], const cd_site *site, cd_pair *pair)
{
    double carried[3];
    cd_marker_at(&marker[0], &site[0], &pair->one);
    cd_marker_at(&marker[1], &site[1], &pair->two);
    for (int i = 0; i < 3; i++) {
        const double apart = site[1].r[i] - site[0].r[i], low = site[1].low[i] - site[0].low[i];
        pair->d[i] = cd_way(apart, pair->one.arm[i], pair->two.arm[i], low);
        pair->reach[i] = cd_way(apart, 0.0, pair->two.arm[i], low);
        pair->w[i] = pair->two.w[i] - pair->one.w[i];
    }
    cd_cross(site[0].w, pair->d, carried);
    for (int i = 0; i < 3; i++)
        pair->v[i] = pair->two.v[i] - pair->one.v[i] - carried[i];
    pair->radius = 0.0;
}
