local function f() return {} end
p = mcp.pool(f(), { dist = mcp.dist_ring_hash })
q = mcp.pool({ b1 })
