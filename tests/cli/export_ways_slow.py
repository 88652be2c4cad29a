#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Twenty-one models, all ways (export_ways.py). With -v each says how near it is."""
import unittest

import export_ways


class Twenty(export_ways.Ways):
    runs = True
    models = """andrews belt-drive bricard chaplygin-sleigh crash-sled double-four-bar double-pendulum-stiff gyroscope hanging-chain
        loosely-drawn mirrored-axle pendulum planetary redundant-arm rolling-disc slack-line spatial-four-bar spinning-body three-rrr
        whipple-bicycle ziegler-column""".split()


if __name__ == "__main__":
    unittest.main(defaultTest="Twenty")
