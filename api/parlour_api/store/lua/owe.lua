-- Owe a webhook one delivery, once: asked again, or for a webhook that is gone, it does nothing.
-- KEYS  1 webhook  2 delivery  3 the webhook's due set  4 the webhook's list of deliveries  5 partners
-- ARGV  1 webhook id  2 delivery id  3 record  4 body  5 now ms  6 time to live ms
if redis.call('EXISTS', KEYS[1]) == 0 or redis.call('EXISTS', KEYS[2]) == 1 then return 0 end
redis.call('HSET', KEYS[2], 'record', ARGV[3], 'body', ARGV[4])
redis.call('PEXPIRE', KEYS[2], ARGV[6])
redis.call('ZADD', KEYS[3], ARGV[5], ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', ARGV[5] - ARGV[6])
redis.call('ZADD', KEYS[4], ARGV[5], ARGV[2])
redis.call('PEXPIRE', KEYS[4], ARGV[6])
redis.call('ZADD', KEYS[5], 'LT', ARGV[5], ARGV[1])
return 1
