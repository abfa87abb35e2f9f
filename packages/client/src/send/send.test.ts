/** Sending to a real server over bad connections: a proxy loses requests and answers. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { custodyOf, newOwner, quickEnvironment } from '../../../../testing/people.ts'
import { assertPrompt } from '../../../../testing/prompt.ts'
import type { Exchanged } from '../../../../testing/tamperingProxy.ts'
import { until } from '../../../../testing/until.ts'
import { type Environment, systemEnvironment } from '../ground/environment.ts'
import { openLink } from '../guest.ts'
import { NetworkError } from '../http/errors.ts'
import { nodeEnvironment } from '../node/nodeEnvironment.ts'
import type { CreatedLink, Owner } from '../owner.ts'
import { normalPassphrase, passphraseSpellings } from '../seal/passphraseSpellings.ts'
import { type Source, sourceOfBytes } from '../seal/source.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { fetchReceipt } from '../verify/audit.ts'
import { requireSamePlaintext } from './samePlaintext.ts'
import { askSend, cancelSend, type SendProgress, send } from './send.ts'
import { SendError, type SendStopReason } from './sendError.ts'
import { forNewSession, parseSendState, type SendState, withPassphrase } from './sendState.ts'

const MIB = 1024 * 1024
/** The system's environment without waiting. */
const environment = { ...systemEnvironment, wait: async () => undefined }

const { proxy, server } = await sharedServer()
let owner: Owner
let link: CreatedLink

before(async () => {
  owner = await newOwner(proxy.url, nodeEnvironment)
  link = await owner.createLink()
})

const isGuestRequest = (method: string) => (exchange: Exchanged) =>
  exchange.method === method && exchange.path.startsWith('/d/')
const stopped = (reason: SendStopReason) => (error: unknown) => error instanceof SendError && error.reason === reason

async function prepared(bytes: number, url = link.url): Promise<{ source: Source; state: SendState }> {
  const source = sourceOfBytes(randomBytes(bytes))
  return { source, state: await (await openLink(url)).prepare({ source, name: 'file.bin' }) }
}

/** The requests of one test's own upload. */
function watching(): () => { creations: Exchanged[]; chunks: Exchanged[] } {
  const from = proxy.seen.length
  return () => {
    const mine = proxy.seen.slice(from)
    return { creations: mine.filter(isGuestRequest('POST')), chunks: mine.filter(isGuestRequest('PATCH')) }
  }
}

const offsetOf = ({ headers }: Exchanged) => Number(headers['x-service-offset'])

/** The drop is in the inbox exactly once, with its name, and its receipt is valid. */
async function assertLandedOnce(state: SendState, landed: Awaited<ReturnType<typeof send>>): Promise<void> {
  const arrived = (await owner.inbox()).filter(({ ciphertextHash }) => ciphertextHash === state.ciphertextHash)
  assert.deepEqual(
    arrived.map(({ file }) => file?.name),
    ['file.bin'],
  )
  await fetchReceipt({ custody: custodyOf({ content: new Uint8Array(), state, landed }) })
}

describe('a connection that loses messages', () => {
  it('creates one session when the answer to the creation is lost', async () => {
    const { source, state } = await prepared(1000)
    const seen = watching()
    proxy.tamper({ matches: isGuestRequest('POST'), lose: 'answer', times: 2 })
    await assertLandedOnce(state, await send({ state, source, environment }))
    const keys = seen().creations.map(({ headers }) => headers['idempotency-key'])
    assert.deepEqual(keys, [state.idempotencyKey, state.idempotencyKey, state.idempotencyKey])
    const { used } = await owner.quota()
    assert.equal(
      used,
      (await owner.inbox()).reduce((sum, { sealedBytes }) => sum + sealedBytes, 0),
    )
  })

  it('lands when the answer to the last chunk is lost, and sends that chunk once', async () => {
    const { source, state } = await prepared(1000)
    const seen = watching()
    proxy.tamper({ matches: isGuestRequest('PATCH'), lose: 'answer', times: 1 })
    await assertLandedOnce(state, await send({ state, source, environment }))
    assert.equal(seen().chunks.length, 1)
  })

  it('never sends an acknowledged chunk twice', async () => {
    const { source, state } = await prepared(6 * MIB)
    const seen = watching()
    const hasOffset = (exchange: Exchanged) => isGuestRequest('PATCH')(exchange) && offsetOf(exchange) > 0
    proxy.tamper({ matches: hasOffset, lose: 'request', times: 1 }, { matches: hasOffset, lose: 'answer', times: 2 })
    await assertLandedOnce(state, await send({ state, source, environment }))
    const offsets = seen().chunks.map(offsetOf)
    // Only the chunk whose request was lost was sent twice.
    assert.equal(new Set(offsets).size, offsets.length - 1)
  })

  it('sends smaller chunks when a proxy refuses larger ones', async () => {
    const { source, state } = await prepared(3 * MIB)
    const seen = watching()
    proxy.tamper({
      matches: (exchange) => isGuestRequest('PATCH')(exchange) && Number(exchange.headers['content-length']) > MIB / 2,
      instead: 413,
    })
    await assertLandedOnce(state, await send({ state, source, environment }))
    const refused = seen().chunks.filter(({ headers }) => Number(headers['content-length']) > MIB / 2)
    assert.equal(refused.length, 1)
  })

  it('gives up on an unreachable server, with the remedy to resume', async () => {
    const { source, state } = await prepared(1000)
    proxy.tamper({ matches: () => true, lose: 'request' })
    await assert.rejects(
      send({ state, source, environment }),
      (error) => stopped('server_unavailable')(error) && error instanceof SendError && error.remedy === 'resume',
    )
    proxy.tamper()
    await assertLandedOnce(state, await send({ state, source, environment }))
  })

  it('survives a crash and restart of the server', async () => {
    const { source, state } = await prepared(8 * MIB)
    let restarted: Promise<void> | undefined
    const onProgress = ({ bytes }: SendProgress) => {
      if (bytes > 3 * MIB) restarted ??= server.restart()
    }
    const landed = await send({ state, source, onProgress })
    assert.ok(restarted)
    await restarted
    await assertLandedOnce(state, landed)
  })
})

