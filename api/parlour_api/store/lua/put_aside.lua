-- Take entries out of a shard's outbox, to be looked at again later; each keeps its time.
-- KEYS  1 outbox  2 what is set aside  3 partners   ARGV  1 its name among the partners  2 when to look again, ms  3.. entries
for i = 3, #ARGV do
  local at = redis.call('ZSCORE', KEYS[1], ARGV[i])
  if at then
    redis.call('ZADD', KEYS[2], at, ARGV[i])
    redis.call('ZREM', KEYS[1], ARGV[i])
    redis.call('ZADD', KEYS[3], 'NX', ARGV[2], ARGV[1])
  end
end
return 1
