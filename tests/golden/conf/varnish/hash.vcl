vcl 4.0;
import directors;
backend a { .host = "10.0.0.1"; .port = "http"; }
backend b { .host = "10.0.0.2"; .port = "8080"; }
sub vcl_init { new d = directors.shard(); d.add_backend(b); d.add_backend(a); new r = directors.round_robin(); r.add_backend(a);
 new e = directors.shard(); e.add_backend(b, weight=std.integer("2", 1)); }
sub vcl_recv { set req.backend_hint = d.backend(by=URL); }
