-- Say something: into the event and message lists of those it concerns, without touching the match.
-- KEYS  1 match  2 what this request said  3.. event list, message list, and so on for each viewer concerned
-- ARGV  1 wake channel  2 match id  3 event  4 message  5 how long what was said is known by its request, s
-- Returns what the request has said before, if it has; else false. Lists live as long as their match.
local left = redis.call('PTTL', KEYS[1])
if left < 0 then return false end
local said = redis.call('SET', KEYS[2], ARGV[4], 'NX', 'GET', 'EX', ARGV[5])
if said then return said end
for i = 3, #KEYS, 2 do
  redis.call('RPUSH', KEYS[i], ARGV[3])
  redis.call('RPUSH', KEYS[i + 1], ARGV[4])
  redis.call('PEXPIRE', KEYS[i], left)
  redis.call('PEXPIRE', KEYS[i + 1], left)
end
redis.call('PUBLISH', ARGV[1], ARGV[2])
return false
