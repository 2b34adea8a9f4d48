/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - JSON written as it comes, a row or a document: no tree is built,
 * so that output of any size needs no memory. Numbers always have '.', text
 * is valid UTF-8.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

struct json {
    struct out *out;
    bool        comma;      /* the next element needs one before it         */
};

/* bracket: '{' or '['; its partner closes. */
void json_open(struct json *j, char bracket);
void json_close(struct json *j, char bracket);

/* The key of the next value; ASCII without quotes. */
void json_key(struct json *j, const char *key);

void json_text(struct json *j, const char *s, size_t len);
void json_uint(struct json *j, uint64_t x);
void json_double(struct json *j, double x);
void json_bool(struct json *j, bool x);
void json_null(struct json *j);

/* key and value in one */
void json_pair(struct json *j, const char *key, const char *s, size_t len);
void json_pair_uint(struct json *j, const char *key, uint64_t x);
void json_pair_double(struct json *j, const char *key, double x);
void json_pair_bool(struct json *j, const char *key, bool x);

/* The same for bytes: as "KEY" when they are UTF-8, else as "KEY_hex". */
void json_bytes(struct json *j, const char *key, const char *s, size_t len);

/* A line end between documents. */
void json_end(struct json *j, char separator);

#endif
