import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseUploadId, type UploadId } from '@blindkeep/protocol/ids'
import fc from 'fast-check'
import { NetworkError, ProblemError, type ProblemFacts } from '../http/errors.ts'
import { MAX_TRIES } from '../http/retry.ts'
import { after, nextStep, type SendEvent, type SendMachine, type SendStep, startSending } from './sendMachine.ts'

const MIB = 1024 * 1024

function uploadIdOf(text: string): UploadId {
  const id = parseUploadId(text)
  assert.ok(id)
  return id
}

const uploadId = uploadIdOf('6f1c3f5e-8d5e-4b6f-9a51-0d0f3f9f6a11')
const segments = { first: 0, each: MIB }
const start = (size: number) => startSending({ size, segments, uploadId: undefined, suggestedChunkBytes: 8 * MIB })
const created: SendEvent = { is: 'created', uploadId, suggestedChunkBytes: 8 * MIB }
const problem = (facts: Omit<ProblemFacts, 'operation'>) => new ProblemError({ operation: 'appendChunk', ...facts })

function follow(machine: SendMachine, events: readonly SendEvent[], random = 0): SendMachine {
  return events.reduce((now, event) => after(now, event, random), machine)
}

/** As after some chunks on a fast connection. */
const grown = (machine: SendMachine): SendMachine => ({
  ...machine,
  sizing: { ...machine.sizing, bytes: machine.sizing.max },
})
const opened = (size: number, offset = 0) =>
  grown(follow(start(size), [created, { is: 'status', state: 'open', offset }]))
const failedChunk = (failure: ProblemError | NetworkError, sentBytes = 8 * MIB): SendEvent => ({
  is: 'failed',
  failure,
  sentBytes,
})

describe('the order of an upload', () => {
  it('creates, asks for the status, sends, and ends with the last chunk', () => {
    const size = 10 * MIB
    let machine = start(size)
    assert.deepEqual(nextStep(machine), { do: 'create' })
    machine = after(machine, created, 0)
    assert.deepEqual(nextStep(machine), { do: 'ask', uploadId })
    machine = after(machine, { is: 'status', state: 'open', offset: 0 }, 0)
    assert.deepEqual(nextStep(machine), { do: 'send', uploadId, offset: 0, end: MIB })
    machine = after(machine, { is: 'kept', offset: MIB, sentBytes: MIB, tookMs: 6_000 }, 0)
    assert.deepEqual(nextStep(machine), { do: 'send', uploadId, offset: MIB, end: 2 * MIB })
    machine = after(machine, { is: 'kept', offset: 9 * MIB, sentBytes: MIB, tookMs: 6_000 }, 0)
    machine = after(machine, { is: 'kept', offset: size, sentBytes: MIB, tookMs: 100 }, 0)
    assert.deepEqual(nextStep(machine), { do: 'land', uploadId })
  })
})

describe('a lost answer to the last chunk', () => {
  const lost = follow(opened(MIB), [failedChunk(new NetworkError('cut'), MIB)])

  it('asks again after a pause while the session is finishing', () => {
    const machine = after(lost, { is: 'status', state: 'finishing', offset: MIB }, 0)
    assert.equal(nextStep(machine).do, 'ask')
    assert.ok(machine.waitMs > 0)
  })

  it('asks again and sends nothing when the session has all bytes and is still open', () => {
    const machine = after(lost, { is: 'status', state: 'open', offset: MIB }, 0)
    assert.equal(nextStep(machine).do, 'ask')
    assert.ok(machine.waitMs > 0)
  })
})

describe('the offset to resume at', () => {
  it('is X-Service-Offset after 409 offset_mismatch, without a pause when it is higher than the known one', () => {
    const refusal = problem({ status: 409, code: 'error.upload.offset_mismatch', offset: 8 * MIB })
    const machine = after(opened(20 * MIB), failedChunk(refusal), 0.5)
    assert.deepEqual(nextStep(machine), { do: 'send', uploadId, offset: 8 * MIB, end: 16 * MIB })
    assert.equal(machine.waitMs, 0)
  })

  it('goes back to what the server has, after a pause', () => {
    const refusal = problem({ status: 409, code: 'error.upload.offset_mismatch', offset: MIB })
    const machine = after(opened(20 * MIB, 9 * MIB), failedChunk(refusal), 0)
    assert.deepEqual(nextStep(machine), { do: 'send', uploadId, offset: MIB, end: 9 * MIB })
    assert.ok(machine.waitMs > 0)
  })

  it('is requested after 409 session_closed, because the session may have landed', () => {
    const refusal = problem({ status: 409, code: 'error.upload.session_closed', offset: 0 })
    assert.equal(nextStep(after(opened(MIB), failedChunk(refusal), 0)).do, 'ask')
  })
})

