-- End a lease: a set of the shard is due again when the first of what is left in it is; not at all if it is empty.
-- KEYS  1 the set  2 partners   ARGV  1 its name among the partners
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
if #first == 0 then redis.call('ZREM', KEYS[2], ARGV[1]) else redis.call('ZADD', KEYS[2], first[2], ARGV[1]) end
return 1
