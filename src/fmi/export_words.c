/* SPDX-License-Identifier: Apache-2.0
 *
 * export_words.c: words that cannot be the name of a program in C, since that is the name of a type: keywords of C and C++, macros that
 * compilers begin with, what math.h, stdio.h, stdlib.h, string.h and time.h may declare (C11, POSIX and older names, which are there
 * unless a strict standard is asked for), and what exported programs and their main.c have at their outermost level.
 */
#include "fmi/export_words.h"

#include <ctype.h>
#include <string.h>

/* words with blanks around each */
static const char *const words[] = {
    // C and C++, alternative tokens among them
    " alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t "
    "char32_t class co_await co_return co_yield compl concept const const_cast consteval constexpr "
    "constinit continue decltype default delete do double dynamic_cast else enum explicit export "
    "extern false float for friend goto if inline int long mutable namespace new noexcept not "
    "not_eq "
    "nullptr operator or or_eq private protected public register reinterpret_cast requires "
    "restrict "
    "return short signed sizeof static static_assert static_cast struct switch template this "
    "thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned using "
    "virtual void volatile wchar_t while xor xor_eq linux unix i386 std main ",
    // math.h
    " acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh double_t drem erf erfc "
    "exp exp10 "
    "exp2 expm1 fabs fdim finite float_t floor fma fmax fmin fmod fpclassify frexp gamma hypot "
    "ilogb isfinite "
    "isgreater isinf isless isnan isnormal j0 j1 jn ldexp lgamma llrint llround log log10 log1p "
    "log2 "
    "logb lrint lround modf nan nearbyint nextafter nexttoward pow pow10 remainder remquo rint "
    "round "
    "roundeven scalb scalbln scalbn signbit signgam significand sin sincos sinh sqrt tan tanh "
    "tgamma trunc y0 y1 yn ",
    // stdio.h
    " clearerr ctermid cuserid dprintf fclose fdopen feof ferror fflush fgetc fgetpos fgets fileno "
    "fopen "
    "fpos_t fprintf fputc fputs fread freopen fscanf fseek fseeko fsetpos ftell fwrite getc "
    "getchar "
    "getdelim getline getw off_t pclose perror popen printf putc putchar puts putw remove rename "
    "renameat rewind scanf setbuf setbuffer setlinebuf setvbuf size_t snprintf sprintf sscanf "
    "ssize_t "
    "stderr stdin stdout tempnam tmpfile tmpnam ungetc va_list vprintf vscanf ",
    // stdlib.h
    " a64l abort abs alloca atexit atof atoi atol atoll bsearch calloc canonicalize_file_name "
    "clearenv "
    "div div_t ecvt exit fcvt free gcvt getenv getloadavg getpt getsubopt initstate l64a labs ldiv "
    "ldiv_t llabs lldiv malloc mblen mbtowc mkdtemp mkstemp mktemp on_exit putenv qsort quick_exit "
    "rand random realloc reallocarray realpath rpmatch secure_getenv select setenv setstate srand "
    "srandom strtod strtof strtol strtold strtoll strtoul system uint unsetenv valloc wctomb "
    "fd_set id_t ino_t key_t mode_t pid_t quad_t u_char u_int u_long u_short uid_t gid_t ulong "
    "ushort ",
    // string.h, strings.h
    " basename bcmp bcopy bzero ffs index memccpy memchr memcmp memcpy memfrob memmem memmove "
    "mempcpy "
    "memrchr memset rawmemchr rindex stpcpy stpncpy strcasecmp strcat strchr strcmp strcoll strcpy "
    "strcspn strdup strerror strfry strlen strncat strncmp strncpy strndup strnlen strpbrk strrchr "
    "strsep strsignal strspn strstr strtok strverscmp strxfrm ",
    // time.h
    " adjtimex asctime clock clock_t clockid_t ctime daylight difftime dysize getdate gmtime "
    "localtime locale_t mktime "
    "nanosleep strftime strptime time time_t timegm timelocal timer_t timespec timezone tm tzname "
    "tzset ",
    // macros
    " BUFSIZ EOF FILE FILENAME_MAX HUGE_VAL INFINITY NAN NULL RAND_MAX M_E M_PI TMP_MAX "
    "CLOCKS_PER_SEC EXIT_FAILURE EXIT_SUCCESS HUGE MAXFLOAT "
    // main.c
    "BALANCE DISSIPATED ITERATES SHOWN STAGES STEPS SUPPLIED TOTAL begin count go head index_of "
    "iterations m most put put_energy put_values shown steps take y ",
};

static bool is_word(const char *name, size_t n) {
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    for (const char *s = words[i]; (s = strchr(s, ' ')) && s[1];) {
      s++;
      if (strncmp(s, name, n) == 0 && s[n] == ' ') return true;
    }
  return false;
}

bool hki_is_word_of_programs(const char *name) {
  const size_t n = strlen(name);
  // functions of float and long double; tables of a program are g0, g1, ..
  const bool last = n > 1 && strchr("fl", name[n - 1]);
  const bool table = name[0] == 'g' && n > 1 && strspn(name + 1, "0123456789") == n - 1;
  return table || strncmp(name, "hkx", 3) == 0 || strncmp(name, "HKX", 3) == 0 ||
         is_word(name, n) || (last && is_word(name, n - 1));
}
