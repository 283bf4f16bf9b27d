/* See joint_tree.h: which joint follows which. */
#include "joint_tree.h"

#include <limits.h>

/* Scratch while a tree is made. */
typedef struct search {
    const cd_tree_plan *plan;
    int *start, *joint; /* the joints of each body */
    int *queue;         /* bodies of a component, from its root on */
    int *up;            /* of every body: its joint towards the root; -1: none; */
    bool *seen;
    int *order; /* joints in the order of elimination */
    int *below; /* of every joint: its body away from the root */
    int placed;
} search;

static bool prepare(search *s, cd_arena *scratch)
{
    const size_t bodies = (size_t)s->plan->bodies, joints = (size_t)s->plan->joints;
    s->start = cd_arena_take(scratch, (bodies + 2) * sizeof *s->start);
    s->joint = cd_arena_take(scratch, 2 * joints * sizeof *s->joint);
    s->queue = cd_arena_take(scratch, bodies * sizeof *s->queue);
    s->up = cd_arena_take(scratch, bodies * sizeof *s->up);
    s->seen = cd_arena_take(scratch, bodies * sizeof *s->seen);
    s->order = cd_arena_take(scratch, joints * sizeof *s->order);
    s->below = cd_arena_take(scratch, joints * sizeof *s->below);
    return !scratch->failed;
}

static void list_joints(search *s)
{
    const cd_tree_plan *plan = s->plan;
    for (int j = 0; j < plan->joints; j++)
        for (int i = 0; i < 2; i++)
            if (plan->body[j][i] >= 0)
                s->start[plan->body[j][i] + 2]++;
    for (int b = 0; b < plan->bodies; b++)
        s->start[b + 2] += s->start[b + 1];
    for (int j = 0; j < plan->joints; j++)
        for (int i = 0; i < 2; i++)
            if (plan->body[j][i] >= 0)
                s->joint[s->start[plan->body[j][i] + 1]++] = j;
}

static int other_body(const cd_tree_plan *plan, int joint, int body)
{
    return plan->body[joint][plan->body[joint][0] == body];
}

/* All bodies that are connected with one, which becomes the root. Returns their number, -1 if there
 * is a loop. */
static int spread(search *s, int root)
{
    int count = 1;
    s->queue[0] = root;
    s->up[root] = -1;
    for (int i = 0; i < count; i++) {
        const int body = s->queue[i];
        for (int e = s->start[body]; e < s->start[body + 1]; e++) {
            const int next = other_body(s->plan, s->joint[e], body);
            if (next < 0 || s->joint[e] == s->up[body])
                continue;
            if (count == s->plan->bodies)
                return -1;
            s->up[next] = s->joint[e];
            s->queue[count++] = next;
        }
    }
    return count;
}

static int ground_joint(const search *s, int body)
{
    for (int e = s->start[body]; e < s->start[body + 1]; e++)
        if (other_body(s->plan, s->joint[e], body) < 0)
            return s->joint[e];
    return -1;
}

/* The body of a component that is held to the ground, or just one; -1 if there is a loop: two are,
 * or a body is met twice. */
static int find_begin(search *s, int first)
{
    const int count = spread(s, first);
    int begin = -1;
    for (int i = 0; i < count; i++) {
        const int body = s->queue[i], joint = ground_joint(s, body);
        if (s->seen[body] || (joint >= 0 && begin >= 0))
            return -1;
        s->seen[body] = true;
        begin = joint >= 0 ? body : begin;
    }
    return count < 0 || begin >= 0 ? begin : first;
}

static void place_joint(search *s, int joint, int below)
{
    s->below[joint] = below;
    s->order[s->placed++] = joint;
}

/* Orders the joints of the component of a body; false if there is a loop. */
static bool order_component(search *s, int first)
{
    const int begin = find_begin(s, first);
    if (begin < 0)
        return false;
    const int count = spread(s, begin);
    spread(s, s->queue[count - 1]);
    for (int i = count - 1; i >= 0; i--) {
        const int body = s->queue[i], held = ground_joint(s, body);
        if (held >= 0)
            place_joint(s, held, -1);
        if (s->up[body] >= 0)
            place_joint(s, s->up[body], body);
    }
    return true;
}

/* Those of each body in the order of elimination. */
static void list_later(search *s, cd_joint_tree *tree)
{
    for (int i = 0; i < tree->joints; i++) {
        const int *body = tree->joint[i].body;
        if (body[0] >= 0)
            tree->later[s->start[body[0]]++] = i;
        tree->later[s->start[body[1]]++] = i;
        tree->joint[i].later = s->start[body[1]];
    }
    for (int i = 0; i < tree->joints; i++)
        tree->joint[i].end = s->start[tree->joint[i].body[1]];
}

/* False if there are too many numbers. */
static bool lay_out(cd_joint_tree *tree)
{
    for (int i = 0; i < tree->joints; i++) {
        cd_tree_joint *own = &tree->joint[i];
        for (int l = own->later; l < own->end; l++)
            own->reach += tree->joint[tree->later[l]].rows;
        own->offset = (unsigned)tree->numbers;
        tree->numbers += (size_t)own->rows * ((size_t)own->rows + 1) / 2 +
                         (size_t)own->rows * (size_t)own->reach;
        tree->largest = own->reach > tree->largest ? own->reach : tree->largest;
        if (tree->numbers > INT_MAX)
            return false;
    }
    return true;
}

static bool build(search *s, cd_arena *arena, cd_joint_tree *tree)
{
    const cd_tree_plan *plan = s->plan;
    const int lists = s->start[plan->bodies]; /* before they are moved on */
    tree->joint = cd_arena_take(arena, (size_t)plan->joints * sizeof *tree->joint);
    tree->later = cd_arena_take(arena, (size_t)lists * sizeof *tree->later);
    if (arena->failed)
        return false;
    for (int i = 0; i < plan->joints; i++) {
        const int joint = s->order[i], below = s->below[joint], row = plan->first_row[joint];
        const int above = plan->body[joint][plan->body[joint][0] == below];
        tree->joint[i] = (cd_tree_joint){
            .row = row, .rows = plan->first_row[joint + 1] - row, .body = {below, above}};
    }
    tree->joints = plan->joints;
    list_later(s, tree);
    return lay_out(tree);
}

bool cd_joint_tree_find(cd_arena *arena, const cd_tree_plan *plan, cd_joint_tree *tree)
{
    cd_arena scratch;
    search s = {.plan = plan};
    *tree = (cd_joint_tree){0};
    cd_arena_init(&scratch, &arena->allocator);
    bool found = prepare(&s, &scratch);
    if (found)
        list_joints(&s);
    for (int b = 0; found && b < plan->bodies; b++)
        found = s.seen[b] || order_component(&s, b);
    found = found && s.placed == plan->joints && build(&s, arena, tree);
    if (scratch.failed)
        arena->failed = 1;
    cd_arena_destroy(&scratch);
    if (!found)
        tree->joints = 0;
    return found;
}
