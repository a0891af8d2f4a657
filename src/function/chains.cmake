# SPDX-License-Identifier: Apache-2.0
# The functions that are compiled for every executor: single stages that are functions by themselves, and chains of
# stages (function/chain.h), the last of which routes. A line is one compilation: its functions share their callees if
# the assembler does not copy them (cmake/Cuda.cmake). The first one is for runs that name no function.
#
# A stage with a question mark is switched (function/switched.h). A line with such stages is a general chain: it runs
# every chain of its stages, in its order, that has no line of its own. A new stage is one word there; a chain gets a
# line of its own if its rate is worth a compilation. A stage that works on packets together has a general chain of its
# own, because its room in shared memory is there even if it is off.
set(PACKETWARP_CHAINS
  "forward"
  "swap_payload"
  "rules"
  "router|rules,router"
  "nat44,router|rules,nat44,router"
  "detect,router"
  "inspection,router"
  "rules?,nat44?,router"
  "rules?,detect,nat44?,router"
  "rules?,inspection,nat44?,router"
)

# packetwarp_function_type(OUT STAGES): the C++ type for "rules?,nat44,router". Each stage is function/<name>/<name>.h's.
function(packetwarp_function_type out stages)
  string(REGEX REPLACE "([a-z0-9_]+)[?]" "switched<\\1>" listed "${stages}")
  string(REPLACE "," ", " listed "${listed}")
  if(stages MATCHES ",")
    set(listed "chain<${listed}>")
  endif()
  set(${out} "${listed}" PARENT_SCOPE)
endfunction()

# packetwarp_stage_names(OUT STAGES): the name of each stage.
function(packetwarp_stage_names out stages)
  string(REPLACE "?" "" names "${stages}")
  string(REPLACE "," ";" names "${names}")
  set(${out} "${names}" PARENT_SCOPE)
endfunction()

# packetwarp_has_deep_form(OUT STAGES): whether a stage has a second form, in deep_<name>.h (deep_form.h).
function(packetwarp_has_deep_form out stages)
  set(${out} FALSE PARENT_SCOPE)
  packetwarp_stage_names(names "${stages}")
  foreach(name ${names})
    if(EXISTS "${PROJECT_SOURCE_DIR}/src/function/${name}/deep_${name}.h")
      set(${out} TRUE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# packetwarp_function_file(OUT STAGES): the name of the files that are generated for them, without its ending.
function(packetwarp_function_file out stages)
  string(REPLACE "?" "_switched" name "${stages}")
  string(REPLACE "," "_" name "${name}")
  set(${out} "${name}" PARENT_SCOPE)
endfunction()

# packetwarp_stage_includes(OUT STAGES...): the includes of their headers, each once.
function(packetwarp_stage_includes out)
  set(all "")
  set(headers "")
  foreach(stages ${ARGN})
    packetwarp_stage_names(names "${stages}")
    list(APPEND all ${names})
    if(stages MATCHES ",")
      list(APPEND headers "chain.h")
    endif()
    if(stages MATCHES "[?]")
      list(APPEND headers "switched.h")
    endif()
  endforeach()
  list(REMOVE_DUPLICATES all)
  foreach(name ${all})
    list(APPEND headers "${name}/${name}.h")
  endforeach()
  list(REMOVE_DUPLICATES headers)
  list(SORT headers)
  set(text "")
  foreach(header ${headers})
    string(APPEND text "#include \"function/${header}\"\n")
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
