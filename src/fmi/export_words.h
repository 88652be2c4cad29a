/* SPDX-License-Identifier: Apache-2.0
 *
 * export_words.h: words that cannot be the name of a program in C.
 */
#ifndef HK_FMI_EXPORT_WORDS_H
#define HK_FMI_EXPORT_WORDS_H

#include <stdbool.h>

/* Is it a word of C or C++, of the headers that programs include, or of the programs themselves? It would be a type there. */
bool hki_is_word_of_programs(const char *name);

#endif
