/* Attacks on the one who answers connect(). Usage: hostile MODE ARG...

   port OWN FOREIGN SECONDS   connects over and over, while a thread rewrites the port in the address
   path OWN FOREIGN SECONDS   the same with the path of a unix socket
   link OWN FOREIGN SECONDS   connects to OWN/stream, while a thread exchanges that folder with a link to the folder FOREIGN
   file OWN PATH SECONDS      connects a descriptor, while a thread puts a socket and a file in its place
   flags SECONDS              connects to a full server of its own, while a thread makes the socket wait
   linger SECONDS             closes a socket that has to linger, so that the other one's copy of it is the last
   crowd COUNT                threads that connect to a server of their own, each to be greeted
   full COUNT                 waits, many times at once, for a server that takes nobody; then it does
   storm                      connects while signals keep coming
   lock PATH                  says whether somebody else holds a lock on a file

   Prints what came of the connections: reached, refused (EACCES), other, and what the others were. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A race in which one of two addresses was not met so often was none. It goes on until then, as on a busy machine it must; but not
   for ever. */
enum { ENOUGH = 100, LATER_S = 50 };

static volatile int done;
static long reached, refused, other;
/* The others, by the call that failed and its error number; 0 is a read that got too little. */
enum call { CONNECT, READ, CALLS };
static const char *const call_names[CALLS] = {"connect", "read"};
enum { ERRORS = 4096 };
static long others[CALLS][ERRORS];
static union {
  struct sockaddr any;
  struct sockaddr_in in;
  struct sockaddr_un un;
} address;
static const char *own, *foreign;
static int shared_fd;

static void count_other(enum call call, int error) {
  __sync_fetch_and_add(&other, 1);
  __sync_fetch_and_add(&others[call][error], 1);
}

static void count(int result) {
  int error = errno;
  if (result == 0) __sync_fetch_and_add(&reached, 1);
  else if (error == EACCES) __sync_fetch_and_add(&refused, 1);
  else count_other(CONNECT, error);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + time.tv_nsec / 1e9;
}

static void report(void) {
  printf("reached %ld refused %ld other %ld", reached, refused, other);
  for (int call = 0; call < CALLS; call++) {
    for (int error = 0; error < ERRORS; error++) {
      long times = others[call][error];
      if (times > 0) printf(", %s: %s (%ld)", call_names[call], error == 0 ? "too little" : strerror(error), times);
    }
  }
  puts("");
  fflush(stdout);
}

static void start(void *(*work)(void *)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, work, NULL) != 0) exit(3);
}

static void tcp_server(int backlog, int *server, struct sockaddr_in *at) {
  socklen_t length = sizeof *at;
  memset(at, 0, sizeof *at);
  at->sin_family = AF_INET;
  at->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  *server = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(*server, (void *)at, sizeof *at) != 0 || listen(*server, backlog) != 0) exit(4);
  getsockname(*server, (void *)at, &length);
}

static int unix_server(const char *path, int backlog) {
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  int server = socket(AF_UNIX, SOCK_STREAM, 0);
  strcpy(at.sun_path, path);
  if (bind(server, (void *)&at, sizeof at) != 0 || listen(server, backlog) != 0) exit(4);
  return server;
}

static void *accept_all(void *server) {
  for (;;) close(accept(*(int *)server, NULL, NULL));
  return NULL;
}

static void *turn_port(void *unused) {
  in_port_t a = htons(atoi(own)), b = htons(atoi(foreign));
  while (!done) {
    *(volatile in_port_t *)&address.in.sin_port = a;
    *(volatile in_port_t *)&address.in.sin_port = b;
  }
  return unused;
}

static void *turn_path(void *unused) {
  while (!done) {
    strcpy(address.un.sun_path, own);
    strcpy(address.un.sun_path, foreign);
  }
  return unused;
}

