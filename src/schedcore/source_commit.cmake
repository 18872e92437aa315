# source_commit(<variable> <folder>): the git commit that `folder` holds, for the record of a build.
#
# Sets <variable> to the full hash, followed by "+changes" where tracked files differ from the commit.  Sets it to the
# empty string where `folder` is not the top of a checkout (an sdist, also one unpacked inside another checkout), git is
# missing, or git declines (a checkout of another owner).  Never fails and never writes to the checkout.
function(source_commit variable folder)
  set(${variable} "" PARENT_SCOPE)
  find_package(Git QUIET)
  if(NOT Git_FOUND)
    return()
  endif()
  # In a git hook, these point to the repository of the hook.
  set(git ${CMAKE_COMMAND} -E env --unset=GIT_DIR --unset=GIT_WORK_TREE --unset=GIT_INDEX_FILE
    ${GIT_EXECUTABLE} --no-optional-locks -C ${folder})
  execute_process(COMMAND ${git} rev-parse --show-prefix HEAD  # an empty line, since no folder lies in between
    RESULT_VARIABLE failure OUTPUT_VARIABLE commit ERROR_QUIET)
  if(failure OR NOT commit MATCHES "^\n([0-9a-f]+)\n$")
    return()
  endif()
  set(commit ${CMAKE_MATCH_1})
  execute_process(COMMAND ${git} status --porcelain --untracked-files=no
    RESULT_VARIABLE failure OUTPUT_VARIABLE changes ERROR_QUIET)
  if(failure)
    return()
  endif()
  if(changes)
    string(APPEND commit "+changes")
  endif()
  set(${variable} ${commit} PARENT_SCOPE)
endfunction()
