"""As raw.c, for machines without a C compiler."""
import ctypes, os, sys

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
last = 0
for line in open(sys.argv[1]):
    label, number, *words = line.split()
    args, kept = [], []
    for word in words:
        if word == "last":
            args.append(ctypes.c_long(last))
        elif word.startswith(("s:", "x:")):
            data = bytes.fromhex(word[2:]) if word[0] == "x" else word[2:].encode()
            kept.append(ctypes.create_string_buffer(data, 4096))
            args.append(kept[-1])
        else:
            args.append(ctypes.c_long(int(word, 0)))
    args += [ctypes.c_long(0)] * (6 - len(args))
    me = os.getpid()
    ctypes.set_errno(0)
    last = libc.syscall(ctypes.c_long(int(number, 0)), *args)
    if os.getpid() != me:
        os._exit(0)
    print(label, last, ctypes.get_errno() if last == -1 else 0, flush=True)
