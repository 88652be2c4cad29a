# SPDX-License-Identifier: Apache-2.0
# Writes a text file as a C string: cmake -DIN=report.html -DOUT=page.c -P HookePage.cmake
# A compiler reads a string in a tenth of the time that it needs for a list of numbers.
file(READ ${IN} text)
string(REPLACE "\\" "\\\\" text "${text}")
string(REPLACE "\"" "\\\"" text "${text}")
string(REPLACE "?" "\\?" text "${text}") # two of them would begin a trigraph
string(REPLACE "\r" "\\r" text "${text}")
string(REPLACE "\n" "\\n\"\n\"" text "${text}")
file(WRITE ${OUT} "/* made from viewer/dist/report.html */\n#include <stddef.h>\n"
     "extern const unsigned char hki_viewer_page[];\nextern const size_t hki_viewer_page_size;\n"
     "const unsigned char hki_viewer_page[] =\n\"${text}\";\n"
     "const size_t hki_viewer_page_size = sizeof hki_viewer_page - 1;\n")
