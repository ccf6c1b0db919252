/** Everyday commands and what becomes of them in the sandbox: the table of docs/permissions.md, and what its test runs. */

/** A command of the table. Without `refused` it works as it is. */
export interface Everyday {
  /** As it is in the table. */
  readonly name: string;
  /** What to know: which flag it takes, why it can't be had. */
  readonly note?: string;
  /** Programs that have to be on PATH for the test. */
  readonly needs: readonly string[];
  /**
   * Shell commands of the test, in a folder of their own. `{OUT}` is a folder outside the workspace, `{PORT}` the port of a server that
   * the run has not started.
   */
  readonly run: string;
  /** What the model and the user are told where it is refused. */
  readonly refused?: RegExp;
  /** The flags with which it works; absent beside `refused`: with none, or with a network that the test does not have. */
  readonly flags?: readonly string[];
  /** The user root can't do it anywhere. */
  readonly not_as_root?: true;
}

const NO_NAME = /^\[the sandbox .*no name is looked up; .* --allow-net\]$/m;
const NO_DATAGRAM = /^\[the sandbox .*no datagrams are sent \(UDP\); .* --allow-net\]$/m;
const ALLOW_NET = "`--allow-net`";
const NODE_SERVER = `require("os").networkInterfaces();
const s = require("http").createServer((_, r) => r.end("served")).listen(0, () =>
  fetch("http://localhost:" + s.address().port).then((r) => r.text()).then((t) => { console.log(t); s.close(); }));`;
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

