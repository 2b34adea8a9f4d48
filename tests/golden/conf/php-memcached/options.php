<?php
$m = new Memcached();
$m->setOption(Memcached::OPT_LIBKETAMA_COMPATIBLE, true);
$m->setOptions([\Memcached::OPT_HASH => Memcached::HASH_FNV1A_32, Memcached::OPT_PREFIX_KEY => 'ns:']);
$m->addServers(array(
    array('10.0.0.1', 11211, 33),
    ['cache-b', 11212], // comment
));
$m->addServer('10.0.0.9', 11211);
