# SPDX-License-Identifier: MIT
# COLLIDER_PORTABLE: every library but the C library is linked from its archive, so that the command runs
# where nothing is installed. The C library stays shared: compiled protocols and plug-ins are loaded by it.
# Nothing newer is used than glibc 2.34, and libgcc_s, which comes with it; tools/static checks that.
set(portable_sources "")
if(COLLIDER_PORTABLE)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  # The C compiler links, and it knows no -static-libstdc++.
  set(portable_before -Wl,-Bstatic)
  set(portable_after -Wl,-Bdynamic)
  # Debian's libmicrohttpd names GnuTLS, which has no complete archive. `collider serve` speaks plain HTTP,
  # so none of that is ever called; what the archive names is filled with functions that stop the program.
  find_library(microhttpd_archive microhttpd REQUIRED)
  execute_process(COMMAND ${CMAKE_NM} -u ${microhttpd_archive} OUTPUT_VARIABLE names ERROR_QUIET)
  string(REGEX MATCHALL "gnutls_[a-z0-9_]+" names "${names}")
  list(REMOVE_DUPLICATES names)
  set(text "#include <stddef.h>\n#include <stdint.h>\n#include <stdlib.h>\n#include <sys/random.h>\n")
  foreach(name ${names})
    if(name STREQUAL gnutls_malloc) # a variable
      string(APPEND text "extern void *(*gnutls_malloc)(size_t);\nvoid *(*gnutls_malloc)(size_t) = malloc;\n")
    elseif(name MATCHES "^gnutls_global_") # called by libmicrohttpd when it is loaded
      string(APPEND text "int ${name}(void);\nint ${name}(void) { return 0; }\n")
    else()
      string(APPEND text "void ${name}(void);\nvoid ${name}(void) { abort(); }\n")
    endif()
  endforeach()
  # The C++ library's random_device would need glibc 2.36; the solver does not use it.
  string(APPEND text "uint32_t arc4random(void);\nuint32_t arc4random(void) {\n  uint32_t word = 0;\n"
         "  if (getrandom(&word, sizeof word, 0) != (ssize_t)sizeof word)\n    abort();\n  return word;\n}\n")
  file(CONFIGURE OUTPUT generated/portable.c CONTENT "${text}" @ONLY)
  set(portable_sources ${CMAKE_CURRENT_BINARY_DIR}/generated/portable.c)
endif()
