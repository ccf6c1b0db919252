/* Makes raw system calls. Usage: raw FILE; each line: LABEL NUMBER ARG... An argument is a number, s:TEXT (a pointer
   to a string), x:HEX (a pointer to bytes) or last (the result of the line before). Prints: LABEL RESULT ERRNO.
   raw int80 makes a 32-bit call. raw hop COUNT SECONDS starts processes that move on to a new process id and session as fast as
   they can, each time writing a byte; after a while with pauses. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static long argument(const char *text, long last) {
  if (strncmp(text, "s:", 2) == 0) return (long)strdup(text + 2);
  if (strcmp(text, "last") == 0) return last;
  if (strncmp(text, "x:", 2) == 0) {
    unsigned char *bytes = calloc(1, 4096);
    unsigned value;
    for (int i = 0; sscanf(text + 2 + 2 * i, "%2x", &value) == 1; i++) bytes[i] = value;
    return (long)bytes;
  }
  return strtoll(text, NULL, 0);
}

/* Who has moved on stays until somebody waits for it: so many, and the machine has no number left for others. */
enum { FAST_HOPS = 1000, PAUSE_US = 20000 };

static void hop(int count, time_t end) {
  while (--count > 0 && fork() != 0) {
  }
  for (int hops = 0; time(NULL) < end; hops++) {
    if (hops > FAST_HOPS) usleep(PAUSE_US);
    pid_t child = fork();
    if (child > 0) _exit(0);
    if (child == 0) setsid();
    if (write(1, ".", 1) < 0) _exit(1);
  }
}

int main(int argc, char **argv) {
  if (argc > 3 && strcmp(argv[1], "hop") == 0) {
    hop(atoi(argv[2]), time(NULL) + atoi(argv[3]));
    return 0;
  }
  if (argc > 1 && strcmp(argv[1], "int80") == 0) {
#ifdef __x86_64__
    long result = 20; /* getpid of the 32-bit table */
    __asm__ volatile("int $0x80" : "+a"(result));
    printf("reached %ld\n", result);
#endif
    return 0;
  }
  FILE *file = fopen(argv[1], "r");
  char line[8192];
  long last = 0;
  if (file == NULL) return 2;
  while (fgets(line, sizeof line, file)) {
    char *label = strtok(line, " \n");
    char *number = strtok(NULL, " \n");
    long args[6] = {0};
    char *text;
    for (int i = 0; i < 6 && (text = strtok(NULL, " \n")) != NULL; i++) args[i] = argument(text, last);
    pid_t self = getpid();
    errno = 0;
    last = syscall(strtoll(number, NULL, 0), args[0], args[1], args[2], args[3], args[4], args[5]);
    int error = errno;
    if (getpid() != self) _exit(0);
    printf("%s %ld %d\n", label, last, last == -1 ? error : 0);
    fflush(stdout);
  }
  return 0;
}
