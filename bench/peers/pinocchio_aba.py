# SPDX-License-Identifier: Apache-2.0
"""pinocchio_aba.py LINKS|humanoid ROUNDS: one acceleration of a tree in Pinocchio, called from Python, us; then the accelerations at the start"""
import sys
import time

import models
import numpy as np
import pinocchio as pin

links = models.tree(sys.argv[1])
model, q, v = models.tree_pinocchio(pin, links)
data = model.createData()
tau, best = np.zeros(model.nv), 1e9
for _ in range(20 * int(sys.argv[2])):
    t = time.thread_time()
    for _ in range(100):
        pin.aba(model, data, q, v, tau)
    best = min(best, (time.thread_time() - t) / 100)
print(1e6 * best, *pin.aba(model, data, q, v, tau)[model.nv - len(models.hinges(links)):])
