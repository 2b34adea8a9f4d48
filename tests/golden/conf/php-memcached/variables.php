<?php
$m->setOption(Memcached::OPT_HASH, $hash);
$m->addServers($servers);
