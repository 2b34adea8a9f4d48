pools{
  main = { backends = { "127.0.0.1:11212", "127.0.0.1:11213", { host = "10.0.0.1", port = 11214, label="x" } },
    options = { seed = "hello", filter = "tags", filter_conf = "{}" } },
  set_all = { { backends = { "10.0.0.1:1" } }, { backends = { "10.0.0.2:1" } } },
}
local b1 = mcp.backend('b1', '127.0.60.1', 11211)
local b2 = mcp.backend{label='b2', host='127.0.60.2', port=11212}
ring = mcp.pool({b1, b2, mcp.backend("b3","127.0.60.3","22122")}, { dist = mcp.dist_ring_hash, omode = 'ketama', hash = mcp.dist_ring_hash.hash })
