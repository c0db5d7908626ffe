-- Keep the ready bytes of one viewer, unless the match has moved on.
-- KEYS  1 match   ARGV  1 version  2 viewer  3 bytes
if redis.call('HGET', KEYS[1], 'version') == ARGV[1] then
  redis.call('HSET', KEYS[1], 'obs:' .. ARGV[2], ARGV[3])
end
return 1
