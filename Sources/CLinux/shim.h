// The Linux calls that Swift's Glibc module does not export. Header only.
// The order of compilation decides which of the two modules Swift takes a shared header's types from: a file that imports
// Glibc imports this module too, so that it sees them in either case.
// `_GNU_SOURCE` stays undefined: it would change `fd_set`, which would then differ from that of Glibc's module.
#ifndef BAIZE_CLINUX_SHIM_H
#define BAIZE_CLINUX_SHIM_H

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/// accept4(2). Declared by hand, since the system header hides it without `_GNU_SOURCE`.
static inline int baize_accept4(int descriptor, struct sockaddr *address, socklen_t *length, int flags) {
  extern int accept4(int, struct sockaddr *, socklen_t *, int);
  return accept4(descriptor, address, length, flags);
}

/// pthread_setname_np(3), hidden in the same way. A name is at most 15 bytes.
static inline int baize_set_thread_name(pthread_t thread, const char *name) {
  extern int pthread_setname_np(pthread_t, const char *);
  return pthread_setname_np(thread, name);
}

/// malloc_trim(3) of glibc. Declared by hand, since <malloc.h> would bring the types of <stdio.h> along.
static inline int baize_return_free_memory(void) {
  extern int malloc_trim(size_t);
  return malloc_trim(0);
}

#endif
