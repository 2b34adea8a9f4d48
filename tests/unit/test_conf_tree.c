/* SPDX-License-Identifier: Apache-2.0 */
/*
 * test_conf_tree.c - what looks like YAML or JSON, comments of JSON, and that
 * a tree tells how its values were written.
 */
#include "base/diag.h"
#include "conf/conf_model.h"
#include "conf/conf_tree.h"
#include "harness.h"

static const struct {
    const char *text;
    bool        tree;
} looks[] = {
    { "", false },
    { "a\nb\n", false },
    { "cache-a:11211 weight=2\n", false },
    { "[::1]:11211\n", false },
    { "[fe80::1]:11211 zone=a\n", false },
    { "nodes: [a]\n", true },
    { "# comment\n\n---\nnodes:\n", true },
    { "'a b': 1\n", true },
    { "{\"nodes\": []}", true },
    { "[[0, 5460, []]]", true },
    { "[\n  {\"a\": 1}\n]", true },
    { "- a\n", true },
    { "// JSON\n{}", true },
    { "/* JSON */ {}", true },
    { "/var/run/a.sock\n", false },
};

static void
yaml_and_json_are_told_from_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(looks); i++)
        CHECK(conf_is_tree(looks[i].text, strlen(looks[i].text))
              == looks[i].tree, "%s", looks[i].text);
}

static const struct {
    const char *text;
    const char *want;       /* NULL: as it was */
} comments[] = {
    { "{\"a\": 1} // x\n", "{\"a\": 1}     \n" },
    { "{ /* x\ny */ \"a\": 1}", "{     \n     \"a\": 1}" },
    { "// x\n[1]", "    \n[1]" },
    { "{\"a\": \"b // c\", \"d\": \"/* e */\"}", NULL },
    { "{\"a\\\"// \": 1}", NULL },
    { "{a: http://b/c}", NULL },
    { "{'a // b': 1}", NULL },
    { "a: b // c\n", NULL },
    { "{\"a\": /", NULL },
    { "{\"a\": /*", "{\"a\":   " },
};

static void
comments_of_json_become_blanks(void **state)
{
    char text[64];
    struct diag d;

    (void)state;
    for (size_t i = 0; i < COUNT(comments); i++) {
        const char *want = comments[i].want ? comments[i].want
            : comments[i].text;

        strcpy(text, comments[i].text);
        diag_init(&d, "test", text, strlen(text));
        CHECK(conf_json_plain(text, strlen(text), &d), "%s",
              comments[i].text);
        CHECK(strcmp(text, want) == 0, "%s: got \"%s\"", comments[i].text,
              text);
    }
}

/* want NULL: half a character, from column `half`. */
static const struct { const char *text, *want; unsigned half; } pairs[] = {
    { "[\"\\ud83d\\ude00\"]", "[\"\\U0001f600\"  ]", 0 },
    { "{\"a\" : \"x\\uDBFF\\uDFFFy\\ud800\\udc00\"}",
      "{\"a\" : \"x\\U0010ffffy\\U00010000\"    }", 0 },
    { "[\"\\\\ud83d\"]", "[\"\\\\ud83d\"]", 0 },
    { "[\"\\u00e9\", \"\\ud7ff\\ue000\"]",
      "[\"\\u00e9\", \"\\ud7ff\\ue000\"]", 0 },
    { "['\\ud83d', a\"\\ud83d\"]", "['\\ud83d', a\"\\ud83d\"]", 0 },
    { "a: \"\\ud83d\"", "a: \"\\ud83d\"", 0 },
    { "[\"\\ud83\"]", "[\"\\ud83\"]", 0 },
    { "[\"a\", \"b\\ud83d\"]", NULL, 9 },
    { "[\"\\ud83dx\\ude00\"]", NULL, 3 },
    { "[\"\\ude00\\ud83d\"]", NULL, 3 },
    { "[\"\\ud83d\\ud83d\\ude00\"]", NULL, 3 },
    { "[\"\\ud83d\\ude00\\ude00\"]", NULL, 15 },
    { "[\"\\ud83d", NULL, 3 },
};

static void
characters_of_two_escapes_become_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(pairs); i++) {
        char text[64];
        struct diag d;
        struct buf said = { 0 };
        char place[16];

        strcpy(text, pairs[i].text);
        diag_init(&d, "f", pairs[i].text, strlen(text));
        CHECK(conf_json_plain(text, strlen(text), &d)
              == (pairs[i].want != NULL), "%s", pairs[i].text);
        if (pairs[i].want != NULL) {
            CHECK(strcmp(text, pairs[i].want) == 0, "%s: got \"%s\"",
                  pairs[i].text, text);
        } else {
            diag_print(&d, &said, false);
            snprintf(place, sizeof place, "f:1:%u: ", pairs[i].half);
            CHECK(strncmp(said.data, place, strlen(place)) == 0, "%s: %s",
                  pairs[i].text, said.data);
        }
        buf_free(&said);
        diag_free(&d);
    }
}

static void
a_tree_says_how_it_was_written(void **state)
{
    static const char text[] = "--- \na: &x {b: [1]}\nc: !!str d\ne: f\n";
    struct conf_tree tree;
    struct diag d;
    const struct conf_value *v;

    (void)state;
    diag_init(&d, "test", text, strlen(text));
    assert_true(conf_yaml_read(&tree, text, strlen(text), &d));
    assert_int_equal(tree.root->form, CONF_MARKED);
    v = conf_tree_get(tree.root, "a");
    assert_int_equal(v->form, CONF_FLOW | CONF_ANCHORED);
    assert_int_equal(conf_tree_get(v, "b")->form, CONF_FLOW);
    assert_int_equal(conf_tree_get(tree.root, "c")->form, CONF_TAGGED);
    assert_int_equal(conf_tree_get(tree.root, "e")->form, 0);
    assert_null(conf_tree_get(tree.root, "f"));
    assert_null(conf_tree_get(conf_tree_get(tree.root, "e"), "f"));
    conf_tree_free(&tree);
    diag_free(&d);
}

int
main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(yaml_and_json_are_told_from_lines),
        TEST(comments_of_json_become_blanks),
        TEST(characters_of_two_escapes_become_one),
        TEST(a_tree_says_how_it_was_written),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
