/** Downloads over lines that break, and from servers that answer a continuation with something else. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { before, beforeEach, describe, it } from 'node:test'
import { hashOf } from '../../../../testing/maliciousAssets.ts'
import { isRequest } from '../../../../testing/maliciousServer.ts'
import { anotherClient, type Keeper, newKeeper, sendFile } from '../../../../testing/people.ts'
import type { Tampering } from '../../../../testing/tamperingProxy.ts'
import type { AssetFacts } from '../assets/assetFacts.ts'
import { type Environment, systemEnvironment } from '../ground/environment.ts'
import { openShare } from '../share.ts'
import { sourceOfBytes } from '../source.ts'
import { dropOf } from '../testing/expectations.ts'
import { sharedServer } from '../testing/sharedServer.ts'
import { openDownload } from './download.ts'
import { NetworkError, ProblemError } from './errors.ts'
import { MAX_TRIES } from './retry.ts'

const CONTENT = new Uint8Array(randomBytes(600_000))
const CUT_AFTER = 200_000

const { proxy } = await sharedServer()
let waits: number[] = []
const environment: Environment = {
  ...systemEnvironment,
  wait: async (milliseconds, signal) => {
    signal?.throwIfAborted()
    waits.push(milliseconds)
  },
}
let keeper: Keeper
let asset: AssetFacts

before(async () => {
  keeper = await newKeeper(proxy.url, environment)
  asset = await keep(CONTENT)
})
beforeEach(() => {
  waits = []
})

async function keep(bytes: Uint8Array): Promise<AssetFacts> {
  const { owner, album, device } = keeper
  const { assetId } = await owner.upload({ source: sourceOfBytes(bytes), name: 'a.bin', album, device })
  return owner.asset(assetId)
}

/** Only the download of the whole, and its continuations: the first bytes, for a header, have a range with an end. */
const atDownload = (path: RegExp, isContinued?: boolean): Tampering['matches'] => {
  const isContent = isRequest('GET', path)
  return (exchange) => {
    const { range } = exchange.headers
    if (!isContent(exchange)) return false
    return isContinued === undefined ? !/-\d/.test(range ?? '') : (range?.endsWith('-') ?? false) === isContinued
  }
}
const ofAsset = (isContinued?: boolean) =>
  atDownload(new RegExp(`^/v1/blob/${hashOf(asset, 'original')}$`), isContinued)

async function read(stream: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<Uint8Array> {
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

/** A line on which the bytes of `CONTENT` arrive until it breaks: after `lengthOf(1)` bytes at the first call. */
function breakingLine(lengthOf: (calls: number) => number) {
  const ranges: (string | undefined)[] = []
  const ask: Parameters<typeof openDownload>[0]['ask'] = async ({ headers: { Range: range } }) => {
    ranges.push(range)
    const start = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
    const pieces = [CONTENT.subarray(start, start + lengthOf(ranges.length))].filter(({ length }) => length > 0)
    const isWhole = start + (pieces[0]?.length ?? 0) === CONTENT.length
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull(controller) {
        const piece = pieces.shift()
        if (piece !== undefined) controller.enqueue(piece)
        else if (isWhole) controller.close()
        else controller.error(new NetworkError('cut'))
      },
    })
    const headers = new Headers({ 'Content-Range': `bytes ${start}-${CONTENT.length - 1}/${CONTENT.length}` })
    return { status: range === undefined ? 200 : 206, headers, body }
  }
  return { ranges, ask }
}

const download = async (signal?: AbortSignal) => (await keeper.owner.openAsset(asset, { signal })).content

