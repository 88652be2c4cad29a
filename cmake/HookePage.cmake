# SPDX-License-Identifier: Apache-2.0
# Writes a file as a C array: cmake -DIN=report.html -DOUT=page.c -P HookePage.cmake
file(READ ${IN} bytes HEX)
string(REGEX REPLACE "(................................................................)" "\\1\n"
       bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUT} "/* made from viewer/dist/report.html */\n#include <stddef.h>\n"
     "extern const unsigned char hki_viewer_page[];\nextern const size_t hki_viewer_page_size;\n"
     "const unsigned char hki_viewer_page[] = {\n${bytes}};\n"
     "const size_t hki_viewer_page_size = sizeof hki_viewer_page;\n")