describe('the size and timing of chunks', () => {
  it('halves the chunk after a broken connection', () => {
    const machine = follow(opened(20 * MIB), [
      failedChunk(new NetworkError('unreachable')),
      { is: 'status', state: 'open', offset: 0 },
    ])
    assert.deepEqual(nextStep(machine), { do: 'send', uploadId, offset: 0, end: 4 * MIB })
  })

  it('never repeats a size that was answered 413, and stops when the smallest is refused', () => {
    const refusal = problem({ status: 413, code: 'error.request.payload_too_large' })
    let machine = after(opened(64 * MIB), failedChunk(refusal), 0)
    machine = after(machine, { is: 'kept', offset: 4 * MIB, sentBytes: 4 * MIB, tookMs: 10 }, 0)
    assert.deepEqual(nextStep(machine), { do: 'send', uploadId, offset: 4 * MIB, end: 8 * MIB })
    for (let step = nextStep(machine); step.do === 'send'; step = nextStep(machine))
      machine = after(machine, failedChunk(refusal, step.end - step.offset), 0)
    const stop = nextStep(machine)
    assert.equal(stop.do === 'stop' && stop.reason, 'chunk_refused')
  })

  it('aims at five to ten seconds for each chunk', () => {
    let machine = opened(64 * MIB)
    machine = after(machine, { is: 'kept', offset: 8 * MIB, sentBytes: 8 * MIB, tookMs: 25_000 }, 0)
    assert.equal(machine.sizing.bytes, 4 * MIB)
    machine = after(machine, { is: 'kept', offset: 12 * MIB, sentBytes: 4 * MIB, tookMs: 7_000 }, 0)
    assert.equal(machine.sizing.bytes, 4 * MIB)
    machine = after(machine, { is: 'kept', offset: 16 * MIB, sentBytes: 4 * MIB, tookMs: 2_000 }, 0)
    assert.equal(machine.sizing.bytes, 8 * MIB)
  })

  it('ends a chunk at the end of a segment', () => {
    const segments = { first: 2210, each: MIB }
    const machine = grown(startSending({ size: 20 * MIB, segments, uploadId, suggestedChunkBytes: 8 * MIB }))
    const first = nextStep(after(machine, { is: 'status', state: 'open', offset: 0 }, 0))
    assert.equal(first.do === 'send' && first.end, 2210 + 7 * MIB)
    const second = nextStep(after(machine, { is: 'status', state: 'open', offset: 2210 + 7 * MIB }, 0))
    assert.equal(second.do === 'send' && second.end, 2210 + 15 * MIB)
  })

  it('allows a blob of a tebibyte within the maximum number of chunks', () => {
    const machine = start(2 ** 40)
    assert.ok(2 ** 40 / machine.sizing.min <= (4 * 2 ** 40) / (8 * MIB))
  })

  it('waits as long as Retry-After demands, also for the hour of a limit', () => {
    for (const seconds of [7, 3600]) {
      const refusal = problem({ status: 429, code: 'error.drop.rate_limited', retryAfterSeconds: seconds })
      const machine = after(start(MIB), { is: 'failed', failure: refusal }, 0)
      assert.deepEqual([nextStep(machine).do, machine.waitMs], ['create', seconds * 1000])
    }
  })

  it('waits longer each time that the server has no room for a chunk, and resumes where it stopped', () => {
    const full = failedChunk(problem({ status: 500, code: 'error.storage.unavailable' }))
    let machine = opened(20 * MIB, 8 * MIB)
    const waits: number[] = []
    for (let round = 0; round < 5; round++) {
      machine = after(machine, full, 0)
      waits.push(machine.waitMs)
      assert.equal(nextStep(machine).do, 'ask')
      machine = after(machine, { is: 'status', state: 'open', offset: 8 * MIB }, 0)
    }
    assert.deepEqual(waits, [250, 500, 1000, 2000, 4000])
    const next = nextStep(machine)
    assert.ok(next.do === 'send' && next.offset === 8 * MIB)
  })

  it('stops for a Retry-After of more than 70 minutes', () => {
    const refusal = problem({ status: 429, code: 'error.drop.rate_limited', retryAfterSeconds: 4201 })
    const stop = nextStep(after(start(MIB), { is: 'failed', failure: refusal }, 0))
    assert.ok(stop.do === 'stop' && stop.reason === 'server_unavailable' && stop.cause === refusal)
  })

  it('survives half a minute without a server, and gives up after that many attempts', () => {
    let machine = opened(MIB)
    let waitedMs = 0
    for (let tries = 1; tries <= MAX_TRIES; tries++) {
      machine = after(machine, failedChunk(new NetworkError('unreachable')), 0)
      assert.equal(nextStep(machine).do, 'ask')
      waitedMs += machine.waitMs
    }
    assert.ok(waitedMs > 60_000 && waitedMs < 300_000)
    const stop = nextStep(after(machine, failedChunk(new NetworkError('unreachable')), 0))
    assert.equal(stop.do === 'stop' && stop.reason, 'server_unavailable')
  })
})