describe('an upload that pauses', () => {
  /** Stops at the first acknowledged chunk, and returns the stored state. */
  async function paused(source: Source, state: SendState): Promise<SendState> {
    const controller = new AbortController()
    let kept = ''
    const sending = send({
      state,
      source,
      signal: controller.signal,
      onState: (changed) => {
        kept = JSON.stringify(changed)
      },
      onProgress: ({ bytes }) => {
        if (bytes > 0) controller.abort(new Error('paused'))
      },
    })
    await assert.rejects(sending, /paused/)
    return parseSendState(JSON.parse(kept))
  }

  it('resumes in another process from the stored JSON', async () => {
    const { source, state } = await prepared(4 * MIB)
    const seen = watching()
    const kept = await paused(source, state)
    await assertLandedOnce(state, await send({ state: kept, source }))
    const { creations, chunks } = seen()
    assert.equal(creations.length, 1)
    assert.equal(new Set(chunks.map(offsetOf)).size, chunks.length)
  })

  it('stops before it sends a byte of a changed file', async () => {
    const content = new Uint8Array(randomBytes(4 * MIB))
    const source = sourceOfBytes(content)
    const state = await (await openLink(link.url)).prepare({ source })
    const kept = await paused(source, state)
    const at = content.length - 1
    content[at] = (content[at] ?? 0) ^ 1
    const seen = watching()
    await assert.rejects(send({ state: kept, source }), stopped('file_changed'))
    const ends = seen().chunks.map((chunk) => offsetOf(chunk) + Number(chunk.headers['content-length']))
    assert.ok(ends.every((end) => end < state.size))
    await cancelSend(kept)
  })

  it('detects a changed file even when the change was sent already', async () => {
    const content = new Uint8Array(randomBytes(3 * MIB))
    const source = sourceOfBytes(content)
    const state = await (await openLink(link.url)).prepare({ source })
    await requireSamePlaintext({ state, source })
    content[0] = (content[0] ?? 0) ^ 1
    await assert.rejects(requireSamePlaintext({ state, source }), stopped('file_changed'))
  })

  it('has a status without the file: open, landed or unknown', async () => {
    const { source, state } = await prepared(4 * MIB)
    assert.deepEqual(await askSend(state), { is: 'deleted' })
    const kept = await paused(source, state)
    const status = await askSend(kept)
    assert.ok(status.is === 'open' && status.sentBytes >= MIB && status.sentBytes < kept.size)
    const landed = await send({ state: kept, source })
    assert.deepEqual(await askSend(kept), { is: 'landed', landed })
    const other = await prepared(4 * MIB)
    const cancelled = await paused(other.source, other.state)
    await cancelSend(cancelled)
    assert.deepEqual(await askSend(cancelled), { is: 'deleted' })
    proxy.tamper({ matches: isGuestRequest('HEAD'), lose: 'request' })
    await assert.rejects(askSend(kept), NetworkError)
  })

  it('no longer exists after it was cancelled, and can be restarted without hashing again', async () => {
    const { source, state } = await prepared(4 * MIB)
    const kept = await paused(source, state)
    await cancelSend(kept)
    await assert.rejects(send({ state: kept, source }), stopped('session_unknown'))
    await assertLandedOnce(state, await send({ state: forNewSession(kept), source }))
  })
})

