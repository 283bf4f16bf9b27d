# SuiteSparse KLU, which comes without a pkg-config file on Debian. Sets KLU_FOUND, KLU_INCLUDE_DIRS
# and KLU_LIBRARIES (KLU and the ordering libraries under it).
find_path(KLU_INCLUDE_DIR klu.h PATH_SUFFIXES suitesparse)
set(klu_parts klu amd colamd btf suitesparseconfig)
set(KLU_LIBRARIES)
foreach(part ${klu_parts})
  find_library(KLU_${part}_LIBRARY ${part})
  list(APPEND klu_needed KLU_${part}_LIBRARY)
  list(APPEND KLU_LIBRARIES ${KLU_${part}_LIBRARY})
  mark_as_advanced(KLU_${part}_LIBRARY)
endforeach()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(KLU
  REQUIRED_VARS ${klu_needed} KLU_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libsuitesparse-dev, or set CMAKE_PREFIX_PATH to where SuiteSparse is")
set(KLU_INCLUDE_DIRS ${KLU_INCLUDE_DIR})
mark_as_advanced(KLU_INCLUDE_DIR)
