vcl 4.1;
import directors;
sub vcl_init { new d = directors.shard(); d.add_backend(gone); }
