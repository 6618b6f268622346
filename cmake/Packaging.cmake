# `make package`: a .deb that installs on Debian 12 (docs/howto/installing.md). CPack asks
# dpkg-shlibdeps which packages hold the libraries that the programs load.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME vintage)
set(CPACK_PACKAGE_CONTACT "Vintage's maintainers <maintainers@vintage.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Compatibility tests and an archive for exported array programs")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}/package")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Only for real JAX, TensorFlow, IREE and LiteRT.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3-pip")
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
include(CPack)

# Below /usr also for a .deb: systemd looks there.
install(FILES "${CMAKE_SOURCE_DIR}/cmake/vintage.service" DESTINATION lib/systemd/system)
# As in the sources, so that links lead to the same files.
install(DIRECTORY "${CMAKE_SOURCE_DIR}/docs" DESTINATION share/doc/vintage
  FILES_MATCHING PATTERN "*.md" PATTERN "*.json" PATTERN "*.service" PATTERN "*.timer")
install(FILES "${CMAKE_SOURCE_DIR}/README.md" DESTINATION share/doc/vintage)
install(FILES "${CHARTJS_LICENCE}" DESTINATION share/doc/vintage RENAME LICENSE.chart.js)
