/* SPDX-License-Identifier: Apache-2.0
 *
 * glyph.h: symbols by which joints and force elements are drawn. Types choose one in their tables;
 * scenes carry its word, so that viewers know symbols and no types.
 */
#ifndef HK_GEOMETRY_GLYPH_H
#define HK_GEOMETRY_GLYPH_H

#define HK_GLYPHS                                                                                  \
  X(NONE, "none")     /* not drawn */                                                              \
  X(POINT, "point")   /* a small octahedron */                                                     \
  X(PIN, "pin")       /* a short cylinder along z */                                               \
  X(SLEEVE, "sleeve") /* a long cylinder along z */                                                \
  X(SLIDER, "slider") /* a long box along z */                                                     \
  X(SPHERE, "sphere")                                                                              \
  X(CROSS, "cross") /* a thick ring */                                                             \
  X(RING, "ring")   /* a thin, wide ring about z */                                                \
  X(CUBE, "cube")                                                                                  \
  X(PLATE, "plate")     /* a flat box across z */                                                  \
  X(ROD, "rod")         /* a line between both ends */                                             \
  X(COIL, "coil")       /* a spring, a damper or both between both ends */                         \
  X(SPINDLE, "spindle") /* a muscle between both ends, thickest in its middle */                   \
  X(BLOCK, "block")     /* a block of rubber at the second end */                                  \
  X(WHEEL, "wheel")     /* a tyre about the first end, on the ground */                            \
  X(TEETH, "teeth")     /* couplings: two toothed wheels in mesh */                                \
  X(STRAP, "strap")     /* couplings: wheels and what runs round all of them */                    \
  X(BAR, "bar")         /* couplings: a toothed wheel on a toothed bar */                          \
  X(LINK, "link")       /* couplings: a line between the joints they relate */                     \
  X(OUTLINE, "outline") /* a curve of the first body, a roller of the second */                    \
  X(DISC, "disc")       /* a disc on the second body of a joint, a pad on the first */

typedef enum hk_glyph {
#define X(name, word) HK_GLYPH_##name,
  HK_GLYPHS
#undef X
      HK_GLYPH_COUNT
} hk_glyph;

static inline const char *hki_glyph_word(hk_glyph g) {
#define X(name, word) [HK_GLYPH_##name] = word,
  static const char *const words[] = {HK_GLYPHS};
#undef X
  return g < HK_GLYPH_COUNT ? words[g] : words[HK_GLYPH_NONE];
}

#endif
