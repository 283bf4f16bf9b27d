/* Makes a tree of joints: checks that there are no loops, and orders the joints for elimination. */
#include "joint_tree.h"

#include <limits.h>

/* Scratch while a tree is made. */
typedef struct search {
    const cd_tree_plan *plan;
    int *start, *joint; /* joints of body b: joint[start[b]] ... */
    int *queue;         /* bodies of a component (bodies that joints connect), from its root on */
    int *up;            /* of every body: its joint towards the root; -1: none */
    bool *seen;         /* bodies of components that have been walked */
    int *order;         /* joints in the order of elimination */
    int *below;         /* of every joint: its body away from the root */
    int ordered;        /* joints that are in `order` */
} search;

static bool allocate_search(search *s, cd_arena *scratch)
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

static void list_joints_of_bodies(search *s)
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

/* Lists all bodies that are connected with one, which becomes the root, breadth first. Returns how
 * many there are, -1 if there is a loop. */
static int walk_component(search *s, int root)
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

static int find_ground_joint(const search *s, int body)
{
    for (int e = s->start[body]; e < s->start[body + 1]; e++)
        if (other_body(s->plan, s->joint[e], body) < 0)
            return s->joint[e];
    return -1;
}

/* The body from which elimination begins: one of the component that is held to the ground, or
 * `first`. -1 if there is a loop: two are held, or a body is met twice. */
static int find_first_body(search *s, int first)
{
    const int count = walk_component(s, first);
    int begin = -1;
    for (int i = 0; i < count; i++) {
        const int body = s->queue[i], joint = find_ground_joint(s, body);
        if (s->seen[body] || (joint >= 0 && begin >= 0))
            return -1;
        s->seen[body] = true;
        begin = joint >= 0 ? body : begin;
    }
    return count < 0 || begin >= 0 ? begin : first;
}

/* Makes a joint the next one to be eliminated. */
static void append_joint(search *s, int joint, int below)
{
    s->below[joint] = below;
    s->order[s->ordered++] = joint;
}

/* Orders the joints of the component of a body, from the first body to the one that is farthest
 * from it, the root. False if there is a loop. */
static bool order_component(search *s, int first)
{
    const int begin = find_first_body(s, first);
    if (begin < 0)
        return false;
    const int count = walk_component(s, begin);
    walk_component(s, s->queue[count - 1]);
    for (int i = count - 1; i >= 0; i--) {
        const int body = s->queue[i], to_ground = find_ground_joint(s, body);
        if (to_ground >= 0)
            append_joint(s, to_ground, -1);
        if (s->up[body] >= 0)
            append_joint(s, s->up[body], body);
    }
    return true;
}

/* Lists the joints of each body in the order of elimination. */
static void list_later_joints(search *s, cd_joint_tree *tree)
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

/* Finds the reach of all joints and lays out their numbers; false if there are too many. */
static bool set_offsets(cd_joint_tree *tree)
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

static bool build_tree(search *s, cd_arena *arena, cd_joint_tree *tree)
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
    list_later_joints(s, tree);
    return set_offsets(tree);
}

bool cd_joint_tree_find(cd_arena *arena, const cd_tree_plan *plan, cd_joint_tree *tree)
{
    cd_arena scratch;
    search s = {.plan = plan};
    *tree = (cd_joint_tree){0};
    cd_arena_init(&scratch, &arena->allocator);
    bool found = allocate_search(&s, &scratch);
    if (found)
        list_joints_of_bodies(&s);
    for (int b = 0; found && b < plan->bodies; b++)
        found = s.seen[b] || order_component(&s, b);
    found = found && s.ordered == plan->joints && build_tree(&s, arena, tree);
    if (scratch.failed)
        arena->failed = 1;
    cd_arena_destroy(&scratch);
    if (!found)
        tree->joints = 0;
    return found;
}
