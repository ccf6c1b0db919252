"""Runs a command with a terminal for its input and its log; its standard output stays what it is.

on_terminal.py '[["what to wait for", "what to type then"], ...]' COMMAND ...

What the terminal shows goes to standard error.
"""
import fcntl
import json
import os
import pty
import sys
import termios

steps = json.loads(sys.argv[1])
master, slave = pty.openpty()
child = os.fork()
if child == 0:
    os.setsid()
    # Ctrl-C is a signal only on the terminal that controls the process.
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    os.dup2(slave, 0)
    os.dup2(slave, 2)
    os.close(master)
    os.execvp(sys.argv[2], sys.argv[2:])
os.close(slave)
shown = b""
while True:
    while steps and steps[0][0].encode() in shown:
        wanted, typed = (text.encode() for text in steps.pop(0))
        shown = shown[shown.index(wanted) + len(wanted):]
        os.write(master, typed)
    try:
        part = os.read(master, 65536)
    except OSError:  # Nobody has the terminal open any more.
        break
    if not part:
        break
    os.write(2, part)
    shown += part
_, status = os.waitpid(child, 0)
sys.exit(os.waitstatus_to_exitcode(status) & 0xFF)
