/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/export.h: which functions a shared library shows.
 */
#ifndef HOOKE_EXPORT_H
#define HOOKE_EXPORT_H

/** Marks a public function. */
#if defined(HK_KERNEL) /* inside an FMU none is */
#define HK_API
#elif defined(_WIN32) && !defined(HK_STATIC)
#ifdef HK_BUILDING
#define HK_API __declspec(dllexport)
#else
#define HK_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define HK_API __attribute__((visibility("default")))
#else
#define HK_API
#endif

#endif
