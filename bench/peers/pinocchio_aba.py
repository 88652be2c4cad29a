# SPDX-License-Identifier: Apache-2.0
"""pinocchio_aba.py LINKS ROUNDS: one acceleration of a chain in Pinocchio, called from Python, us; then the accelerations at the start"""
import sys
import time

import models
import numpy as np
import pinocchio as pin

links = models.chain(int(sys.argv[1]))
model = models.chain_pinocchio(pin, links)
data = model.createData()
q, v = np.array([k["angle"] for k in links]), np.array([k["rate"] for k in links])
tau, best = np.zeros(model.nv), 1e9
for _ in range(20 * int(sys.argv[2])):
    t = time.thread_time()
    for _ in range(100):
        pin.aba(model, data, q, v, tau)
    best = min(best, (time.thread_time() - t) / 100)
print(1e6 * best, *pin.aba(model, data, q, v, tau))
