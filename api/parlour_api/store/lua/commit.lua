-- Commit one change of a match, all or nothing.
-- KEYS  1 match  2 deadlines  3 turns  4 outbox  5 partners
--       6.. event list of each seat, then of the spectator, then the log, then message list of each seat, then of the
--       spectator
-- ARGV  1 version before ('' to create)  2 version after  3 commit id  4 match id  5 deadline ms or ''
--       6 turn ms or ''  7 time to live ms  8 wake channel  9 which list's length to tell, counted from 1, or 0
--       10 now ms  11 oldest that the outbox keeps, ms  12 which seat somebody takes, counted from 1, or 0: its lists
--       begin anew, as the spectator's  13 number of values that follow: field, value, ...
--       then per event list and for the log: how many entries, the entries; then the same for the outbox
-- Returns the length of the list that was asked for (0: none was), or -1: the version has moved on. A client that lost
-- the answer sends the same commit id again and gets the same answer: the change is made once. (What is written then
-- changes nothing, but WAIT after it waits for the change.)
local now = redis.call('HMGET', KEYS[1], 'version', 'commit', 'length')
if now[2] == ARGV[3] then
  redis.call('HSET', KEYS[1], 'commit', ARGV[3])
  return tonumber(now[3])
end
if (now[1] or '') ~= ARGV[1] then return -1 end
local lists = (#KEYS - 6) / 2
local stale = {'obs:s'}
for seat = 0, lists - 2 do stale[#stale + 1] = 'obs:' .. seat end
redis.call('HDEL', KEYS[1], unpack(stale))
local values = tonumber(ARGV[13])
redis.call('HSET', KEYS[1], 'version', ARGV[2], 'commit', ARGV[3], unpack(ARGV, 14, 13 + values))
local taken = tonumber(ARGV[12])
if taken > 0 then
  redis.call('DEL', KEYS[5 + taken], KEYS[6 + lists + taken])
  redis.call('COPY', KEYS[5 + lists], KEYS[5 + taken])
  redis.call('COPY', KEYS[#KEYS], KEYS[6 + lists + taken])
end
local at = 14 + values
local length = 0
for i = 6, 6 + lists do
  local many = tonumber(ARGV[at])
  if many > 0 then redis.call('RPUSH', KEYS[i], unpack(ARGV, at + 1, at + many)) end
  if i - 5 == tonumber(ARGV[9]) then length = redis.call('LLEN', KEYS[i]) end
  at = at + many + 1
end
redis.call('PEXPIRE', KEYS[1], ARGV[7])
for i = 6, #KEYS do redis.call('PEXPIRE', KEYS[i], ARGV[7]) end
if ARGV[5] == '' then redis.call('ZREM', KEYS[2], ARGV[4]) else redis.call('ZADD', KEYS[2], ARGV[5], ARGV[4]) end
if ARGV[6] == '' then redis.call('ZREM', KEYS[3], ARGV[4]) else redis.call('ZADD', KEYS[3], ARGV[6], ARGV[4]) end
if tonumber(ARGV[at]) > 0 then
  redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', ARGV[11])
  for i = at + 1, #ARGV do redis.call('ZADD', KEYS[4], ARGV[10], ARGV[i]) end
  redis.call('ZADD', KEYS[5], 'NX', ARGV[10], 'outbox')
end
redis.call('HSET', KEYS[1], 'length', length)
redis.call('PUBLISH', ARGV[8], ARGV[4])
return length
