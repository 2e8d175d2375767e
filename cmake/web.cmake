# SPDX-License-Identifier: MIT
# The page of `collider report`, built by Node from web/ and carried by the library as bytes. A release
# tarball has it built, as web/dist/report.html, and then Node is not needed.
set(report_page ${PROJECT_SOURCE_DIR}/web/dist/report.html)
set(COLLIDER_WEB_PACKAGES ${PROJECT_SOURCE_DIR}/build/web CACHE PATH
    "Where the Node packages of the report's page are kept, for all build folders")
if(NOT EXISTS ${report_page})
  find_program(node node)
  if(NOT node)
    message(FATAL_ERROR "The report's page is built by Node: install nodejs (tools/bootstrap build does), "
                        "or build from a release tarball, which has the page in it.")
  endif()
  set(report_page ${CMAKE_CURRENT_BINARY_DIR}/generated/report.html)
  file(GLOB web_sources CONFIGURE_DEPENDS web/src/*)
  add_custom_command(OUTPUT ${report_page}
                     COMMAND ${PROJECT_SOURCE_DIR}/tools/web page ${COLLIDER_WEB_PACKAGES} ${report_page}
                     DEPENDS ${web_sources} web/build.mjs web/npm.mjs web/package.json web/package-lock.json
                             tools/web
                     COMMENT "Building the report's page" VERBATIM)
endif()
set(report_asset ${CMAKE_CURRENT_BINARY_DIR}/generated/report_asset.c)
add_custom_command(OUTPUT ${report_asset}
                   COMMAND ${CMAKE_COMMAND} -DINPUT=${report_page} -DOUTPUT=${report_asset} -DNAME=rep_asset
                           -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
                   DEPENDS ${report_page} cmake/embed.cmake COMMENT "Embedding the report's page" VERBATIM)
target_sources(objects PRIVATE ${report_asset})
add_custom_target(report-page DEPENDS ${report_page}) # for `make dist`
