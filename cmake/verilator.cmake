# SPDX-License-Identifier: MIT
# Verilog designs are compiled against collider/verilator.hpp, so the library carries its text with
# that of the headers that it includes, in their order.
set(verilator_parts compiler problem program model event geometry agent duv chip)
set(verilator_text "")
foreach(part ${verilator_parts})
  file(READ include/collider/${part}.h text)
  string(APPEND verilator_text "${text}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS include/collider/${part}.h)
endforeach()
foreach(part verilator_points verilator verilator_bus verilator_bus_in_order verilator_chip)
  file(READ include/collider/${part}.hpp text)
  string(APPEND verilator_text "${text}")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS include/collider/${part}.hpp)
endforeach()
string(REGEX REPLACE "#include [<\"]collider/[^\n]*\n" "" verilator_text "${verilator_text}")
file(CONFIGURE OUTPUT generated/verilator_joined.hpp CONTENT "${verilator_text}" @ONLY)
add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/generated/verilator_header.c
                   COMMAND ${CMAKE_COMMAND} -DINPUT=${CMAKE_CURRENT_BINARY_DIR}/generated/verilator_joined.hpp
                           -DOUTPUT=${CMAKE_CURRENT_BINARY_DIR}/generated/verilator_header.c
                           -DNAME=duv_verilator_header -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
                   DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/generated/verilator_joined.hpp cmake/embed.cmake
                   COMMENT "Embedding collider/verilator.hpp" VERBATIM)
target_sources(objects PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/generated/verilator_header.c)
