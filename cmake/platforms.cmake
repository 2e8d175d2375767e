# SPDX-License-Identifier: MIT
# platforms/*.yaml as bytes of the library, and the table of their names.
file(GLOB platform_files CONFIGURE_DEPENDS platforms/*.yaml)
set(platform_externs "")
set(platform_rows "")
set(platform_names "")
foreach(file ${platform_files})
  get_filename_component(name ${file} NAME_WE)
  string(REPLACE "-" "_" symbol ${name})
  set(output ${CMAKE_CURRENT_BINARY_DIR}/generated/platform_${symbol}.c)
  add_custom_command(OUTPUT ${output}
                     COMMAND ${CMAKE_COMMAND} -DINPUT=${file} -DOUTPUT=${output} -DNAME=isa_text_${symbol}
                             -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
                     DEPENDS ${file} cmake/embed.cmake COMMENT "Embedding ${name}.yaml" VERBATIM)
  target_sources(objects PRIVATE ${output})
  string(APPEND platform_externs "extern const unsigned char isa_text_${symbol}[];\nextern const size_t isa_text_${symbol}_size;\n")
  string(APPEND platform_rows "    {\"${name}.yaml\", isa_text_${symbol}, &isa_text_${symbol}_size},\n")
  string(APPEND platform_names "\"${name}\", ")
endforeach()
file(CONFIGURE OUTPUT generated/isa_platforms.h CONTENT
     "${platform_externs}static const preset presets[] = {\n${platform_rows}};\nconst char *const isa_platform_names[] = {${platform_names}NULL};\n")
