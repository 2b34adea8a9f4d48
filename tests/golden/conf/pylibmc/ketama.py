import pylibmc
mc = pylibmc.Client(["10.0.0.1:11211:2", "10.0.0.2", "[::1]:11212"], binary=True,
    behaviors={"tcp_nodelay": True, "ketama": True, "hash": "fnv1a_32"})
