// The files of Sources/BaizeServer/Web, as they are, in the program.
#ifndef CWEB_H
#define CWEB_H

#include <stddef.h>

struct web_file {
  // Relative to the folder `Web`; null behind the last file.
  const char *path;
  const unsigned char *bytes;
  size_t count;
};

// Returns a file by its number, from 0.
struct web_file web_file(int number);

#endif
