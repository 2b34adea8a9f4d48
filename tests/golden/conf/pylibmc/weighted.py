import pylibmc
behaviors = {"hash": "murmur", 'ketama_weighted': 1, "distribution": "modula"}
client = pylibmc.Client(["10.0.0.1:11211:2", "/tmp/a.sock", "10.0.0.2"])
