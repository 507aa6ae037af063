/**
 * The one state of a job that decides between machines, as scripts that Redis runs whole or not at all. It stands in a
 * hash beside BullMQ's own keys; the lease is BullMQ's lock, whose value is the token that a delivery carries. A holder
 * whose lock ran out is nobody: each script that moves a job on asks for the lock and for the token the job was claimed
 * with. Said twice by the same holder, each says the same again: a reply that was lost is asked for once more.
 */

/** KEYS once; ARGV lane, nonce, now, keep until. 1 when it was not there. */
export const ADD = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
redis.call('HSET', KEYS[1], 'state', 'added', 'lane', ARGV[1], 'nonce', ARGV[2], 'added', ARGV[3], 'claims', '0')
redis.call('PEXPIREAT', KEYS[1], ARGV[4])
return 1`;

/**
 * KEYS once; ARGV lane, added, end, keep until. Ends what the call of that time added, and what it may still add: an ADD
 * that comes in later finds the job there. On a full server the state goes, and whoever is handed the job replays it.
 */
export const TAKE_BACK = `
local state, added = unpack(redis.call('HMGET', KEYS[1], 'state', 'added'))
if state and (state ~= 'added' or added ~= ARGV[2]) then return 'there' end
local done = redis.pcall('HSET', KEYS[1], 'state', 'ended', 'lane', ARGV[1], 'added', ARGV[2], 'claims', '0', 'end', ARGV[3], 'ends', '1')
if type(done) == 'table' then redis.call('DEL', KEYS[1]) else redis.call('PEXPIREAT', KEYS[1], ARGV[4]) end
return 'taken'`;

/** KEYS once, lock; ARGV token, nonce, machine. */
export const CLAIM = `
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return {'lost'} end
local state, nonce, finished, token = unpack(redis.call('HMGET', KEYS[1], 'state', 'nonce', 'finished', 'token'))
if not state or nonce ~= ARGV[2] then return {'replayed'} end
if state == 'ended' then
  if finished then return {'replayed'} end
  return {'ended'}
end
if state == 'sending' then
  if token ~= ARGV[1] then redis.call('HSET', KEYS[1], 'token', ARGV[1]) end
  return {'begun', redis.call('HGET', KEYS[1], 'machine'), redis.call('HGET', KEYS[1], 'record')}
end
if token ~= ARGV[1] then
  redis.call('HINCRBY', KEYS[1], 'claims', 1)
  redis.call('HSET', KEYS[1], 'token', ARGV[1], 'state', 'claimed', 'machine', ARGV[3])
end
return {'yours', redis.call('HGET', KEYS[1], 'claims')}`;

/** KEYS once, lock; ARGV token, record. The record tells a holder's own second try from a job that it took over. */
export const START_SENDING = `
if redis.call('GET', KEYS[2]) ~= ARGV[1] then return 'lost' end
local state, token, record, stop = unpack(redis.call('HMGET', KEYS[1], 'state', 'token', 'record', 'stop'))
if token ~= ARGV[1] then return 'lost' end
if stop then return 'stop' end
if state == 'sending' then return record == ARGV[2] and 'yours' or 'lost' end
if state ~= 'claimed' then return 'lost' end
redis.call('HSET', KEYS[1], 'state', 'sending', 'record', ARGV[2])
return 'yours'`;

/** KEYS once; ARGV token. */
export const TURNED_AWAY = `
local state, token = unpack(redis.call('HMGET', KEYS[1], 'state', 'token'))
if token ~= ARGV[1] then return 0 end
if state == 'sending' then redis.call('HSET', KEYS[1], 'state', 'claimed') end
return 1`;

/** KEYS once; ARGV token. Back into the queue: the next delivery claims it anew. */
export const AGAIN = `
local state, token = unpack(redis.call('HMGET', KEYS[1], 'state', 'token'))
if token ~= ARGV[1] or state ~= 'claimed' then return 0 end
redis.call('HSET', KEYS[1], 'state', 'added')
redis.call('HDEL', KEYS[1], 'token')
return 1`;

/**
 * KEYS once, result, unknown; ARGV token, end, result, id, is unknown. 1 when this is its end; a job ends once. One that
 * nobody claimed, because it was refused unread, has no token.
 */
export const END = `
local state, token, said = unpack(redis.call('HMGET', KEYS[1], 'state', 'token', 'end'))
if not state then return 0 end
if state == 'ended' then return (token == ARGV[1] and said == ARGV[2]) and 1 or 0 end
if token and token ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'state', 'ended', 'end', ARGV[2], 'token', ARGV[1])
redis.call('HINCRBY', KEYS[1], 'ends', 1)
if ARGV[3] ~= '' then redis.call('SET', KEYS[2], ARGV[3], 'PX', redis.call('PTTL', KEYS[1])) end
if ARGV[5] == '1' then redis.call('SADD', KEYS[3], ARGV[4]) end
return 1`;

/** KEYS once; ARGV end. */
export const CANCEL = `
local state = redis.call('HGET', KEYS[1], 'state')
if not state then return 'missing' end
if state == 'ended' or state == 'sending' then return state end
if state == 'claimed' then
  redis.call('HSET', KEYS[1], 'stop', '1')
  return 'stopping'
end
redis.call('HSET', KEYS[1], 'state', 'ended', 'end', ARGV[1])
redis.call('HINCRBY', KEYS[1], 'ends', 1)
return 'cancelled'`;

/** KEYS once, unknown; ARGV id, new id, the one noted before that is not there any more. */
export const MARK_RETRIED = `
local state, before = unpack(redis.call('HMGET', KEYS[1], 'state', 'retried'))
if state ~= 'ended' then return 0 end
if before and before ~= ARGV[3] then return 0 end
redis.call('HSET', KEYS[1], 'retried', ARGV[2])
redis.call('SREM', KEYS[2], ARGV[1])
return 1`;
