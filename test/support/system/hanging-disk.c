/*
 * Preloaded into a process: a disk that does not answer, at the lowest place that a test can reach. While there is a pipe at
 * LONGSHORE_TEST_PIPE, each call about a file in the folder LONGSHORE_TEST_DISK waits in its thread until somebody writes to that
 * pipe, whatever signal comes, as in a kernel that waits for a drive.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

static const char *disk, *pipe_path;

__attribute__((constructor)) static void begin(void) {
  disk = getenv("LONGSHORE_TEST_DISK");
  pipe_path = getenv("LONGSHORE_TEST_PIPE");
}

static int is_silent(void) {
  return disk && pipe_path && syscall(SYS_faccessat, AT_FDCWD, pipe_path, F_OK) == 0;
}

static void wait_if_on_disk(const char *path) {
  if (strncmp(path, disk, strlen(disk)) != 0) return;
  int pipe;
  do pipe = syscall(SYS_openat, AT_FDCWD, pipe_path, O_RDONLY | O_CLOEXEC);
  while (pipe < 0 && errno == EINTR);
  if (pipe >= 0) syscall(SYS_close, pipe);
}

static void of_path(const char *path) {
  int before = errno;
  if (path && is_silent()) wait_if_on_disk(path);
  errno = before;
}

static void of_file(int file) {
  int before = errno;
  if (is_silent()) {
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length > 0) {
      path[length] = 0;
      wait_if_on_disk(path);
    }
  }
  errno = before;
}

#define COMMA ,
#define REAL(name, type, types) \
  static type(*real) types; \
  if (!real) real = dlsym(RTLD_NEXT, #name)
#define BY_PATH(name, type, types, names) \
  type name types { \
    of_path(path); \
    REAL(name, type, types); \
    return real names; \
  }
#define BY_FILE(name, type, types, names) \
  type name types { \
    of_file(file); \
    REAL(name, type, types); \
    return real names; \
  }
#define OPENS(name, at_type, at) \
  int name(at_type const char *path, int flags, ...) { \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = va_arg(rest, mode_t); \
    va_end(rest); \
    of_path(path); \
    REAL(name, int, (at_type const char *, int, ...)); \
    return real(at path, flags, mode); \
  }

OPENS(open, , )
OPENS(open64, , )
OPENS(openat, int folder COMMA, folder COMMA)
OPENS(openat64, int folder COMMA, folder COMMA)
BY_PATH(opendir, DIR *, (const char *path), (path))
BY_PATH(scandir64, int, (const char *path, struct dirent64 ***list, int (*filter)(const struct dirent64 *), int (*compare)(const struct dirent64 **, const struct dirent64 **)), (path, list, filter, compare))
BY_PATH(access, int, (const char *path, int mode), (path, mode))
BY_PATH(mkdir, int, (const char *path, mode_t mode), (path, mode))
BY_PATH(rmdir, int, (const char *path), (path))
BY_PATH(unlink, int, (const char *path), (path))
BY_PATH(rename, int, (const char *path, const char *to), (path, to))
BY_PATH(link, int, (const char *path, const char *to), (path, to))
BY_PATH(statfs64, int, (const char *path, struct statfs64 *facts), (path, facts))
BY_FILE(fsync, int, (int file), (file))
BY_FILE(fdatasync, int, (int file), (file))
BY_FILE(close, int, (int file), (file))
BY_FILE(read, ssize_t, (int file, void *bytes, size_t size), (file, bytes, size))
BY_FILE(pread64, ssize_t, (int file, void *bytes, size_t size, off64_t at), (file, bytes, size, at))
BY_FILE(write, ssize_t, (int file, const void *bytes, size_t size), (file, bytes, size))
BY_FILE(pwrite64, ssize_t, (int file, const void *bytes, size_t size, off64_t at), (file, bytes, size, at))
BY_FILE(writev, ssize_t, (int file, const struct iovec *parts, int count), (file, parts, count))
BY_FILE(pwritev64, ssize_t, (int file, const struct iovec *parts, int count, off64_t at), (file, parts, count, at))
BY_FILE(ftruncate64, int, (int file, off64_t size), (file, size))
