"""Servers outside the sandbox, for clients inside to try. Usage: servers.py FOLDER. Prints the TCP port once all listen; whatever
reaches one is written to FOLDER/log. Ends when its input is closed."""
import contextlib, os, select, socket, sys

folder = sys.argv[1]
log = open(f"{folder}/log", "a", buffering=1)
inet = lambda family, kind, host: (family, kind, (host, 0))
local = lambda kind, name: (socket.AF_UNIX, kind, f"{folder}/{name}")
wanted = [
    inet(socket.AF_INET, socket.SOCK_STREAM, "127.0.0.1"),
    inet(socket.AF_INET, socket.SOCK_STREAM, "127.0.0.53"),
    inet(socket.AF_INET, socket.SOCK_DGRAM, "127.0.0.1"),
    local(socket.SOCK_STREAM, "stream"),
    local(socket.SOCK_SEQPACKET, "packet"),
    local(socket.SOCK_DGRAM, "datagram"),
    (socket.AF_UNIX, socket.SOCK_STREAM, f"\0{folder}"),
]
sockets, port = [], 0
for family, kind, address in wanted:
    one = socket.socket(family, kind)
    if family == socket.AF_INET:
        # Many servers (gRPC's, nginx's) do: others of the same user may then share the port.
        one.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        address = (address[0], port)
    one.bind(address)
    if family == socket.AF_INET:
        port = one.getsockname()[1]
    elif not address.startswith("\0"):
        os.chmod(address, 0o777)
    if kind != socket.SOCK_DGRAM:
        one.listen(8)
    sockets.append(one)
print(port, flush=True)
while True:
    for ready in select.select([*sockets, sys.stdin], [], [])[0]:
        if ready is sys.stdin:
            sys.exit(0)
        if ready.type == socket.SOCK_DGRAM:
            ready.recv(100)
        else:
            # Who is gone again has got through as well.
            with ready.accept()[0] as peer, contextlib.suppress(OSError):
                peer.sendall(b"foreign")
        name = ready.getsockname()
        log.write(f"{ready.type} {name}\n")
