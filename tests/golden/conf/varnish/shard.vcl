vcl 4.1;
import directors;
backend s1 { .host = "10.0.0.1"; .port = "8080"; .probe = { .url = "/"; .interval = 5s; } }
backend s2 { .host = "10.0.0.2"; }
backend s3 { .path = "/tmp/x.sock"; }
sub vcl_init {
  new vd = directors.shard();
  vd.add_backend(s1);
  vd.add_backend(s2, weight = 2.5);
  vd.add_backend(s3, "ident-3", 5s, 3);
  vd.reconfigure(replicas = 50);
}
sub vcl_recv { set req.backend_hint = vd.backend(by=KEY, key=vd.key(req.http.X-K)); }
