-- Take what is due from a shard's set, for a while: it comes back at the lease's end unless a commit moves it.
-- KEYS  1 sorted set   ARGV  1 now ms  2 lease end ms  3 how many at most
local due = redis.call('ZRANGE', KEYS[1], '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, ARGV[3])
for _, id in ipairs(due) do redis.call('ZADD', KEYS[1], ARGV[2], id) end
return due