describe('a failure that no retry can cure', () => {
  const cases = [
    ['error.drop.link_not_found', 404, 'link_closed'],
    ['error.drop.cap_exhausted', 409, 'link_full'],
    ['error.drop.inbox_full', 409, 'inbox_full'],
    ['error.drop.passphrase_required', 403, 'passphrase_refused'],
    ['error.drop.file_too_large', 413, 'too_large'],
    ['error.quota.exceeded', 403, 'owner_full'],
    ['error.upload.session_not_found', 404, 'session_unknown'],
    ['error.upload.content_hash_mismatch', 409, 'session_failed'],
    ['error.drop.malformed', 400, 'refused'],
    ['error.upload.file_too_large', 413, 'too_large_for_server'],
    ['error.request.limit_reached', 403, 'too_many_uploads'],
    ['error.auth.session_expired', 401, 'signed_out'],
    ['error.account.suspended', 403, 'suspended'],
    ['error.device.not_authorized', 403, 'device_refused'],
    ['error.album.not_available', 403, 'album_refused'],
    ['error.asset.id_taken', 409, 'asset_taken'],
    ['error.manifest.stale', 409, 'asset_taken'],
    ['error.manifest.mismatch', 409, 'manifest_refused'],
    ['error.manifest.timestamp_out_of_range', 400, 'manifest_refused'],
    ['error.manifest.retention_too_long', 422, 'manifest_refused'],
    ['error.protocol.version_unsupported', 426, 'version_refused'],
  ] as const
  for (const [code, status, reason] of cases) {
    it(`stops with ${reason} at ${code}`, () => {
      const stop = nextStep(after(start(MIB), { is: 'failed', failure: problem({ status, code }) }, 0))
      assert.equal(stop.do === 'stop' && stop.reason, reason)
    })
  }
})

/** An honest server that stores whole chunks; chance decides which requests and answers are lost. */
interface ModelServer {
  kept: number
  isLanded: boolean
  readonly acknowledged: Set<number>
}

type Chance = 'fine' | 'request lost' | 'answer lost' | 'busy' | 'half a minute of nothing'

function serve(server: ModelServer, machine: SendMachine, chance: Chance): SendEvent {
  const step = nextStep(machine)
  const isChunk = step.do === 'send'
  const size = isChunk ? { sentBytes: step.end - step.offset } : {}
  if (chance === 'request lost' || chance === 'half a minute of nothing')
    return { is: 'failed', failure: new NetworkError('unreachable'), ...size }
  if (chance === 'busy') return { is: 'failed', failure: problem({ status: 503, code: 'unknown' }), ...size }
  const answer = answerTo(server, machine)
  if (chance === 'answer lost') return { is: 'failed', failure: new NetworkError('cut'), ...size }
  if (answer.is === 'kept' && isChunk) server.acknowledged.add(step.offset)
  return answer
}

function answerTo(server: ModelServer, machine: SendMachine): SendEvent {
  const step = nextStep(machine)
  if (step.do === 'create') return created
  if (step.do === 'ask') return { is: 'status', state: server.isLanded ? 'landed' : 'open', offset: server.kept }
  assert.ok(step.do === 'send')
  assert.ok(!server.acknowledged.has(step.offset), 'an acknowledged chunk is never sent again')
  if (step.offset !== server.kept)
    return failedChunk(
      problem({ status: 409, code: 'error.upload.offset_mismatch', offset: server.kept }),
      step.end - step.offset,
    )
  server.kept = step.end
  server.isLanded = server.kept === machine.size
  return { is: 'kept', offset: server.kept, sentBytes: step.end - step.offset, tookMs: 6_000 }
}