static void *turn_link(void *unused) {
  char link[100];
  snprintf(link, sizeof link, "%s.link", own);
  if (symlink(foreign, link) != 0) exit(3);
  while (!done) renameat2(AT_FDCWD, own, AT_FDCWD, link, RENAME_EXCHANGE);
  return unused;
}

static void *turn_file(void *unused) {
  int file = open(foreign, O_RDONLY), tcp = socket(AF_INET, SOCK_STREAM, 0);
  while (!done) {
    dup2(file, shared_fd);
    dup2(tcp, shared_fd);
  }
  return unused;
}

static void connect_until(double end, int family) {
  double latest = end + LATER_S;
  while (now() < end || ((reached < ENOUGH || refused < ENOUGH) && now() < latest)) {
    int client = socket(family, SOCK_STREAM, 0);
    count(connect(client, &address.any, family == AF_INET ? sizeof address.in : sizeof address.un));
    close(client);
  }
  done = 1;
  report();
}

static void *take_flag_off(void *unused) {
  for (;;) fcntl(shared_fd, F_SETFL, O_RDWR);
  return unused;
}

static void flags(double end) {
  unix_server("full", 0);
  strcpy(address.un.sun_path, "full");
  address.un.sun_family = AF_UNIX;
  while (connect(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0), &address.any, sizeof address.un) == 0) {
  }
  while (now() < end) {
    pid_t child = fork();
    if (child == 0) {
      shared_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
      start(take_flag_off);
      for (;;) count(connect(shared_fd, &address.any, sizeof address.un));
    }
    usleep(200000);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
  }
}

static void *connect_shared(void *unused) {
  count(connect(shared_fd, &address.any, sizeof address.in));
  return unused;
}

