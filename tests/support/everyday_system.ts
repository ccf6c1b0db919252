/** Rows of the table of everyday commands: debuggers, terminals, servers, sockets, files. */
import type { Everyday } from "./everyday.ts";

const NO_DATAGRAM = /^\[the sandbox .*datagrams can't be sent \(UDP\); .* --allow-net\]$/m;
const NO_NAME = /^\[the sandbox .*names can't be looked up; .* --allow-net\]$/m;
const ALLOW_NET = "`--allow-net`";
const NO_PAIR = /^\[the sandbox allows no unix sockets for datagrams.*SOCK_SEQPACKET work;.*\]$/m;
const PAIR = "import socket; socket.socketpair(type=socket.SOCK_DGRAM)";
const UDP = `import socket
s = socket.socket(type=socket.SOCK_DGRAM); s.bind(("127.0.0.1", 0)); s.sendto(b"x", s.getsockname()); s.recv(9)`;
const unix_server = (path: string) =>
  `python3 -c 'import os, socket
p = ${path}
s = socket.socket(socket.AF_UNIX); s.bind(p); s.listen(); socket.socket(socket.AF_UNIX).connect(p); os.unlink(p)'`;
const POSTGRES = `initdb -D pg -A trust > log && pg_ctl -D pg -w -l log start \\
  -o "-c listen_addresses=127.0.0.1 -p 25399 -k $PWD" && psql -h 127.0.0.1 -p 25399 -Atc "select 42" postgres | grep 42
code=$?; pg_ctl -D pg -m immediate stop; exit $code`;

/** Its ports are below those that the kernel hands out by itself. */
export const SYSTEM: readonly Everyday[] = [
  {
    name: "`gdb`",
    needs: ["gdb"],
    run: "gdb -batch -ex run --args true 2>&1 | grep 'exited normally'",
  },
  {
    name: "`perf`",
    note: "no: counters of the kernel tell about other programs",
    needs: ["perf"],
    run: "perf stat -e task-clock true",
    refused: /^\[the sandbox allows no performance counters.*--sandbox off does\]$/m,
  },
  {
    name: "`strace`",
    needs: ["strace"],
    run: "strace -f -o log bash -c '/bin/true; :' && grep execve log",
  },
  { name: "`valgrind`", needs: ["valgrind"], run: "valgrind -q --error-exitcode=9 true" },
  {
    name: "`script`, and what else wants a terminal (`openpty`)",
    note: "programs that open `/dev/pts/N` by its name can't: no terminal is opened so",
    needs: ["script"],
    run: "script -qec 'test -t 0 && echo yes > /dev/tty' /dev/null | grep yes",
  },
  {
    name: "`tmux`",
    note: "a server of the run's own, never yours",
    needs: ["tmux"],
    run:
      `tmux -L own new-session -d 'echo inside > up; sleep 9'; until [ -s up ]; do sleep 0.02; done
tmux -L own kill-server && cat up`,
  },
  {
    name: "`ssh-keygen`, `ssh-agent` with keys of the run's own",
    needs: ["ssh-keygen", "ssh-agent"],
    run: "ssh-keygen -q -t ed25519 -N '' -f k && ssh-agent sh -c 'ssh-add -q k && ssh-add -l'",
  },
  {
    name: "`ssh HOST`, `scp`",
    note: "`--allow-net`, and `--allow-read=~/.ssh` for your keys",
    needs: ["ssh"],
    run: "ssh -o BatchMode=yes example.com true",
    refused: NO_NAME,
  },
  {
    name: "`gpg` with keys of the run's own",
    needs: ["gpg"],
    run: `mkdir -m 700 "$TMPDIR/g" && export GNUPGHOME=$TMPDIR/g
gpg --batch -q --passphrase '' --quick-gen-key a ed25519 sign never && echo a | gpg --batch -s > a.gpg; gpgconf --kill all; [ -s a.gpg ]`,
  },
  {
    name: "`curl`, `wget` of a page elsewhere",
    note: ALLOW_NET,
    needs: ["curl"],
    run: "curl -sS http://example.com/",
    refused: NO_NAME,
  },
  {
    name: "`curl http://localhost:PORT`, of a server that you have started",
    note: "`--allow-net=loopback`",
    needs: ["curl"],
    run: "curl -sS http://127.0.0.1:{PORT}/",
    refused: /^\[the sandbox refused a connection to 127.* --allow-net=loopback\]$/m,
    flags: ["--allow-net=loopback"],
  },
  {
    name: "UDP, to this machine as well (`dig`, statsd, QUIC)",
    note: ALLOW_NET,
    needs: ["python3"],
    run: `python3 -c '${UDP}'`,
    refused: NO_DATAGRAM,
    flags: ["--allow-net"],
  },
  {
    name: "servers that show this machine's address (Flask, Streamlit)",
    needs: ["python3"],
    // As Werkzeug does it: only `connect` may fail.
    run: `python3 -c 'import socket
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
  try: s.connect(("192.0.2.1", 58162)); print(s.getsockname())
  except OSError: print("127.0.0.1")'`,
  },
  {
    name: "unix sockets in the workspace and in `$TMPDIR`",
    needs: ["python3"],
    run: `${unix_server('"s"')} && ${unix_server('os.environ["TMPDIR"] + "/s"')}`,
  },
  {
    name: "files and unix sockets in `/tmp`",
    note: "`$TMPDIR`, or `--allow-write=/tmp`",
    needs: ["mktemp"],
    run: "f=$(mktemp) && touch /tmp/hamr-everyday-$$ && rm /tmp/hamr-everyday-$$ $f",
    refused: /^\[the sandbox does not allow writing \/tmp\/.*use \$TMPDIR.*\]$/m,
    flags: ["--allow-write=/tmp"],
  },
  {
    name: "`socketpair` with datagrams, unix datagram sockets",
    note:
      "no: each message could go to another program's socket; streams and `SOCK_SEQPACKET` work",
    needs: ["python3"],
    run: `python3 -c '${PAIR}'`,
    refused: NO_PAIR,
  },
  {
    name: "`docker`",
    note: "`--allow-write=/var/run/docker.sock`, which hands out this machine",
    needs: ["docker"],
    run: "docker -H unix://{OUT}/docker.sock ps",
    refused:
      /^\[the sandbox refused a connection to .*docker.sock; .* --allow-write=.*docker.sock\]$/m,
    flags: ["--allow-write={OUT}/docker.sock"],
  },
  {
    name: "PostgreSQL (`initdb`, `pg_ctl`)",
    note: 'its socket in `$TMPDIR` or the workspace: `-k "$TMPDIR"`; not as root, as ever',
    needs: ["initdb", "pg_ctl"],
    run: POSTGRES,
    not_as_root: true,
  },
  {
    name: "`redis-server`",
    needs: ["redis-server"],
    run:
      `redis-server --port 25398 --save '' > log & until redis-cli -p 25398 ping 2> /dev/null; do sleep 0.05; done
redis-cli -p 25398 shutdown nosave; wait`,
  },
  {
    name: "MariaDB (`mariadb-install-db`, `mariadbd`)",
    note: "its socket in `$TMPDIR` or the workspace: `--socket=$TMPDIR/s`",
    needs: ["mariadb-install-db", "mariadbd", "mariadb-admin"],
    run:
      `mariadb-install-db --no-defaults --datadir=$PWD/d --auth-root-authentication-method=normal > log 2>&1
mariadbd --no-defaults --datadir=$PWD/d --socket=$PWD/s --skip-networking --user=$(id -un) > log 2>&1 &
until mariadb-admin --no-defaults -uroot -S s ping 2> /dev/null; do sleep 0.05; done
mariadb --no-defaults -uroot -S s -e 'select 42' | grep 42; code=$?; kill %1; wait; exit $code`,
  },
  {
    name: "`sqlite3`",
    needs: ["sqlite3"],
    run: "sqlite3 a.db 'pragma journal_mode = wal; create table a (b)'",
  },
  {
    name: "`rsync` between folders, `jq`, `zip`",
    needs: ["rsync", "jq", "zip"],
    run: "mkdir a && jq -n '[1, 2] | add' > a/b && rsync -a --delete a/ c/ && zip -q c.zip c/b",
  },
  {
    name: "`ruby` and `perl` with servers of their own",
    needs: ["ruby", "perl"],
    run:
      `ruby -rsocket -e 's = TCPServer.new("127.0.0.1", 0); TCPSocket.new("127.0.0.1", s.addr[1]); UNIXSocket.pair'
perl -MIO::Socket::INET -e 'IO::Socket::INET->new(Listen => 1, LocalAddr => "127.0.0.1") or die'`,
  },
  {
    name: "Chromium, headless (Playwright, Puppeteer)",
    note:
      "with `--no-sandbox --user-data-dir=$TMPDIR/browser`: it can't have its own sandbox in this one",
    needs: ["chromium"],
    run: `echo '<p id=a></p><script>a.textContent = 6 * 7</script>' > a.html
chromium --headless --disable-gpu --no-sandbox --user-data-dir="$TMPDIR/browser" --dump-dom "file://$PWD/a.html" 2> log | grep 42`,
  },
  {
    name: "`xvfb-run`, `Xvfb`",
    note: "no: it can't make its lock; browsers do without, headless",
    needs: ["xvfb-run"],
    run: "timeout 3 xvfb-run -a true",
    refused: /^\[Xvfb does not start in the sandbox.*\]$/m,
  },
  {
    name: "`php -S`",
    note: "`-d opcache.lockfile_path=$TMPDIR`, as it locks its cache in `/tmp`",
    needs: ["php"],
    run:
      `echo '<?php echo "served";' > i.php; php -d opcache.lockfile_path=$TMPDIR -S localhost:25397 &
until curl -s http://localhost:25397/i.php | grep served; do sleep 0.05; done; kill %1; wait
php -S localhost:25397`,
    refused: /^served$[^]*^\[PHP locks its cache in \/tmp.* -d opcache\.lockfile_path=\$TMPDIR\]$/m,
  },
  {
    name: "`expect`, `screen`",
    note: "no: both open a terminal by its name; `script`, `tmux` and `openpty` make one without",
    needs: ["expect"],
    run: "expect -c 'spawn true; expect eof'",
    refused: /^\[the sandbox opens no terminal by its name/m,
  },
  {
    name: "`socat` that listens",
    note: "no: it wants a pair of datagram sockets; `nc -l` works",
    needs: ["socat"],
    run: "socat TCP-LISTEN:25396,bind=127.0.0.1 -",
    refused: /^\[the sandbox allows no unix sockets for datagrams, which socat needs/m,
  },
  {
    name: "`at`, `crontab`, `mount`, `losetup`, FUSE",
    note: "no: they act outside the sandbox, or take rights that nothing has in it",
    needs: ["mount"],
    run: "mount -t tmpfs none .",
    refused: /^\[the sandbox allows no namespaces or mounts|must be superuser/m,
  },
  {
    name: "`svn`, `hg`, with repositories of the run's own",
    needs: ["svnadmin", "svn", "hg"],
    run:
      `svnadmin create r && svn co -q file://$PWD/r c && cd c && touch a && svn add -q a && svn ci -qm a
cd .. && hg init h && cd h && touch a && hg add a && hg ci -m a -u a && hg log`,
  },
  {
    name: "`fakeroot`, `dpkg-deb -b`",
    needs: ["fakeroot", "dpkg-deb"],
    run:
      `mkdir -p p/DEBIAN && printf 'Package: a\\nVersion: 1\\nArchitecture: all\\n' > p/DEBIAN/control
printf 'Maintainer: A <a@b>\\nDescription: a\\n' >> p/DEBIAN/control && fakeroot dpkg-deb -b p a.deb && dpkg-deb -c a.deb`,
  },
  {
    name: "`inotifywait`, `entr`, file watchers",
    needs: ["inotifywait"],
    run: "(sleep 0.5; touch a) & inotifywait -qt 9 -e create .",
  },
  {
    name: "`ffmpeg`, ImageMagick's `convert`",
    needs: ["ffmpeg", "convert"],
    run:
      "convert -size 9x9 xc:red a.png && ffmpeg -loglevel error -loop 1 -i a.png -t 0.1 a.gif && ls a.gif",
  },
  {
    name: "`unshare`, `bwrap`, rootless `podman`",
    note: "no: a namespace of its own would hand a program every right in it",
    needs: ["unshare"],
    run: "unshare -r true",
    refused: /^\[the sandbox allows no .*namespaces.*\]$/m,
  },
  {
    name: "`setfattr`, extended attributes",
    note: "`--allow-write`, which is everywhere",
    needs: ["python3"],
    run: 'touch a && python3 -c \'import os; os.setxattr("a", "user.a", b"x")\'',
    refused: /^\[the sandbox can't set extended attributes; .* --allow-write,.*\]$/m,
    flags: ["--allow-write"],
  },
  {
    name: "`getfattr`: extended attributes, by a path",
    note: "of an open file (`fgetxattr`), or `--allow-read`, which is everything",
    needs: ["python3"],
    run: "touch a && python3 -c 'import os; print(os.listxattr(\"a\"))'",
    refused: /^\[the sandbox can read extended attributes of open files only.* --allow-read,.*\]$/m,
    flags: ["--allow-read"],
  },
  {
    name: "`tar`, `cp -a`, `chmod`, `ln`, `sed -i`, `find`, `xargs`",
    needs: ["tar"],
    run:
      "mkdir d && echo a > d/a && chmod 750 d/a && ln d/a d/b && ln -s a d/c && cp -a d e && tar cf d.tar d && sed -i s/a/b/ e/a && find . -name a | xargs cat",
  },
  {
    name: "`nice`, `taskset`, `timeout`, `flock`, `kill` of own programs",
    needs: ["taskset", "flock"],
    run: "nice taskset -c 0 timeout 5 flock l true && sleep 9 & kill $!; wait; true",
  },
  {
    name: "`sudo`",
    note: "no: nothing in the sandbox gains rights",
    needs: ["sudo"],
    run: "sudo -n true",
    refused: /^\[no program gains rights in the sandbox, so sudo .*\]$/m,
  },
];
