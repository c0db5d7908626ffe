-- Take what is due from sets of one shard, for a while: it comes back at its lease's end unless something moves it.
-- KEYS  sorted sets   ARGV  1 now ms  2 how many at most of each  3.. lease end ms, for each set
local taken = {}
for i, key in ipairs(KEYS) do
  taken[i] = redis.call('ZRANGE', key, '-inf', ARGV[1], 'BYSCORE', 'LIMIT', 0, ARGV[2])
  for _, id in ipairs(taken[i]) do redis.call('ZADD', key, ARGV[2 + i], id) end
end
return taken
