/* Marks the public functions of the shared library; everything else is hidden. */
#ifndef CARDAN_EXPORT_H
#define CARDAN_EXPORT_H

#if defined(__GNUC__)
#define CARDAN_API __attribute__((visibility("default")))
#else
#define CARDAN_API
#endif

#define CARDAN_VERSION_MAJOR 0
#define CARDAN_VERSION_MINOR 1
#define CARDAN_VERSION_PATCH 0
#define CARDAN_VERSION       "0.1.0"

#endif
