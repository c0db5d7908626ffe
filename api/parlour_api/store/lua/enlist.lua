-- Put an id on a partner's list, once, unless the list is full.
-- KEYS  1 the list   ARGV  1 id  2 its creation, ms  3 how many it may hold
-- Returns 1, also for one that is on it already; 0: it is full.
if redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 1 end
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
return redis.call('ZADD', KEYS[1], ARGV[2], ARGV[1])
