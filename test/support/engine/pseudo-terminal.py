"""Runs a program in a terminal of its own, 200 columns wide, and types answers as their prompts come.

Usage: pseudo-terminal.py '[["prompt", "line"], ...]' program argument...
What the terminal shows goes to stdout; the program's exit code is the one here.
"""

import fcntl, json, os, pty, struct, sys, termios

answers = json.loads(sys.argv[1])
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 200, 0, 0))
    os.execv(sys.argv[2], sys.argv[2:])
seen = ""
while True:
    try:
        shown = os.read(terminal, 65536)
    except OSError:  # The terminal's end, on Linux.
        break
    if not shown:
        break
    os.write(1, shown)
    seen += shown.decode("utf-8", "replace")
    if answers and answers[0][0] in seen:
        line = answers.pop(0)[1]
        seen = ""
        os.write(terminal, (line if line == "\x03" else line + "\r").encode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
