/* What other layers need of a group beyond cardan/group.h. */
#ifndef CD_GROUP_GROUP_H
#define CD_GROUP_GROUP_H

#include <cardan/group.h>

/* A copy that lives on its own; `allocator` may be NULL. Fails only for want of memory. */
cardan_status cd_group_clone(cardan_group **copy, const cardan_group *group,
                             const cardan_allocator *allocator);

#endif
