-- Write a field of a match again as it is, so that WAIT has something to wait for: all up to it is replicated then.
-- KEYS  1 match   ARGV  1 field
-- Returns what the field holds.
local held = redis.call('HGET', KEYS[1], ARGV[1])
if held then redis.call('HSET', KEYS[1], ARGV[1], held) end
return held
