/* Everything of the public interface. */
#ifndef CARDAN_CARDAN_H
#define CARDAN_CARDAN_H

#include <cardan/assembly.h>
#include <cardan/checkpoint.h>
#include <cardan/diagnosis.h>
#include <cardan/equilibrium.h>
#include <cardan/evaluator.h>
#include <cardan/event.h>
#include <cardan/experimental.h>
#include <cardan/export.h>
#include <cardan/group.h>
#include <cardan/health.h>
#include <cardan/integrator.h>
#include <cardan/memory.h>
#include <cardan/model.h>
#include <cardan/model_check.h>
#include <cardan/model_file.h>
#include <cardan/modes.h>
#include <cardan/outputs.h>
#include <cardan/params.h>
#include <cardan/projection.h>
#include <cardan/rank.h>
#include <cardan/redundancy.h>
#include <cardan/sensor.h>
#include <cardan/signal.h>
#include <cardan/status.h>
#include <cardan/system.h>

#endif
