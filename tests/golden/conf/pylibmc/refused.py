import pylibmc
mc = pylibmc.Client(servers, behaviors={"distribution": "random"})