describe('what was held back', () => {
  it('is not noted, and throws nothing, at a server that does not know the request and without an answer', async () => {
    const opened = await openLink(link.url)
    const matches = isGuestRequest('POST')
    proxy.tamper({ matches, instead: 405, times: 1 }, { matches, lose: 'answer' })
    assert.equal(await opened.noteHeldBack('too_large'), false)
    assert.equal(await opened.noteHeldBack('no_room'), false)
    proxy.tamper()
  })

  it('is not waited for after a cancellation', async () => {
    await assertPrompt(2000, async () => {
      const opened = await openLink(link.url)
      const stop = new AbortController()
      const ended = Promise.withResolvers<void>()
      const meanwhile = async () => {
        stop.abort()
        await ended.promise
      }
      proxy.tamper({ matches: isGuestRequest('POST'), times: 1, cut: { afterBytes: 0, meanwhile } })
      const startedAt = performance.now()
      assert.equal(await opened.noteHeldBack('too_large', stop.signal), false)
      ended.resolve()
      return performance.now() - startedAt
    })
    proxy.tamper()
  })
})

describe('a link refuses', () => {
  it('a file that is too large, before anything is sent', async () => {
    const { url } = await owner.createLink({ caps: { maxFileSize: 10_000 } })
    const opened = await openLink(url)
    const largest = opened.limits.fileBytesMax
    assert.ok(largest !== undefined)
    await opened.prepare({ source: sourceOfBytes(randomBytes(largest)), name: 'fits' })
    const source = sourceOfBytes(randomBytes(largest + 1))
    const from = proxy.seen.length
    const tooLarge = async () => assert.rejects(opened.prepare({ source, name: 'does not' }), stopped('too_large'))
    const sent = () => proxy.seen.slice(from).map(({ method, path }) => `${method} ${path.split('/').at(-1)}`)
    await tooLarge()
    await until(() => sent().length > 0, 'the owner hears of it')
    await tooLarge()
    assert.equal(await opened.noteHeldBack('too_large'), true)
    assert.deepEqual(sent(), ['POST refusals'])
  })

  it('a wrong passphrase, and a missing one before anything is hashed', async () => {
    const { url } = await owner.createLink({ passphrase: 'Café am See' })
    const opened = await openLink(url, nodeEnvironment)
    assert.ok(opened.limits.passphraseRequired)
    const source = sourceOfBytes(randomBytes(10))
    await assert.rejects(opened.prepare({ source }), stopped('passphrase_refused'))
    const wrong = await opened.prepare({ source, passphrase: normalPassphrase('Cafe am See') })
    await assert.rejects(send({ state: wrong, source }), stopped('passphrase_refused'))
    const anotherTry = await withPassphrase(
      wrong,
      { link: url, passphrase: normalPassphrase('café-am-see') },
      nodeEnvironment,
    )
    assert.equal(anotherTry.ciphertextHash, wrong.ciphertextHash)
    const { uploadId } = await send({ state: anotherTry, source })
    assert.ok(
      (await owner.inbox()).some(({ ciphertextHash }) => ciphertextHash === wrong.ciphertextHash),
      uploadId,
    )
    // The same text in another Unicode form, as another keyboard types it, in a browser.
    const inBrowser = await openLink(url, quickEnvironment)
    const passphrase = normalPassphrase('Café am See'.normalize('NFD'))
    const right = await inBrowser.prepare({ source, name: 'file.bin', passphrase })
    await assertLandedOnce(right, await send({ state: right, source }))
  })

  it('the normal spelling of a passphrase that an older client took as typed, and takes it as typed', async () => {
    // A client that took the passphrase as it was typed.
    const passphraseProof: Environment['passphraseProof'] = (_, salt) =>
      nodeEnvironment.passphraseProof('Open-Sesame', salt)
    const before = await newOwner(proxy.url, { ...nodeEnvironment, passphraseProof })
    const { url: link } = await before.createLink({ passphrase: 'Open-Sesame' })
    const opened = await openLink(link, nodeEnvironment)
    const source = sourceOfBytes(randomBytes(10))
    const [normal, typed, ...others] = passphraseSpellings('Open-Sesame')
    assert.ok(normal !== undefined && typed !== undefined && others.length === 0)
    const refused = await opened.prepare({ source, passphrase: normal })
    await assert.rejects(send({ state: refused, source }), stopped('passphrase_refused'))
    await send({ state: await withPassphrase(refused, { link, passphrase: typed }, nodeEnvironment), source })
  })
})

describe('the stored state of an upload', () => {
  it('is accepted only when it is complete', async () => {
    const { state } = await prepared(10)
    const text = JSON.stringify(state)
    assert.deepEqual(parseSendState(JSON.parse(text)), state)
    for (const name of Object.keys(state)) {
      const { [name]: _, ...rest } = JSON.parse(text)
      assert.throws(() => parseSendState(rest), RangeError, name)
    }
    assert.throws(() => parseSendState({ ...state, version: 2 }), RangeError)
  })
})
