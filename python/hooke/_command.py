# SPDX-License-Identifier: Apache-2.0
"""The command `hooke` of the package: the program that lies beside the extension."""
import os
import sys


def program() -> str:
    """Where the program is."""
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin", "hooke")


def main() -> None:
    """Become the program."""
    path = program()
    try:
        os.execv(path, [path, *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"hooke: cannot start {path}: {error.strerror}")


if __name__ == "__main__":
    main()