describe('on any connection', () => {
  it('lands every byte once, or gives up after the stated number of failures in a row', () => {
    const chance = fc.constantFrom<Chance>(
      'fine',
      'fine',
      'request lost',
      'answer lost',
      'busy',
      'half a minute of nothing',
    )
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 * MIB }), fc.infiniteStream(chance), (size, chances) => {
        const server: ModelServer = { kept: 0, isLanded: false, acknowledged: new Set() }
        let machine = start(size)
        for (const now of chances) {
          const { do: what } = nextStep(machine)
          if (what === 'land' || what === 'stop') break
          machine = after(machine, serve(server, machine, now), 0.5)
        }
        const end = nextStep(machine)
        if (end.do === 'land') assert.ok(server.isLanded)
        else assert.ok(end.do === 'stop' && end.reason === 'server_unavailable' && machine.tries === MAX_TRIES)
      }),
      { numRuns: 500 },
    )
  })
})

/** Answers a step of this machine, whose session it keeps open. */
type Liar = (step: Extract<SendStep, { do: 'ask' | 'send' }>, asked: number) => SendEvent

const mismatch = (step: Extract<SendStep, { do: 'send' }>, offset: number) =>
  failedChunk(problem({ status: 409, code: 'error.upload.offset_mismatch', offset }), step.end - step.offset)
const open = (offset: number): SendEvent => ({ is: 'status', state: 'open', offset })

/** Bytes that are sent until the machine stops, of `size`. */
function bytesSentTo(lie: Liar, size: number): number {
  let [machine, sent] = [opened(size), 0]
  for (let asked = 0; asked < 100_000; asked++) {
    const step = nextStep(machine)
    if (step.do === 'stop' || step.do === 'land') return sent
    assert.ok(step.do === 'ask' || step.do === 'send')
    if (step.do === 'send') sent += step.end - step.offset
    machine = after(machine, lie(step, asked), 0.5)
  }
  return assert.fail('it never stops')
}

describe('a server that lies about the offset', () => {
  const size = 40 * MIB
  const kept = (step: Extract<SendStep, { do: 'send' }>): SendEvent => ({
    is: 'kept',
    offset: step.end,
    sentBytes: step.end - step.offset,
    tookMs: 20_000,
  })
  /** Acknowledges all that it had, one chunk more, and refuses the next. */
  function forgetful(): Liar {
    let [highest, isNew] = [0, true]
    return (step) => {
      if (step.do === 'ask') return open(0)
      if (step.end > highest) isNew = !isNew
      if (step.end > highest && isNew) return mismatch(step, 0)
      highest = Math.max(highest, step.end)
      return kept(step)
    }
  }
  const cut = (step: Extract<SendStep, { do: 'send' }>) => failedChunk(new NetworkError('cut'), step.end - step.offset)
  const liars: Readonly<Record<string, Liar>> = {
    'says one byte more each time, in its refusals': (step, asked) =>
      step.do === 'send' ? mismatch(step, asked + 1) : open(asked + 1),
    'says one byte more each time, when it is asked': (step, asked) =>
      step.do === 'send' ? cut(step) : open(asked + 1),
    'goes back to the start after each new chunk': forgetful(),
    'goes back to the start when all but the last chunk have arrived': (step) =>
      step.do === 'ask' ? open(0) : step.end === size ? mismatch(step, 0) : kept(step),
    'alternates between two offsets': (step, asked) =>
      step.do === 'send' ? mismatch(step, asked % 2 === 0 ? MIB : 2 * MIB) : open(0),
    'says that all is there, and then that nothing is': (step, asked) =>
      step.do === 'send' ? cut(step) : asked % 3 === 0 ? open(0) : { is: 'status', state: 'finishing', offset: size },
  }
  for (const [what, lie] of Object.entries(liars))
    it(`gets a few times the size of the file at most: one that ${what}`, () => {
      const sent = bytesSentTo(lie, size)
      assert.ok(sent <= (MAX_TRIES + 1) * size, `${sent / size} times the size`)
    })

  it('is not asked for a session again and again because it names an offset', () => {
    let [machine, asked] = [start(size), 0]
    for (; asked < 1_000 && nextStep(machine).do === 'create'; asked++) {
      const failure = problem({ status: 409, code: 'error.upload.offset_mismatch', offset: asked + 1 })
      machine = after(machine, { is: 'failed', failure }, 0.5)
    }
    assert.equal(asked, MAX_TRIES + 1)
  })
})
