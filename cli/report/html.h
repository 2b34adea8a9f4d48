/* SPDX-License-Identifier: Apache-2.0 */
/*
 * html.h - pages that stand alone: no script, nothing loaded, readable in
 * light and dark and on paper. Colours: Okabe and Ito's, which people with
 * any colour vision tell apart.
 */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <stddef.h>
#include <stdint.h>

#include "base/out.h"

/* Begin and end a page. title is plain text. */
void html_begin(struct out *out, const char *title);
void html_end(struct out *out);

/* Text with the characters of markup replaced; bytes that are not UTF-8 are
 * shown as \xNN. */
void html_text(struct out *out, const char *s, size_t len);
void html_str(struct out *out, const char *s);

/* "#e69f00": the colour of node number i. Beyond the palette it comes again,
 * lighter or darker; texts tell nodes apart then. */
const char *html_color(uint32_t i);

/* A figure with its label, in a row of such. */
void html_figure(struct out *out, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
