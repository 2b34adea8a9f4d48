/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/report/html.h"

#include <stdarg.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"

static const char style[] =
    "<style>\n"
    ":root{--ink:#1d2430;--soft:#5a6472;--line:#d7dce3;--page:#fff;"
    "--card:#f5f7fa;--bad:#b3261e}\n"
    "@media (prefers-color-scheme:dark){:root{--ink:#e8ebf0;--soft:#a3adba;"
    "--line:#39424f;--page:#14181e;--card:#1d232c;--bad:#ff8a80}}\n"
    "@media print{:root{--ink:#000;--soft:#444;--line:#bbb;--page:#fff;"
    "--card:#fff}}\n"
    "body{margin:2rem auto;max-width:62rem;padding:0 1.25rem;"
    "background:var(--page);color:var(--ink);"
    "font:16px/1.5 system-ui,sans-serif}\n"
    "h1{font-size:1.7rem;line-height:1.2;margin:0 0 .25rem}\n"
    "h2{font-size:1.15rem;margin:2.2rem 0 .6rem}\n"
    "p.soft,caption,.soft{color:var(--soft)}\n"
    "table{border-collapse:collapse;width:100%;font-variant-numeric:"
    "tabular-nums}\n"
    "th{text-align:left;font-weight:600;color:var(--soft);font-size:.85rem}\n"
    "td,th{padding:.3rem .8rem .3rem 0;border-bottom:1px solid var(--line);"
    "vertical-align:top;overflow-wrap:anywhere}\n"
    "td.n,th.n{text-align:right;white-space:nowrap}\n"
    ".figures{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.2rem 0}\n"
    ".figures div{background:var(--card);border:1px solid var(--line);"
    "border-radius:.5rem;padding:.7rem 1rem;min-width:8.5rem}\n"
    ".figures b{display:block;font-size:1.5rem;font-variant-numeric:"
    "tabular-nums}\n"
    ".figures span{color:var(--soft);font-size:.85rem}\n"
    "code{display:block;background:var(--card);border:1px solid var(--line);"
    "border-radius:.35rem;padding:.4rem .6rem;overflow-wrap:anywhere;"
    "font-size:.85rem}\n"
    ".no{color:var(--bad);font-weight:600}\n"
    "svg{width:100%;height:auto;display:block}\n"
    "svg text{fill:var(--ink);font:12px system-ui,sans-serif}\n"
    "svg .soft{fill:var(--soft)}svg .axis{stroke:var(--line)}\n"
    "</style>\n";

void
html_begin(struct out *out, const char *title)
{
    out_str(out, "<!doctype html>\n<html lang=\"en\">\n<meta charset="
            "\"utf-8\">\n<meta name=\"viewport\" content=\"width="
            "device-width,initial-scale=1\">\n<title>");
    html_str(out, title);
    out_str(out, "</title>\n");
    out_str(out, style);
    out_str(out, "<h1>");
    html_str(out, title);
    out_str(out, "</h1>\n");
}

void
html_end(struct out *out)
{
    out_str(out, "</html>\n");
}

static void
one_char(struct out *out, const char *s, size_t len)
{
    switch (*s) {
    case '<':  out_str(out, "&lt;");   break;
    case '>':  out_str(out, "&gt;");   break;
    case '&':  out_str(out, "&amp;");  break;
    case '"':  out_str(out, "&quot;"); break;
    case '\'': out_str(out, "&#39;");  break;
    default:   out_add(out, s, len);   break;
    }
}

void
html_text(struct out *out, const char *s, size_t len)
{
    size_t at = 0;

    while (at < len) {
        uint32_t code;
        size_t n = str_utf8(s + at, len - at, &code);

        if (n == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0)) {
            out_print(out, "\\x%02x", (unsigned)(unsigned char)s[at]);
            n = 1;
        } else {
            one_char(out, s + at, n);
        }
        at += n;
    }
}

void
html_str(struct out *out, const char *s)
{
    html_text(out, s, strlen(s));
}

const char *
html_color(uint32_t i)
{
    static const char *const palette[] = {
        "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00",
        "#b8a800", "#7a7a7a", "#4a90c2", "#b37b00", "#3cb896", "#a34f80",
        "#2e86b8", "#a84a00", "#8a7e00", "#555555"
    };

    return palette[i % (sizeof palette / sizeof *palette)];
}

void
html_figure(struct out *out, const char *label, const char *format, ...)
{
    struct buf b = { 0 };
    va_list args;

    va_start(args, format);
    buf_vprint(&b, format, args);
    va_end(args);
    out_str(out, "<div><b>");
    html_text(out, b.data, b.len);
    out_str(out, "</b><span>");
    html_str(out, label);
    out_str(out, "</span></div>\n");
    buf_free(&b);
}
