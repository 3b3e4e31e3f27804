"""Runs a program in a pseudo-terminal that nobody looks at: pseudoTerminal.py PROGRAM [ARGUMENT ...]"""

import os
import pty
import sys

pid, master = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
try:
    while os.read(master, 65536):
        pass
except OSError:
    pass  # it has left
os.waitpid(pid, 0)
