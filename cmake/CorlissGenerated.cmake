# Code made from protos/, in the build folder. Included as a system folder, so that its warnings stay away.
set(CORLISS_GENERATED_DIR "${PROJECT_BINARY_DIR}/generated")

function(corliss_generated_folder layer)
  file(MAKE_DIRECTORY "${CORLISS_GENERATED_DIR}/corliss/${layer}")
  target_include_directories(corliss_${layer} SYSTEM PUBLIC "$<BUILD_INTERFACE:${CORLISS_GENERATED_DIR}>")
endfunction()

# corliss_protos(<layer> <x>…): the messages of protos/x.proto (package corliss.<layer>) as <corliss/<layer>/x.pb.h>.
function(corliss_protos layer)
  corliss_generated_folder(${layer})
  set(folder "${CORLISS_GENERATED_DIR}/corliss/${layer}")
  foreach(name IN LISTS ARGN)
    set(made "${folder}/${name}.pb.cc" "${folder}/${name}.pb.h")
    add_custom_command(OUTPUT ${made}
      COMMAND protobuf::protoc "--proto_path=corliss/${layer}=${PROJECT_SOURCE_DIR}/protos"
        "--cpp_out=${CORLISS_GENERATED_DIR}" "corliss/${layer}/${name}.proto"
      DEPENDS "${PROJECT_SOURCE_DIR}/protos/${name}.proto" VERBATIM)
    # NDEBUG: otherwise protobuf prints a line for text that is not UTF-8, which the wire may well hold.
    set_source_files_properties("${folder}/${name}.pb.cc" PROPERTIES COMPILE_OPTIONS -w COMPILE_DEFINITIONS NDEBUG)
    target_sources(corliss_${layer} PRIVATE ${made})
    install(FILES "${folder}/${name}.pb.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/corliss/${layer}")
  endforeach()
endfunction()

# corliss_enum(<layer> <Enum> <integer type> <x>): protos/enums/x.csv (lines `value,name`, sorted by value, # comments)
# as <corliss/<layer>/x_values.h>, and its rows as "corliss/<layer>/x_names.inc" for the layer's own table of names.
function(corliss_enum layer enum type name)
  corliss_generated_folder(${layer})
  set(table "${PROJECT_SOURCE_DIR}/protos/enums/${name}.csv")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${table}")
  file(STRINGS "${table}" lines REGEX "^[0-9]+,[A-Za-z0-9_]+$")
  set(values "")
  set(names "")
  foreach(line IN LISTS lines)
    string(REPLACE "," ";" row "${line}")
    list(GET row 0 value)
    list(GET row 1 id)
    string(APPEND values "  ${id} = ${value},\n")
    string(APPEND names "{${value}, \"${id}\"},\n")
  endforeach()
  set(folder "${CORLISS_GENERATED_DIR}/corliss/${layer}")
  file(CONFIGURE OUTPUT "${folder}/${name}_values.h" @ONLY CONTENT
"#pragma once

#include <cstdint>

namespace corliss::${layer} {

/// Made from protos/enums/${name}.csv. Other values are kept as they are.
enum class ${enum} : ${type} {
${values}};

}  // namespace corliss::${layer}
")
  file(CONFIGURE OUTPUT "${folder}/${name}_names.inc" @ONLY CONTENT "${names}")
  install(FILES "${folder}/${name}_values.h" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/corliss/${layer}")
endfunction()
