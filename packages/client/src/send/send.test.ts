/** Sending over bad lines, to the real server, through a proxy that loses what the test tells it to lose. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { custodyOf, newOwner } from '../../../../testing/people.ts'
import type { Exchanged } from '../../../../testing/tamperingProxy.ts'
import { systemEnvironment } from '../environment.ts'
import { openLink } from '../guest.ts'
import { NetworkError } from '../http/errors.ts'
import { nodeEnvironment } from '../node/nodeEnvironment.ts'
import type { CreatedLink, Owner } from '../owner.ts'
import { type Source, sourceOfBytes } from '../seal/source.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { fetchReceipt } from '../verify/audit.ts'
import { requireSamePlaintext } from './samePlaintext.ts'
import { askSend, cancelSend, type SendProgress, send } from './send.ts'
import { SendError, type SendStopReason } from './sendError.ts'
import { forNewSession, parseSendState, type SendState, withPassphrase } from './sendState.ts'

const MIB = 1024 * 1024
/** The real world, but for the waiting: what is lost here comes back at once. */
const environment = { ...systemEnvironment, wait: async () => undefined }

const { proxy, server } = await sharedServer()
let owner: Owner
let link: CreatedLink

before(async () => {
  owner = await newOwner(proxy.url, nodeEnvironment)
  link = await owner.createLink()
})

const is = (method: string) => (exchange: Exchanged) => exchange.method === method && exchange.path.startsWith('/d/')
const stopped = (reason: SendStopReason) => (error: unknown) => error instanceof SendError && error.reason === reason

async function prepared(bytes: number, url = link.url): Promise<{ source: Source; state: SendState }> {
  const source = sourceOfBytes(randomBytes(bytes))
  return { source, state: await (await openLink(url)).prepare({ source, name: 'file.bin' }) }
}

/** What one test's own upload did, out of all that the proxy has seen. */
function watching(): () => { creations: Exchanged[]; chunks: Exchanged[] } {
  const from = proxy.seen.length
  return () => {
    const mine = proxy.seen.slice(from)
    return { creations: mine.filter(is('POST')), chunks: mine.filter(is('PATCH')) }
  }
}

const offsetOf = ({ headers }: Exchanged) => Number(headers['x-service-offset'])

/** The drop is in the inbox once, with its true name, and its receipt holds. */
async function assertLandedOnce(state: SendState, landed: Awaited<ReturnType<typeof send>>): Promise<void> {
  const arrived = (await owner.inbox()).filter(({ ciphertextHash }) => ciphertextHash === state.ciphertextHash)
  assert.deepEqual(
    arrived.map(({ file }) => file?.name),
    ['file.bin'],
  )
  await fetchReceipt({ custody: custodyOf({ content: new Uint8Array(), state, landed }) })
}

