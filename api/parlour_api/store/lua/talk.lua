-- Say something: into the event and message lists of those it concerns, without touching the match.
-- KEYS  1 match  2 what this request said  3.. event list, message list, and so on for each viewer concerned
-- ARGV  1 wake channel  2 match id  3 event  4 message  5 how long what was said is known by its request, s
--       6 the version that speaker, hearers and event are of
-- Returns the message, or what the request has said before; false: the match has moved on, or is gone. Lists live as
-- long as their match.
local said = redis.call('GET', KEYS[2])
if said then return said end
if redis.call('HGET', KEYS[1], 'version') ~= ARGV[6] then return false end
redis.call('SET', KEYS[2], ARGV[4], 'EX', ARGV[5])
local left = redis.call('PTTL', KEYS[1])
for i = 3, #KEYS, 2 do
  redis.call('RPUSH', KEYS[i], ARGV[3])
  redis.call('RPUSH', KEYS[i + 1], ARGV[4])
  redis.call('PEXPIRE', KEYS[i], left)
  redis.call('PEXPIRE', KEYS[i + 1], left)
end
redis.call('PUBLISH', ARGV[1], ARGV[2])
return ARGV[4]
