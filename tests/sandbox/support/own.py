"""Servers inside the sandbox, and clients that reach them by every way there is to name one. Prints a line for each: its name, and
"reached" or the error."""
import asyncio, ctypes, os, socket, subprocess, sys, threading

libc = ctypes.CDLL(None, use_errno=True)
CLONE_FS, CLONE_FILES = 0x200, 0x400


def attempt(name, work):
    try:
        print(name, work() or "reached", flush=True)
    except Exception as error:
        print(name, type(error).__name__, getattr(error, "errno", error), flush=True)


def serve(family, address, kind=socket.SOCK_STREAM):
    server = socket.socket(family, kind)
    server.bind(address)
    server.listen(64)

    def loop():
        while True:
            with server.accept()[0] as peer:
                peer.sendall(b"hello")

    threading.Thread(target=loop, daemon=True).start()
    return server


def get(family, address, kind=socket.SOCK_STREAM, bound=None):
    with socket.socket(family, kind) as client:
        if bound is not None:
            client.bind(bound)
        client.connect(address)
        assert client.recv(5) == b"hello"


def in_thread(work):
    """On a thread that no longer shares what `unshare` names with the others."""
    failure = []

    def run():
        try:
            work()
        except Exception as error:
            failure.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if failure:
        raise failure[0]


INET, INET6, UNIX = socket.AF_INET, socket.AF_INET6, socket.AF_UNIX
v4 = serve(INET, ("127.0.0.1", 0))
p4 = v4.getsockname()[1]
v4_any = serve(INET, ("0.0.0.0", 0))
p4_any = v4_any.getsockname()[1]
v4_other = serve(INET, ("127.0.0.9", 0))
attempt("v4", lambda: get(INET, ("127.0.0.1", p4)))
attempt("v4_any", lambda: get(INET, ("127.0.0.1", p4_any)))
attempt("v4_by_any", lambda: get(INET, ("0.0.0.0", p4)))
attempt("v4_other", lambda: get(INET, v4_other.getsockname()))
attempt("v4_bound", lambda: get(INET, ("127.0.0.1", p4), bound=("127.0.0.7", 0)))
attempt("localhost", lambda: socket.create_connection(("localhost", p4)).close())
if socket.has_ipv6 and os.path.exists("/proc/net/if_inet6") and "lo" in open("/proc/net/if_inet6").read():
    v6 = serve(INET6, ("::1", 0))
    v6_any = serve(INET6, ("::", 0))
    p6_any = v6_any.getsockname()[1]
    attempt("v6", lambda: get(INET6, v6.getsockname()))
    attempt("v6_any", lambda: get(INET6, ("::1", p6_any)))
    attempt("v6_by_any", lambda: get(INET6, ("::", v6.getsockname()[1])))
    attempt("v6_any_by_v4", lambda: get(INET, ("127.0.0.1", p6_any)))
    attempt("v6_mapped", lambda: get(INET6, ("::ffff:127.0.0.1", p4)))

os.mkdir("d")
os.chdir("d")
stream = serve(UNIX, "sock")
packet = serve(UNIX, "packet", socket.SOCK_SEQPACKET)
os.symlink("sock", "link")
attempt("unix_relative", lambda: get(UNIX, "sock"))
attempt("unix_absolute", lambda: get(UNIX, os.getcwd() + "/sock"))
attempt("unix_link", lambda: get(UNIX, "link"))
attempt("unix_packet", lambda: get(UNIX, "packet", socket.SOCK_SEQPACKET))
os.rename("sock", "moved")
attempt("unix_moved", lambda: get(UNIX, "moved"))
os.rename("../d", "../e")
attempt("unix_moved_folder", lambda: get(UNIX, "moved"))
attempt("unix_own_cwd", lambda: get(UNIX, "/proc/self/cwd/moved"))
folder = os.open(".", os.O_RDONLY)
attempt("unix_own_fd", lambda: get(UNIX, f"/proc/self/fd/{folder}/moved"))
attempt("unix_none", lambda: get(UNIX, "none"))
name = "\0hamr-" + os.environ["TMPDIR"]
abstract = serve(UNIX, name)
attempt("abstract", lambda: get(UNIX, name))
attempt("abstract_none", lambda: get(UNIX, name + "x"))
attempt("nobody", lambda: get(INET, ("127.0.0.1", 1)))


async def by_asyncio():
    reader, writer = await asyncio.open_connection("127.0.0.1", p4)
    assert await reader.read(5) == b"hello"
    writer.close()
    reader, writer = await asyncio.open_unix_connection("moved")
    assert await reader.read(5) == b"hello"
    writer.close()


attempt("asyncio", lambda: asyncio.run(by_asyncio()))


def own_files():
    """A number that means one socket here, and another one to the rest of the process."""
    assert libc.unshare(CLONE_FILES) == 0
    client = socket.socket()
    client.connect(("127.0.0.1", p4))
    assert client.recv(5) == b"hello"


def own_folder():
    assert libc.unshare(CLONE_FS) == 0
    os.chdir(os.environ["TMPDIR"])
    server = serve(UNIX, "there")
    get(UNIX, "there")


attempt("thread_files", lambda: in_thread(own_files))
attempt("thread_folder", lambda: in_thread(own_folder))


def passed():
    """A socket that another process made, and only handed over."""
    here, there = socket.socketpair()
    if os.fork() == 0:
        made = socket.socket()
        socket.send_fds(there, [b"x"], [made.fileno()])
        os._exit(0)
    _, files, _, _ = socket.recv_fds(here, 1, 1)
    with socket.socket(fileno=files[0]) as client:
        client.connect(("127.0.0.1", p4))
        assert client.recv(5) == b"hello"


attempt("passed", passed)


def refused_option(*option):
    try:
        v4_any.setsockopt(*option)
    except OSError as error:
        return f"refused {error.errno}"
    return "undone"


device = v4_any.getsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, 16)
print("device", device.rstrip(b"\0").decode())
print("undo_name", refused_option(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"\0"))
print("undo_index", refused_option(socket.SOL_SOCKET, 62, 0))
client = socket.create_connection(("127.0.0.1", p4))
print("device_of_client", client.getsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, 16)[:2].decode())