/* The client's buffer and the server's are small and full, so what is to be sent never is. */
static void linger(int seconds) {
  int server, small = 1, fill[3];
  struct linger wait = {1, seconds};
  static char junk[65536];
  tcp_server(0, &server, &address.in);
  setsockopt(server, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  for (int i = 0; i < 3; i++) {
    fill[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    connect(fill[i], &address.any, sizeof address.in);
  }
  shared_fd = socket(AF_INET, SOCK_STREAM, 0);
  setsockopt(shared_fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
  setsockopt(shared_fd, SOL_SOCKET, SO_LINGER, &wait, sizeof wait);
  start(connect_shared);
  usleep(100000);
  for (int i = 0; i < 3; i++) close(fill[i]);
  accept(server, NULL, NULL);
  while (send(shared_fd, junk, sizeof junk, MSG_DONTWAIT | MSG_NOSIGNAL) <= 0) {
  }
  while (send(shared_fd, junk, sizeof junk, MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
  }
  close(shared_fd);
  sleep(seconds);
}

static void *greeted(void *unused) {
  for (int i = 0; i < 20; i++) {
    char greeting[2] = "";
    int client = socket(AF_INET, SOCK_STREAM, 0);
    int result = connect(client, &address.any, sizeof address.in);
    ssize_t length = result == 0 ? read(client, greeting, 2) : 2;
    if (length == 2) count(result);
    else count_other(READ, length < 0 ? errno : 0);
    close(client);
  }
  return unused;
}

static void *greet(void *server) {
  for (;;) {
    int client = accept(*(int *)server, NULL, NULL);
    if (write(client, "hi", 2) != 2) exit(5);
    close(client);
  }
  return NULL;
}

static void crowd(int size) {
  static int server;
  pthread_t threads[size], greeter;
  tcp_server(64, &server, &address.in);
  pthread_create(&greeter, NULL, greet, &server);
  for (int i = 0; i < size; i++) pthread_create(&threads[i], NULL, greeted, NULL);
  for (int i = 0; i < size; i++) pthread_join(threads[i], NULL);
}

static void *connect_once(void *unused) {
  int client = socket(address.any.sa_family, SOCK_STREAM, 0);
  count(connect(client, &address.any, sizeof address.un));
  return unused;
}

static void full(int size) {
  static int server;
  pthread_t threads[size], taker;
  server = unix_server("full", 0);
  address.un.sun_family = AF_UNIX;
  strcpy(address.un.sun_path, "full");
  for (int i = 0; i < size; i++) pthread_create(&threads[i], NULL, connect_once, NULL);
  sleep(1);
  printf("waiting %d\n", reached < size);
  pthread_create(&taker, NULL, accept_all, &server);
  for (int i = 0; i < size; i++) pthread_join(threads[i], NULL);
}

static void ignore(int signal) { (void)signal; }

static void storm(void) {
  static int server;
  pthread_t taker;
  struct sigaction action = {.sa_handler = ignore, .sa_flags = SA_RESTART};
  struct itimerval often = {{0, 200}, {0, 200}};
  sigset_t alarms;
  tcp_server(64, &server, &address.in);
  sigemptyset(&alarms);
  sigaddset(&alarms, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarms, NULL);
  pthread_create(&taker, NULL, accept_all, &server);
  pthread_sigmask(SIG_UNBLOCK, &alarms, NULL);
  sigaction(SIGALRM, &action, NULL);
  setitimer(ITIMER_REAL, &often, NULL);
  for (int i = 0; i < 500; i++) {
    int client = socket(AF_INET, SOCK_STREAM, 0);
    count(connect(client, &address.any, sizeof address.in));
    close(client);
  }
}

static void lock(const char *path) {
  struct flock wanted = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
  int result = fcntl(open(path, O_RDONLY), F_GETLK, &wanted);
  puts(result != 0 ? "unknown" : wanted.l_type == F_UNLCK ? "free" : "held");
}

int main(int argc, char **argv) {
  const char *mode = argc > 1 ? argv[1] : "";
  double end = now() + (argc > 2 ? atoi(argv[argc - 1]) : 0);
  signal(SIGPIPE, SIG_IGN);
  own = argc > 2 ? argv[2] : "";
  foreign = argc > 3 ? argv[3] : "";
  if (strcmp(mode, "port") == 0) {
    static int server;
    static char port[8];
    pthread_t taker;
    tcp_server(64, &server, &address.in);
    snprintf(port, sizeof port, "%d", ntohs(address.in.sin_port));
    own = port;
    pthread_create(&taker, NULL, accept_all, &server);
    start(turn_port);
    connect_until(end, AF_INET);
  } else if (strcmp(mode, "path") == 0 || strcmp(mode, "link") == 0) {
    static int server;
    pthread_t taker;
    const char *path = own;
    address.un.sun_family = AF_UNIX;
    if (mode[0] == 'l') {
      snprintf(address.un.sun_path, sizeof address.un.sun_path, "%s/stream", own);
      path = address.un.sun_path;
      mkdir(own, 0777);
    } else {
      strcpy(address.un.sun_path, own);
    }
    server = unix_server(path, 64);
    pthread_create(&taker, NULL, accept_all, &server);
    start(mode[0] == 'p' ? turn_path : turn_link);
    connect_until(end, AF_UNIX);
  } else if (strcmp(mode, "file") == 0) {
    static int server;
    pthread_t taker;
    tcp_server(64, &server, &address.in);
    pthread_create(&taker, NULL, accept_all, &server);
    shared_fd = dup(0);
    start(turn_file);
    while (now() < end) count(connect(shared_fd, &address.any, sizeof address.in));
    report();
  } else if (strcmp(mode, "flags") == 0) {
    flags(end);
  } else if (strcmp(mode, "linger") == 0) {
    linger(atoi(own));
  } else if (strcmp(mode, "crowd") == 0) {
    crowd(atoi(own));
    report();
  } else if (strcmp(mode, "full") == 0) {
    full(atoi(own));
    report();
  } else if (strcmp(mode, "storm") == 0) {
    storm();
    report();
  } else if (strcmp(mode, "lock") == 0) {
    lock(own);
  } else {
    return 2;
  }
  return 0;
}
