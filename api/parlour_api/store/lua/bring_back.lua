-- Put what was set aside back into a shard's outbox, which is due then; not what the outbox would have dropped meanwhile.
-- KEYS  1 what is set aside  2 outbox  3 partners
-- ARGV  1 its name among the partners  2 the outbox's name there  3 now ms  4 oldest that the outbox keeps, ms
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[4])
redis.call('ZREM', KEYS[3], ARGV[1])
if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
redis.call('ZUNIONSTORE', KEYS[2], 2, KEYS[2], KEYS[1], 'AGGREGATE', 'MIN')
redis.call('DEL', KEYS[1])
redis.call('ZADD', KEYS[3], 'NX', ARGV[3], ARGV[2])
return 1
