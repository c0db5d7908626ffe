-- All that a reader needs in one round trip.
-- KEYS  1 match   ARGV  1 viewer  2 version that the reader already has, or ''
-- Returns {version, auth}, and unless the version is known: ready bytes, or (none yet) false, record, state.
local head = redis.call('HMGET', KEYS[1], 'version', 'auth', 'obs:' .. ARGV[1])
if not head[1] then return nil end
if head[1] == ARGV[2] then return {head[1], head[2]} end
if head[3] then return head end
local rest = redis.call('HMGET', KEYS[1], 'record', 'state')
return {head[1], head[2], false, rest[1], rest[2]}
