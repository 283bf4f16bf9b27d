# Installation: library, headers, program, manual page, and the files through which other projects
# find the library (pkg-config and find_package).
include(CMakePackageConfigHelpers)

install(TARGETS cardan EXPORT cardanTargets)
install(TARGETS cardan_static)
install(DIRECTORY include/cardan DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN *.h)
if(CARDAN_CLI)
  # The program finds the library beside it wherever the tree is put.
  file(RELATIVE_PATH library_from_program
    ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(cardan_program PROPERTIES
    INSTALL_RPATH "$ORIGIN/${library_from_program};$ORIGIN/${library_from_program}/cardan")
  install(TARGETS cardan_program)
  if(TARGET cardan_hdf5)
    set_target_properties(cardan_hdf5 PROPERTIES INSTALL_RPATH "$ORIGIN/..")
    install(TARGETS cardan_hdf5 LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/cardan)
  endif()
  # Where the shells look for completion.
  install(FILES cli/completion/cardan.bash RENAME cardan
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES cli/completion/_cardan DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
  install(FILES cli/completion/cardan.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  install(FILES docs/man/cardan.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(DIRECTORY models DESTINATION ${CMAKE_INSTALL_DATADIR}/cardan FILES_MATCHING PATTERN *.yaml)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/cardan)
install(EXPORT cardanTargets NAMESPACE cardan:: DESTINATION ${package_dir})
configure_package_config_file(cmake/cardanConfig.cmake.in
  ${PROJECT_BINARY_DIR}/cardanConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may break callers.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/cardanConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/cardanConfig.cmake
  ${PROJECT_BINARY_DIR}/cardanConfigVersion.cmake DESTINATION ${package_dir})

# cardan.pc names its directories relative to itself, so that the installed tree can be moved
# (cmake --install --prefix, packaging).
file(RELATIVE_PATH prefix_from_pc
  ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
configure_file(cmake/cardan.pc.in ${PROJECT_BINARY_DIR}/cardan.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cardan.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
