-- Replace a record, unless somebody else was faster; and say when its delivery is due next.
-- KEYS  1 the hash that holds it; for a delivery also  2 the webhook's due set  3 partners
-- ARGV  1 record before  2 record after; for a delivery also  3 delivery id  4 due ms or ''  5 webhook id
-- Returns 1, also when asked again; 0: the record is another one, or gone.
local now = redis.call('HGET', KEYS[1], 'record')
if now ~= ARGV[1] then return now == ARGV[2] and 1 or 0 end
redis.call('HSET', KEYS[1], 'record', ARGV[2])
if #KEYS == 1 then return 1 end
if ARGV[4] == '' then
  redis.call('ZREM', KEYS[2], ARGV[3])
else
  redis.call('ZADD', KEYS[2], ARGV[4], ARGV[3])
  redis.call('ZADD', KEYS[3], 'LT', ARGV[4], ARGV[5])
end
return 1
