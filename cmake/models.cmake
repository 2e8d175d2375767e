# SPDX-License-Identifier: MIT
# models/*.cat as bytes of the library, and the table of their names.
file(GLOB cat_files CONFIGURE_DEPENDS models/*.cat)
set(cat_externs "")
set(cat_rows "")
foreach(file ${cat_files})
  get_filename_component(name ${file} NAME_WE)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/generated/model_${name}.c)
  add_custom_command(OUTPUT ${output}
                     COMMAND ${CMAKE_COMMAND} -DINPUT=${file} -DOUTPUT=${output} -DNAME=cat_text_${name}
                             -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
                     DEPENDS ${file} cmake/embed.cmake COMMENT "Embedding ${name}.cat" VERBATIM)
  target_sources(objects PRIVATE ${output})
  string(APPEND cat_externs "extern const unsigned char cat_text_${name}[];\nextern const size_t cat_text_${name}_size;\n")
  string(APPEND cat_rows "    {\"${name}.cat\", cat_text_${name}, &cat_text_${name}_size},\n")
endforeach()
file(CONFIGURE OUTPUT generated/cat_own_files.h CONTENT
     "${cat_externs}static const own_file own_files[] = {\n${cat_rows}};\n")