describe('a download over a line that breaks', () => {
  it('goes on where it was, again and again', async () => {
    proxy.tamper({ matches: ofAsset(), cut: { afterBytes: CUT_AFTER }, times: 3 })
    const before = proxy.seen.length
    assert.deepEqual(await read(await download()), CONTENT)
    const ranges = proxy.seen
      .slice(before)
      .filter(ofAsset())
      .map(({ headers }) => headers.range)
    assert.deepEqual([ranges.length, ranges[0]], [4, undefined])
    // Bytes that arrived together with the break may be lost with it.
    const starts = ranges.slice(1).map((range) => Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1]))
    for (const [index, start] of starts.entries())
      assert.ok(start <= (starts[index - 1] ?? 0) + CUT_AFTER, `continued at ${start}`)
    assert.equal(waits.length, 3)
  })

  it('asks for no byte again that it has read', async () => {
    const { ranges, ask } = breakingLine(() => CUT_AFTER)
    assert.deepEqual(await read(await openDownload({ operation: 'blob', environment, ask })), CONTENT)
    assert.deepEqual(ranges, [undefined, `bytes=${CUT_AFTER}-`, `bytes=${2 * CUT_AFTER}-`])
  })

  it('goes on through refusals that end, and through answers that never come', async () => {
    proxy.tamper(
      { matches: ofAsset(false), cut: { afterBytes: CUT_AFTER } },
      { matches: ofAsset(true), instead: 500, times: 1 },
      { matches: ofAsset(true), instead: 429, times: 1 },
      { matches: ofAsset(true), lose: 'request', times: 1 },
    )
    assert.deepEqual(await read(await download()), CONTENT)
  })

  it('goes on when it broke before the first byte and behind the last one', async () => {
    const size = asset.blobs.find(({ role }) => role === 'original')?.size ?? 0
    proxy.tamper({ matches: ofAsset(false), cut: { afterBytes: 0 } })
    assert.deepEqual(await read(await download()), CONTENT)
    const chunked: Tampering = {
      matches: ofAsset(false),
      // Without a length, only the end of the connection shows the end.
      answer: ({ headers: { 'content-length': _, ...headers }, body }) => ({ headers, body }),
      cut: { afterBytes: size },
    }
    proxy.tamper(chunked)
    assert.deepEqual(await read(await download()), CONTENT)
  })

  it('does so for drops and for shares, too', async () => {
    const { owner } = keeper
    const link = await owner.createLink()
    const { landed } = await sendFile(link.url, CONTENT)
    const drop = await dropOf(owner, landed)
    proxy.tamper({ matches: atDownload(/^\/v1\/drops\/[^/]+\/content$/), cut: { afterBytes: CUT_AFTER }, times: 2 })
    assert.deepEqual(await read((await owner.openDrop(drop)).content), CONTENT)
    const share = await openShare((await owner.createShare([asset])).url, environment)
    proxy.tamper({ matches: atDownload(/^\/s\/[^/]+\/blob\//), cut: { afterBytes: CUT_AFTER }, times: 2 })
    const [shared] = share.assets
    assert.ok(shared)
    assert.deepEqual(await read(await shared.open()), CONTENT)
    assert.equal(waits.length, 4)
  })

  it('stops after many tries without a further byte, and counts from the start after each byte', async () => {
    proxy.tamper(
      { matches: ofAsset(false), cut: { afterBytes: CUT_AFTER } },
      { matches: ofAsset(true), cut: { afterBytes: 0 } },
    )
    const isCut = (error: unknown) => error instanceof NetworkError && error.failure === 'cut'
    const before = proxy.seen.length
    await assert.rejects(read(await download()), isCut)
    assert.equal(proxy.seen.slice(before).filter(ofAsset(true)).length, MAX_TRIES)

    const { ranges, ask } = breakingLine((calls) => (calls === MAX_TRIES ? 1 : 0))
    await assert.rejects(read(await openDownload({ operation: 'blob', environment, ask })), isCut)
    const repeats = (count: number, range: string) => Array.from({ length: count }, () => range)
    assert.deepEqual(ranges, [undefined, ...repeats(MAX_TRIES - 1, 'bytes=0-'), ...repeats(MAX_TRIES, 'bytes=1-')])
  })

  it('does not begin at all when the first call fails', async () => {
    proxy.tamper({ matches: ofAsset(false), lose: 'answer' })
    await assert.rejects(download(), NetworkError)
    assert.deepEqual(waits, [])
  })

  it('stops at once when the file is not there any more', async () => {
    proxy.tamper({ matches: ofAsset(false), cut: { afterBytes: CUT_AFTER } }, { matches: ofAsset(true), instead: 404 })
    await assert.rejects(read(await download()), (error) => error instanceof ProblemError && error.status === 404)
    assert.equal(waits.length, 1)
  })

  it('ends with the reason of its caller, also while it waits', async () => {
    const reason = new Error('enough')
    const abort = new AbortController()
    const waiting: Environment = {
      ...systemEnvironment,
      wait: (milliseconds, signal) => {
        queueMicrotask(() => abort.abort(reason))
        return systemEnvironment.wait(milliseconds + 3_600_000, signal)
      },
    }
    proxy.tamper({ matches: ofAsset(), cut: { afterBytes: CUT_AFTER } })
    const opened = await anotherClient(proxy.url, keeper.owner, waiting).openAsset(asset, { signal: abort.signal })
    await assert.rejects(read(opened.content), (error) => error === reason)
  })

  it('sends no more requests once its consumer has cancelled', async () => {
    proxy.tamper({ matches: ofAsset(false), cut: { afterBytes: CUT_AFTER } })
    const content = await download()
    const reader = content.getReader()
    await reader.read()
    const before = proxy.seen.length
    await reader.cancel()
    assert.equal(proxy.seen.length, before)
  })
})

describe('a server that answers a continuation', () => {
  const lies: readonly (readonly [string, Omit<Tampering, 'matches'>, RegExp])[] = [
    [
      'from zero',
      { request: ({ headers: { range: _, ...headers }, body }) => ({ headers, body }) },
      /does not follow the protocol/,
    ],
    [
      'from another byte',
      { request: ({ headers, body }) => ({ headers: { ...headers, range: `bytes=${CUT_AFTER - 1}-` }, body }) },
      /does not follow the protocol/,
    ],
    [
      'with other bytes',
      { answer: ({ headers, body }) => ({ headers, body: Buffer.from(randomBytes(body.length)) }) },
      /altered/,
    ],
    [
      'with nothing, as if it were the end',
      { answer: ({ headers }) => ({ headers, body: Buffer.alloc(0) }) },
      /altered|end of the blob/,
    ],
  ]
  for (const [how, lie, says] of lies)
    it(`${how} is refused`, async () => {
      proxy.tamper({ matches: ofAsset(false), cut: { afterBytes: CUT_AFTER } }, { ...lie, matches: ofAsset(true) })
      await assert.rejects(read(await download()), says)
    })
})
