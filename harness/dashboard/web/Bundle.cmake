# Bundles the pages' modules to one script and their styles to one sheet: a browser loads no modules
# from file://, and one file is one request. They and their libraries are built into the program as
# text.
set(web "${CMAKE_CURRENT_LIST_DIR}")
set(bundled "${CMAKE_BINARY_DIR}/harness/dashboard")
file(MAKE_DIRECTORY "${bundled}")
file(GLOB_RECURSE scripts CONFIGURE_DEPENDS "${web}/src/*.js")
file(GLOB_RECURSE styles CONFIGURE_DEPENDS "${web}/style/*.css")

add_custom_command(OUTPUT "${bundled}/dashboard.js" DEPENDS ${scripts}
  COMMAND "${ESBUILD}" "${web}/src/main.js" --bundle --minify --format=iife --target=es2020 --charset=utf8
    --log-level=warning "--outfile=${bundled}/dashboard.js"
  VERBATIM)
add_custom_command(OUTPUT "${bundled}/dashboard.css"
  DEPENDS ${styles} "${web}/dashboard.css"
  COMMAND "${ESBUILD}" "${web}/dashboard.css" --bundle --minify --charset=utf8 --log-level=warning
    "--outfile=${bundled}/dashboard.css"
  VERBATIM)

# vintage_embed(TEXT NAME): TEXT as NAME.inc, which harness/dashboard/report_folder.cpp includes.
function(vintage_embed text name)
  set(literal "${bundled}/${name}.inc")
  add_custom_command(OUTPUT "${literal}" DEPENDS "${text}" "${PROJECT_SOURCE_DIR}/cmake/TextLiteral.cmake"
    COMMAND "${CMAKE_COMMAND}" "-DTEXT=${text}" "-DLITERAL=${literal}"
      -P "${PROJECT_SOURCE_DIR}/cmake/TextLiteral.cmake"
    VERBATIM)
  target_sources(vintage_harness_dashboard PRIVATE "${literal}")
endfunction()
vintage_embed("${web}/index.html" index.html)
vintage_embed("${web}/icon.svg" icon.svg)
vintage_embed("${bundled}/dashboard.js" dashboard.js)
vintage_embed("${bundled}/dashboard.css" dashboard.css)
vintage_embed("${CHARTJS}" chart.js)
vintage_embed("${CHARTJS_LICENCE}" chart.LICENSE)
