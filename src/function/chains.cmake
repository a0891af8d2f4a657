# SPDX-License-Identifier: Apache-2.0
# The functions that are compiled for every executor: single stages that are functions by themselves, and chains of
# stages (function/chain.h), the last of which routes. A line is one compilation: its functions share their callees if
# the assembler does not copy them (cmake/Cuda.cmake). The first one is for runs that name no function.
set(PACKETWARP_CHAINS
  "forward"
  "swap_payload"
  "rules"
  "router|rules,router"
  "nat44,router|rules,nat44,router"
)

# packetwarp_function_type(OUT STAGES): the C++ type for "nat44,router". Each stage is function/<name>/<name>.h's.
function(packetwarp_function_type out stages)
  string(REPLACE "," ", " listed "${stages}")
  if(stages MATCHES ",")
    set(listed "chain<${listed}>")
  endif()
  set(${out} "${listed}" PARENT_SCOPE)
endfunction()

# packetwarp_stage_includes(OUT STAGES...): the includes of their headers, each once.
function(packetwarp_stage_includes out)
  set(all "")
  set(text "")
  foreach(stages ${ARGN})
    string(REPLACE "," ";" names "${stages}")
    list(APPEND all ${names})
    if(stages MATCHES ",")
      set(text "#include \"function/chain.h\"\n")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES all)
  list(SORT all)
  foreach(name ${all})
    string(APPEND text "#include \"function/${name}/${name}.h\"\n")
  endforeach()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# packetwarp_compiled_header(PATH): compiled.h, which lists them for the host's code.
function(packetwarp_compiled_header path)
  set(functions "")
  set(types "")
  foreach(line ${PACKETWARP_CHAINS})
    string(REPLACE "|" ";" of_line "${line}")
    list(APPEND functions ${of_line})
  endforeach()
  foreach(stages ${functions})
    packetwarp_function_type(type "${stages}")
    list(APPEND types "${type}")
  endforeach()
  string(REPLACE ";" ", " types "${types}")
  packetwarp_stage_includes(includes ${functions})
  configure_file("${PROJECT_SOURCE_DIR}/src/function/compiled.h.in" "${path}" @ONLY)
endfunction()
