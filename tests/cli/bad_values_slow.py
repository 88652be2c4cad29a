#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All bad values of bad_values.py under every key."""
import sys

import bad_values

if __name__ == "__main__":
    sys.exit(bad_values.main(1))