describe('a line that loses things', () => {
  it('makes one session when the answer to its creation is lost', async () => {
    const { source, state } = await prepared(1000)
    const seen = watching()
    proxy.tamper({ matches: is('POST'), lose: 'answer', times: 2 })
    await assertLandedOnce(state, await send({ state, source, environment }))
    const keys = seen().creations.map(({ headers }) => headers['idempotency-key'])
    assert.deepEqual(keys, [state.idempotencyKey, state.idempotencyKey, state.idempotencyKey])
    const { used } = await owner.quota()
    assert.equal(
      used,
      (await owner.inbox()).reduce((sum, { sealedBytes }) => sum + sealedBytes, 0),
    )
  })

  it('lands when the last chunk’s answer is lost, and sends that chunk once', async () => {
    const { source, state } = await prepared(1000)
    const seen = watching()
    proxy.tamper({ matches: is('PATCH'), lose: 'answer', times: 1 })
    await assertLandedOnce(state, await send({ state, source, environment }))
    assert.equal(seen().chunks.length, 1)
  })

  it('never carries an acknowledged chunk twice', async () => {
    const { source, state } = await prepared(6 * MIB)
    const seen = watching()
    const hasOffset = (exchange: Exchanged) => is('PATCH')(exchange) && offsetOf(exchange) > 0
    proxy.tamper({ matches: hasOffset, lose: 'request', times: 1 }, { matches: hasOffset, lose: 'answer', times: 2 })
    await assertLandedOnce(state, await send({ state, source, environment }))
    const offsets = seen().chunks.map(offsetOf)
    // The one that was lost on its way there is the only one that went twice.
    assert.equal(new Set(offsets).size, offsets.length - 1)
  })

  it('sends smaller chunks when something in front of the server takes no larger ones', async () => {
    const { source, state } = await prepared(3 * MIB)
    const seen = watching()
    proxy.tamper({
      matches: (exchange) => is('PATCH')(exchange) && Number(exchange.headers['content-length']) > MIB / 2,
      instead: 413,
    })
    await assertLandedOnce(state, await send({ state, source, environment }))
    const refused = seen().chunks.filter(({ headers }) => Number(headers['content-length']) > MIB / 2)
    assert.equal(refused.length, 1)
  })

  it('gives up on a server that stays away, and says that the upload can go on', async () => {
    const { source, state } = await prepared(1000)
    proxy.tamper({ matches: () => true, lose: 'request' })
    await assert.rejects(
      send({ state, source, environment }),
      (error) => stopped('gave_up')(error) && error instanceof SendError && error.remedy === 'resume',
    )
    proxy.tamper()
    await assertLandedOnce(state, await send({ state, source, environment }))
  })

  it('rides through a server that is killed and started again', async () => {
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
  /** Stops at the first acknowledged chunk, and gives the state as it was kept. */
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

  it('goes on in a fresh process from what JSON kept', async () => {
    const { source, state } = await prepared(4 * MIB)
    const seen = watching()
    const kept = await paused(source, state)
    await assertLandedOnce(state, await send({ state: kept, source }))
    const { creations, chunks } = seen()
    assert.equal(creations.length, 1)
    assert.equal(new Set(chunks.map(offsetOf)).size, chunks.length)
  })

  it('stops before a byte of a changed file is sent', async () => {
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

  it('tells a changed file from the one that was prepared even where the change has been sent already', async () => {
    const content = new Uint8Array(randomBytes(3 * MIB))
    const source = sourceOfBytes(content)
    const state = await (await openLink(link.url)).prepare({ source })
    await requireSamePlaintext({ state, source })
    content[0] = (content[0] ?? 0) ^ 1
    await assert.rejects(requireSamePlaintext({ state, source }), stopped('file_changed'))
  })

  it('is asked about without the file: how far it is, that it landed, that it is gone', async () => {
    const { source, state } = await prepared(4 * MIB)
    assert.deepEqual(await askSend(state), { is: 'gone' })
    const kept = await paused(source, state)
    const status = await askSend(kept)
    assert.ok(status.is === 'open' && status.reached >= MIB && status.reached < kept.size)
    const landed = await send({ state: kept, source })
    assert.deepEqual(await askSend(kept), { is: 'landed', landed })
    const other = await prepared(4 * MIB)
    const cancelled = await paused(other.source, other.state)
    await cancelSend(cancelled)
    assert.deepEqual(await askSend(cancelled), { is: 'gone' })
    proxy.tamper({ matches: is('HEAD'), lose: 'request' })
    await assert.rejects(askSend(kept), NetworkError)
  })

  it('is gone when it was cancelled, and can start anew without being hashed again', async () => {
    const { source, state } = await prepared(4 * MIB)
    const kept = await paused(source, state)
    await cancelSend(kept)
    await assert.rejects(send({ state: kept, source }), stopped('session_gone'))
    await assertLandedOnce(state, await send({ state: forNewSession(kept), source }))
  })

  it('is gone when the owner has withdrawn the link', async () => {
    const other = await owner.createLink()
    const { source, state } = await prepared(4 * MIB, other.url)
    const kept = await paused(source, state)
    await owner.revokeLink(other.opaqueId)
    await assert.rejects(send({ state: kept, source }), stopped('session_gone'))
  })
})

describe('what a link refuses', () => {
  it('is a file larger than it takes, before anything is sent', async () => {
    const { url } = await owner.createLink({ caps: { maxFileSize: 10_000 } })
    const opened = await openLink(url)
    const largest = opened.limits.fileBytesMax
    assert.ok(largest !== undefined)
    await opened.prepare({ source: sourceOfBytes(randomBytes(largest)), name: 'fits' })
    const source = sourceOfBytes(randomBytes(largest + 1))
    await assert.rejects(opened.prepare({ source, name: 'does not' }), stopped('too_large'))
  })

  it('is a wrong passphrase, and a missing one before anything is hashed', async () => {
    const { url } = await owner.createLink({ passphrase: 'Café am See' })
    const opened = await openLink(url, nodeEnvironment)
    assert.ok(opened.limits.passphraseRequired)
    const source = sourceOfBytes(randomBytes(10))
    await assert.rejects(opened.prepare({ source }), stopped('passphrase_refused'))
    const wrong = await opened.prepare({ source, passphrase: 'Cafe am See' })
    await assert.rejects(send({ state: wrong, source }), stopped('passphrase_refused'))
    const anotherTry = await withPassphrase(wrong, 'Café am See', nodeEnvironment)
    assert.equal(anotherTry.ciphertextHash, wrong.ciphertextHash)
    const { uploadId } = await send({ state: anotherTry, source })
    assert.ok(
      (await owner.inbox()).some(({ ciphertextHash }) => ciphertextHash === wrong.ciphertextHash),
      uploadId,
    )
    // The same text, typed on a keyboard that writes the letter in another form of Unicode, in a browser.
    const inBrowser = await openLink(url)
    const right = await inBrowser.prepare({ source, name: 'file.bin', passphrase: 'Café am See'.normalize('NFD') })
    await assertLandedOnce(right, await send({ state: right, source }))
  })

  it('is a second file through a link for one', async () => {
    const { url } = await owner.createLink({ singleUse: true })
    const [first, second] = [await prepared(10, url), await prepared(10, url)]
    await assertLandedOnce(first.state, await send(first))
    await assert.rejects(send(second), stopped('link_closed'))
  })

  it('is more files than it takes', async () => {
    const { url } = await owner.createLink({ caps: { maxFileCount: 1 } })
    const [first, second] = [await prepared(10, url), await prepared(10, url)]
    await assertLandedOnce(first.state, await send(first))
    await assert.rejects(send(second), stopped('link_full'))
  })
})

describe('what was kept of an upload', () => {
  it('is read back only when it is whole', async () => {
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
