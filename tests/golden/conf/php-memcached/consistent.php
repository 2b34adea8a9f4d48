$cache->addServer('10.0.0.1', 11211);
$cache->addServer('10.0.0.2', 11211, 2);
$cache->setOption(Memcached::OPT_DISTRIBUTION, Memcached::DISTRIBUTION_CONSISTENT);
$cache->setOption(Memcached::OPT_HASH, Memcached::HASH_MD5);