/** In the order of the table. Its ports are below those that the kernel hands out by itself. */
export const EVERYDAY: readonly Everyday[] = [
  {
    name: "`git commit`, `git rebase`, `git stash`",
    needs: ["git"],
    run: `git init -q -b main . && git config user.name A && git config user.email a@example.com
echo a > a && git add a && git commit -qm a && git switch -qc b && echo b > b && git add b && git commit -qm b
git rebase -q main && echo c > a && git stash -q && git stash pop -q && git diff --quiet; [ $? = 1 ]`,
  },
  {
    name: "`git worktree add .worktrees/x`",
    needs: ["git"],
    run: `git init -q . && git -c user.name=A -c user.email=a@b commit -q --allow-empty -m a
git worktree add -q .worktrees/x && cd .worktrees/x && git status`,
  },
  {
    name: "`git clone --filter`, `git sparse-checkout`",
    note: "of a repository in the workspace; one elsewhere with `--allow-net`",
    needs: ["git"],
    run: `git init -q a && git -C a -c user.name=A -c user.email=a@b commit -q --allow-empty -m a
git -C a config uploadpack.allowFilter true; git clone -q --filter=blob:none "file://$PWD/a" b
git -C b sparse-checkout set x && git -C b status && git -C b config remote.origin.promisor`,
  },
  {
    name: "`git worktree add ../x`",
    note: "`--allow-write=..`, or a folder in the workspace",
    needs: ["git"],
    run: `git init -q . && git -c user.name=A -c user.email=a@b commit -q --allow-empty -m a
git worktree add {OUT}/x`,
    refused: /^\[the sandbox does not allow writing .*--allow-write=.*\/outside\]$/m,
    flags: ["--allow-write={OUT}"],
  },
  {
    name: "`git clone https://…`, `git fetch`",
    note: ALLOW_NET,
    needs: ["git"],
    run: "git clone -q https://example.com/x.git",
    refused: NO_NAME,
  },
  {
    name: "`git push`, `npm publish`",
    note: "refused, as it can't be undone; `--yolo` with `--allow-net`",
    needs: ["git"],
    run: "git push origin main",
    refused: /^Error: refused: .*--yolo/m,
  },
  {
    name: "`npm test`, `npm run build`",
    needs: ["npm"],
    run: `echo '{"scripts":{"test":"node --test"}}' > package.json
echo 'require("node:test").test("a", () => {})' > a.test.js && npm test`,
  },
  {
    name: "`npm install`, `npm ci`",
    note: "what is in your cache with `--offline`; the rest `--allow-net`",
    needs: ["npm"],
    run: "echo '{}' > package.json && npm install left-pad",
    refused: NO_NAME,
  },
  {
    name: "`jest`",
    needs: ["jest"],
    run: "echo '{}' > package.json && echo 'test(\"a\", () => {})' > a.test.js && jest",
  },
  { name: "`tsc`", needs: ["tsc"], run: "echo 'export const a: number = 1' > a.ts && tsc a.ts" },
  {
    name: "a development server (`node`, `vite`, `next dev`) and `curl` to it",
    needs: ["node"],
    run: `node -e '${NODE_SERVER}' | grep served`,
  },
  {
    name: "`vite`",
    needs: ["vite", "curl"],
    run:
      `echo served > index.html; vite --port 5199 --host > log & until grep -q Local log; do sleep 0.05; done
curl -sS http://localhost:5199/ | grep served; code=$?; kill %1; exit $code`,
  },
  {
    name: "`deno test`, `deno run`",
    needs: ["deno"],
    run: "echo 'Deno.test(\"a\", () => {})' > a_test.ts && deno test --no-lock --no-check",
  },
  {
    name: "`pytest`, `python3 -m unittest`",
    needs: ["pytest"],
    run: "echo 'def test_a(tmp_path): pass' > a_test.py && pytest -q",
  },
  {
    name: "`python3 -m venv`",
    needs: ["python3"],
    run:
      "python3 -m venv --without-pip v && v/bin/python -c 'import sys; assert sys.prefix != sys.base_prefix'",
  },
  {
    name: "Python's `multiprocessing`",
    needs: ["python3"],
    run: `echo 'import multiprocessing as m
if __name__ == "__main__":
  with m.Pool(2) as p: print(p.map(abs, [-1, -2]))' > a.py && python3 a.py`,
  },
  {
    name: "`pip install`",
    note: ALLOW_NET,
    needs: ["pip"],
    run: "python3 -m pip install --disable-pip-version-check --target p no-such-package-of-ours",
    refused: NO_NAME,
  },
  {
    name: "`go build`, `go vet`, `go test`",
    needs: ["go"],
    // Without imports: Go's own packages take half a minute to compile. `go test` is in toolchains_test.ts.
    run: `printf 'module a\\n\\ngo 1.21\\n' > go.mod
printf 'package a\\n\\nfunc A() int { return 42 }\\n' > a.go && go build ./... && go vet ./...`,
  },
  {
    name: "`go get`",
    note: ALLOW_NET,
    needs: ["go"],
    run: "printf 'module a\\n\\ngo 1.21\\n' > go.mod && go get example.com/x",
    refused: NO_NAME,
  },
  {
    name: "`cargo build --offline`, `cargo test --offline`",
    needs: ["cargo"],
    run: `mkdir src && printf '[package]\\nname = "a"\\nversion = "0.1.0"\\n' > Cargo.toml
echo '#[test] fn a() {}' > src/lib.rs && cargo test --offline -q`,
  },
  {
    name: "`javac`, `java`",
    note:
      '`java` says "Picked up JAVA_TOOL_OPTIONS" on stderr; `env -u JAVA_TOOL_OPTIONS` where that is in the way',
    needs: ["javac"],
    run: `echo 'class A { public static void main(String[] a) throws Exception {
  java.io.File.createTempFile("a", "b"); } }' > A.java && javac A.java && java A 2> err
grep -q '^Picked up JAVA_TOOL_OPTIONS: -Djava.io.tmpdir=' err && env -u JAVA_TOOL_OPTIONS java -version 2>&1 | grep -v Picked`,
  },
  {
    name: "`mvn -o`",
    note: "what is in your repository; the rest `--allow-net`",
    needs: ["mvn"],
    run:
      `echo '<project><modelVersion>4.0.0</modelVersion><groupId>a</groupId><artifactId>a</artifactId>
<version>1</version><packaging>pom</packaging></project>' > pom.xml && mvn -o -q validate`,
  },
  {
    name: "`make`, `gcc`, `g++`",
    needs: ["make", "gcc"],
    run:
      "printf 'a: a.c\\n\\t$(CC) -o a a.c\\n' > Makefile && echo 'int main(void) { return 0; }' > a.c && make -s && ./a",
  },
  {
    name: "`cmake`, `ninja`, `ctest`",
    needs: ["cmake", "ninja", "gcc"],
    run:
      `printf 'cmake_minimum_required(VERSION 3.10)\\nproject(a C)\\nenable_testing()\\nadd_executable(a a.c)\\nadd_test(a a)\\n' > CMakeLists.txt
echo 'int main(void) { return 0; }' > a.c && cmake -G Ninja -B b > log && ninja -C b > log && cd b && ctest`,
  },
  {
    name: "AddressSanitizer, with its search for leaks",
    needs: ["gcc"],
    run:
      `echo 'int main(void) { return 0; }' > a.c && gcc -fsanitize=address a.c -o a && ./a || exit 9
echo '#include <stdlib.h>
int main(void) { return malloc(10) == 0; }' > b.c && gcc -O0 -fno-builtin -fsanitize=address b.c -o b
./b 2>&1 | grep '10 byte(s) leaked'`,
  },
  {
    name: "`gdb`",
    needs: ["gdb"],
    run: "gdb -batch -ex run --args true 2>&1 | grep 'exited normally'",
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
    needs: ["mariadb-install-db", "mariadbd"],
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
    refused: /^\[the sandbox sets no extended attributes; .* --allow-write,.*\]$/m,
    flags: ["--allow-write"],
  },
  {
    name: "`getfattr`: extended attributes, by a path",
    note: "of an open file (`fgetxattr`), or `--allow-read`, which is everything",
    needs: ["python3"],
    run: "touch a && python3 -c 'import os; print(os.listxattr(\"a\"))'",
    refused: /^\[the sandbox reads extended attributes of open files only.* --allow-read,.*\]$/m,
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

/** The table in Markdown. */
export function table(): string {
  const rows = EVERYDAY.map(({ name, note = "", refused }) => {
    const verdict = refused === undefined ? "works" : note.startsWith("no:") ? "no" : "with";
    return `| ${name} | ${verdict} | ${note.replace(/^no: /, "")} |`;
  });
  return ["| command | | |", "| --- | --- | --- |", ...rows].join("\n");
}
