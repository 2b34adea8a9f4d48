/* SPDX-License-Identifier: Apache-2.0 */
/*
 * width.h - how many columns of a terminal a text takes, the same in every
 * locale: characters of East Asia and emoji take two, marks that stand on
 * another character none, and what is not UTF-8 one a byte.
 */
#ifndef BASE_WIDTH_H
#define BASE_WIDTH_H

#include <stddef.h>
#include <stdint.h>

/* 0, 1 or 2. */
unsigned width_char(uint32_t code);

size_t width_text(const char *s, size_t len);

/* Bytes of the longest start of s that takes at most `columns`; marks stay
 * with their character. */
size_t width_cut(const char *s, size_t len, size_t columns);

#endif
