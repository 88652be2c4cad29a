/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * hooke/dlpack.h: the structs of DLPack 1.0, by which hk_batch_tensor() hands numbers to PyTorch, JAX, CuPy and NumPy, for
 * programs without the header `dlpack/dlpack.h`. Where that is included first, nothing is declared here: names and bytes
 * are the same. hooke/hooke.h does not include this header.
 *
 * Source: DLPack, C API, version 1.0, https://dmlc.github.io/dlpack/latest/c_api.html.
 */
#ifndef HOOKE_DLPACK_H
#define HOOKE_DLPACK_H

#ifndef DLPACK_DLPACK_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where numbers lie. */
typedef struct DLDevice {
  int32_t device_type; /**< 1: in the processor's memory, 2: on a card of NVIDIA */
  int32_t device_id;   /**< which card, from 0 */
} DLDevice;

/** What kind of numbers they are. */
typedef struct DLDataType {
  uint8_t code;   /**< 2: numbers with fractions */
  uint8_t bits;   /**< of one of them: 64 or 32 */
  uint16_t lanes; /**< 1 */
} DLDataType;

/** Numbers in one or two directions. */
typedef struct DLTensor {
  void *data;           /**< the first of them; on a card an address there */
  DLDevice device;      /**< where they lie */
  int32_t ndim;         /**< how many directions */
  DLDataType dtype;     /**< of which kind they are */
  int64_t *shape;       /**< of each direction: how many */
  int64_t *strides;     /**< of each direction: numbers from one to the next */
  uint64_t byte_offset; /**< of the first behind `data`: 0 */
} DLTensor;

/** Version of these structs. */
typedef struct DLPackVersion {
  uint32_t major; /**< 1: programs that know another one may call the deleter alone */
  uint32_t minor; /**< 0 or more */
} DLPackVersion;

/** Bits of `flags`. */
enum {
  HK_DLPACK_READ_ONLY = 1, /**< the numbers may not be changed */
  HK_DLPACK_IS_COPIED = 2  /**< they are a copy, which changes no more */
};

/** A tensor that somebody was given. */
typedef struct DLManagedTensorVersioned {
  DLPackVersion version;                                  /**< of this struct */
  void *manager_ctx;                                      /**< of the one who gave it */
  void (*deleter)(struct DLManagedTensorVersioned *self); /**< gives it back, from any thread */
  uint64_t flags;                                         /**< bits of what it is */
  DLTensor dl_tensor;                                     /**< the tensor itself */
} DLManagedTensorVersioned;

/** The same for those who know only versions before 1.0. */
typedef struct DLManagedTensor {
  DLTensor dl_tensor;                            /**< the tensor itself */
  void *manager_ctx;                             /**< of the one who gave it */
  void (*deleter)(struct DLManagedTensor *self); /**< gives it back, from any thread */
} DLManagedTensor;

#ifdef __cplusplus
}
#endif
#endif
#endif
