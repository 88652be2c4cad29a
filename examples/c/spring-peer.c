/* SPDX-License-Identifier: Apache-2.0
 *
 * spring-peer.c: the other side of examples/streamed-spring.yaml: reads where the block is and answers with the
 * force of a spring. It needs hooke_stream.h alone, not the library.
 *
 *   hooke run streamed-spring.yaml --connect &
 *   spring-peer unix:/tmp/hooke-spring-place unix:/tmp/hooke-spring-force 200
 *
 * Over UDP it must be there before the model.
 */
#define _GNU_SOURCE
#define HOOKE_STREAM_IMPLEMENTATION
#include "hooke_stream.h"

#include <stdlib.h>

int main(int argc, char **argv) {
  hooke_stream place, force;
  double x, f, t;
  long frames = 0;
  int got;
  if (argc != 4) {
    fprintf(stderr, "usage: spring-peer FROM TO STIFFNESS\n");
    return 2;
  }
  const double k = strtod(argv[3], NULL);
  /* of datagrams whoever receives is the one who listens */
  const int datagrams = strncmp(argv[1], "udp:", 4) == 0;
  if ((datagrams ? hooke_stream_listen(&place, argv[1])
                 : hooke_stream_connect(&place, argv[1], 10.0)) != 0 ||
      hooke_stream_connect(&force, argv[2], 10.0) != 0) {
    perror("spring-peer");
    return 1;
  }
  while ((got = hooke_stream_receive(&place, &x, 1, &t)) == 1) {
    f = -k * x;
    frames++;
    if (hooke_stream_send(&force, t, &f, 1) != 0) break; // the model has ended
  }
  printf("%ld frames, %lld lost\n", frames, (long long)place.lost);
  hooke_stream_close(&place);
  hooke_stream_close(&force);
  return got < 0 ? 1 : 0;
}
