// The system's client library of PostgreSQL. Header only.
#ifndef BAIZE_CPOSTGRES_SHIM_H
#define BAIZE_CPOSTGRES_SHIM_H

#include <libpq-fe.h>

#endif
