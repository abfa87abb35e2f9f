/** The whole of the guest page but its drawing and its browser, against a real server. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { after, afterEach, before, describe, it } from 'node:test'
import { systemEnvironment } from '@blindkeep/client/environment'
import type { Owner } from '@blindkeep/client/owner'
import { openChecker } from '../../../../conformance/checker/check.ts'
import { readItems } from '../../../../conformance/checker/input.ts'
import { nodeEnvironment } from '../../../../demo/nodeEnvironment.ts'
import { is, lie } from '../../../../testing/lies.ts'
import { newOwner } from '../../../../testing/people.ts'
import { type RunningServer, startServer } from '../../../../testing/startServer.ts'
import { type Exchanged, startTamperingProxy, type TamperingProxy } from '../../../../testing/tamperingProxy.ts'
import { type GuestEngine, openGuestEngine } from './engine.ts'
import { createMemoryKeep } from './keep.ts'
import type { ChosenFile, Phase, Row, Snapshot } from './messages.ts'
import { createSoleLocks } from './tabLocks.ts'

const MIB = 1024 * 1024
const DROPS = /^\/d\//

/** The proxy wants to know how long a body is, which Node’s streams do not tell. */
const environment = { ...nodeEnvironment, fetch: systemEnvironment.fetch }

let proxy: TamperingProxy
let server: RunningServer
let owner: Owner

before(async () => {
  proxy = await startTamperingProxy()
  server = await startServer({ publicUrl: proxy.url })
  proxy.forwardTo(server.url)
  owner = await newOwner(proxy.url, environment)
})
afterEach(() => proxy.tamper())
after(async () => {
  await server.stop()
  await proxy.close()
})

interface Tab extends GuestEngine {
  /** Resolves with the first snapshot of which it is so. */
  until(isSo: (snapshot: Snapshot) => boolean): Promise<Snapshot>
  untilOpen(): Promise<Snapshot>
  untilAll(phase: Phase): Promise<Snapshot>
}

/** What a browser keeps, which its tabs share. */
const newBrowser = () => ({ keep: createMemoryKeep(), locks: createSoleLocks() })

async function openTab(url: string, browser = newBrowser()): Promise<Tab> {
  const { origin, pathname, hash } = new URL(url)
  const parts = { baseUrl: origin, opaqueId: pathname.split('/').at(-1) ?? '', fragment: hash }
  const waiting = new Set<() => void>()
  const engine = await openGuestEngine({
    parts,
    ...browser,
    environment,
    uploadFetch: () => environment.fetch,
    onChange: () => {
      for (const look of waiting) setImmediate(look)
    },
  })
  const until = (isSo: (snapshot: Snapshot) => boolean) =>
    new Promise<Snapshot>((resolve) => {
      const look = () => {
        const snapshot = engine.snapshot()
        if (!isSo(snapshot)) return
        waiting.delete(look)
        resolve(snapshot)
      }
      waiting.add(look)
      look()
    })
  return {
    ...engine,
    until,
    untilOpen: () => until(({ link }) => link.is === 'open'),
    untilAll: (phase) => until(({ rows }) => rows.length > 0 && rows.every((row) => row.phase === phase)),
  }
}

function chosen(
  name: string,
  content: Uint8Array<ArrayBuffer>,
  facts: Partial<ChosenFile> & { at?: number } = {},
): ChosenFile {
  const file = new File([content], name, {
    type: 'application/octet-stream',
    lastModified: facts.at ?? 1_700_000_000_000,
  })
  return { file, folder: facts.folder ?? '', isFromCamera: facts.isFromCamera ?? false }
}

const bytes = (count: number) => new Uint8Array(randomBytes(count))
const noMessage = { note: '', sender: '' }
const chunksSince = (from: number) => proxy.seen.slice(from).filter(is('PATCH', DROPS))
const offsetOf = ({ headers }: Exchanged) => Number(headers['x-service-offset'])
const rowOf = ({ rows }: Snapshot, name: string): Row => {
  const row = rows.find((one) => one.name === name)
  assert.ok(row, name)
  return row
}

async function contentOf(name: string): Promise<Uint8Array> {
  const drop = (await owner.inbox()).find(({ file }) => file?.name === name)
  assert.ok(drop, name)
  const opened = await owner.openDrop(drop)
  return new Uint8Array(await new Response(opened.content).arrayBuffer())
}

describe('a guest who meets no trouble', () => {
  it('sees the limits, sends files and folders, empty ones too, and gets a checked receipt for each', async () => {
    const { url } = await owner.createLink({ caps: { maxFileCount: 5, maxFileSize: 10 * MIB } })
    const tab = await openTab(url)
    const { link } = await tab.untilOpen()
    assert.equal(link.is === 'open' && link.limits.remainingFiles, 5)
    const content = bytes(3 * MIB)
    await tab.add([
      chosen('a.bin', content),
      chosen('b.bin', content, { folder: 'trip/day 1' }),
      chosen('c.bin', bytes(0)),
    ])
    tab.send({ note: 'A note', sender: 'Ada' }, undefined)
    const { rows, totals } = await tab.until(({ checkedReceipts }) => checkedReceipts === 3)
    assert.deepEqual([totals.files, totals.landed, totals.bytes], [3, 3, totals.of])
    assert.ok(rows.every(({ receipt }) => receipt?.is === 'checked' && receipt.signed.serverId === proxy.url))
    assert.deepEqual(await contentOf('trip/day 1/b.bin'), content)
    const drops = (await owner.inbox()).filter(({ file }) => file?.note === 'A note' && file.sender === 'Ada')
    assert.equal(drops.length, 3)
  })

  it('adds the same file once', async () => {
    const tab = await openTab((await owner.createLink()).url)
    const file = chosen('same.bin', bytes(10))
    await tab.add([file, file])
    await tab.add([file])
    const { rows, remark } = tab.snapshot()
    assert.deepEqual([rows.length, remark?.about, remark?.name], [1, 'already_there', 'same.bin'])
  })
})

describe('files that a link has no room for', () => {
  it('are told with their reason before anything is sent, and the others go', async () => {
    const { url } = await owner.createLink({ caps: { maxFileCount: 2, maxFileSize: MIB, maxTotalBytes: 3 * MIB } })
    const tab = await openTab(url)
    await tab.untilOpen()
    const seen = proxy.seen.length
    await tab.add([
      chosen('large', bytes(MIB)),
      chosen('fits', bytes(1000)),
      chosen('fits too', bytes(1000)),
      chosen('one too many', bytes(1000)),
    ])
    const before = tab.snapshot()
    assert.deepEqual(
      before.rows.map(({ phase, failure }) => [phase, failure]),
      [
        ['unfit', 'too_large'],
        ['chosen', undefined],
        ['chosen', undefined],
        ['unfit', 'too_many'],
      ],
    )
    assert.equal(proxy.seen.length, seen)
    await tab.remove(rowOf(before, 'fits').id)
    assert.equal(rowOf(tab.snapshot(), 'one too many').phase, 'chosen')
    tab.send(noMessage, undefined)
    await tab.until(({ counts }) => counts.landed === 2)
  })

  it('are refused by the server too when somebody else was faster', async () => {
    const { url } = await owner.createLink({ caps: { maxFileCount: 1 } })
    const [slow, fast] = [await openTab(url), await openTab(url)]
    await Promise.all([slow.untilOpen(), fast.untilOpen()])
    await fast.add([chosen('fast', bytes(10))])
    fast.send(noMessage, undefined)
    await fast.untilAll('landed')
    await slow.add([chosen('slow', bytes(10))])
    slow.send(noMessage, undefined)
    const full = await slow.untilAll('failed')
    assert.equal(full.rows[0]?.failure, 'link_full')
  })
})

describe('a passphrase', () => {
  it('is asked for again in place when it was wrong, and nothing is sealed twice', async () => {
    const { url } = await owner.createLink({ passphrase: 'sesame' })
    const tab = await openTab(url)
    assert.equal((await tab.untilOpen()).passphrase, 'wanted')
    await tab.add([chosen('p1', bytes(10)), chosen('p2', bytes(10)), chosen('p3', bytes(10))])
    const from = proxy.seen.length
    tab.send(noMessage, 'open')
    const refused = await tab.until(({ passphrase }) => passphrase === 'refused')
    assert.equal(refused.counts.failed, 0)
    const creations = () => proxy.seen.slice(from).filter(is('POST', DROPS)).length
    // One file alone tries it: the server counts wrong ones.
    assert.equal(creations(), 1)
    tab.givePassphrase('sesame')
    await tab.untilAll('landed')
    assert.equal(creations(), 4)
  })
})

describe('an upload that was cut off', () => {
  /** Stops after the first acknowledged chunk, as a tab that is closed. */
  async function begun(url: string, file: ChosenFile, browser: ReturnType<typeof newBrowser>): Promise<void> {
    const tab = await openTab(url, browser)
    await tab.untilOpen()
    await tab.add([file])
    tab.send(noMessage, undefined)
    const { rows } = await tab.until((snapshot) => snapshot.rows.some(({ isBegun }) => isBegun))
    tab.pause(rows[0]?.id ?? '')
    await tab.untilAll('paused')
  }

  /** The browser after a crash: what was kept is there, and no tab holds anything. */
  const reopened = ({ keep }: ReturnType<typeof newBrowser>) => ({ keep, locks: createSoleLocks() })

  it('goes on after a reload when the file is chosen again, and carries no acknowledged chunk twice', async () => {
    const { url } = await owner.createLink()
    const [browser, content, from] = [newBrowser(), bytes(9 * MIB), proxy.seen.length]
    const file = chosen('resumed.bin', content)
    await begun(url, file, browser)
    const tab = await openTab(url, reopened(browser))
    const { unfinished } = await tab.untilOpen()
    assert.deepEqual([unfinished.length, unfinished[0]?.name], [1, 'resumed.bin'])
    assert.ok((unfinished[0]?.bytes ?? 0) >= MIB)
    await tab.add([file])
    await tab.untilAll('landed')
    const offsets = chunksSince(from).map(offsetOf)
    // The one that the pause cut off is the only one that may go twice.
    assert.ok(new Set(offsets).size >= offsets.length - 1)
    assert.equal(offsets.filter((offset) => offset === 0).length, 1)
    assert.deepEqual(await contentOf('resumed.bin'), content)
    assert.deepEqual(tab.snapshot().unfinished, [])
  })

  it('goes on though the link takes nothing any more: the session is asked, not the link', async () => {
    const { url } = await owner.createLink()
    const [browser, file] = [newBrowser(), chosen('late.bin', bytes(6 * MIB))]
    await begun(url, file, browser)
    proxy.tamper({ matches: is('GET', /^\/d\/[^/]+$/), answer: notFound })
    const tab = await openTab(url, reopened(browser))
    const { unfinished } = await tab.until(({ link }) => link.is === 'refused' && link.fault === 'closed')
    assert.equal(unfinished.length, 1)
    await tab.add([chosen('new.bin', bytes(10)), file])
    assert.equal(tab.snapshot().remark?.about, 'not_taken')
    const { rows } = await tab.untilAll('landed')
    assert.equal(rows.length, 1)
  })

  it('compares a file that phones have copied anew, and goes on when it is the same', async () => {
    const { url } = await owner.createLink()
    const [browser, content] = [newBrowser(), bytes(4 * MIB)]
    await begun(url, chosen('IMG_1.jpg', content, { at: 1 }), browser)
    const tab = await openTab(url, reopened(browser))
    await tab.untilOpen()
    await tab.add([chosen('IMG_1.jpg', content, { at: 2 })])
    await tab.untilAll('landed')
    assert.deepEqual(await contentOf('IMG_1.jpg'), content)
  })

  it('is refused with a file that has changed, and that one goes as a new file when asked', async () => {
    for (const change of ['content', 'size'] as const) {
      const { url } = await owner.createLink()
      const [browser, content, name] = [newBrowser(), bytes(4 * MIB), `changed ${change}`]
      await begun(url, chosen(name, content), browser)
      const other = change === 'size' ? bytes(4 * MIB + 1) : content.map((byte) => byte ^ 1)
      const tab = await openTab(url, reopened(browser))
      await tab.untilOpen()
      const from = proxy.seen.length
      await tab.add([chosen(name, other, { at: 7 })])
      const { rows } = await tab.untilAll('failed')
      assert.deepEqual([rows[0]?.failure, rows[0]?.retry], ['file_changed', 'as_new_file'])
      assert.deepEqual(chunksSince(from), [])
      await tab.retry(rows[0]?.id ?? '')
      await tab.untilAll('landed')
      assert.deepEqual(await contentOf(name), other)
    }
  })

  it('is begun anew by itself when the server has forgotten it', async () => {
    const { url } = await owner.createLink()
    const [browser, file] = [newBrowser(), chosen('forgotten.bin', bytes(4 * MIB))]
    await begun(url, file, browser)
    const [kept] = await browser.keep.uploads(`${proxy.url} ${new URL(url).pathname.split('/').at(-1)}`)
    assert.ok(kept?.state.uploadId)
    const path = `${new URL(url).pathname.replace('/u/', '/d/')}/${kept.state.uploadId}`
    assert.equal((await fetch(`${proxy.url}${path}`, { method: 'DELETE' })).status, 204)
    const tab = await openTab(url, reopened(browser))
    await tab.untilOpen()
    await tab.add([file])
    await tab.untilAll('landed')
  })

  it('is worked at by one tab, and the other says so and goes on when that one is gone', async () => {
    const { url } = await owner.createLink()
    const [browser, file, locks] = [newBrowser(), chosen('two tabs.bin', bytes(4 * MIB)), createSoleLocks()]
    const held: (() => void)[] = []
    const take = async (id: string) => {
      const giveBack = await locks.take(id)
      if (giveBack !== undefined) held.push(giveBack)
      return giveBack
    }
    await begun(url, file, { ...browser, locks: { ...locks, take } })
    const other = await openTab(url, { ...browser, locks })
    const { unfinished } = await other.untilOpen()
    assert.equal(unfinished[0]?.isInOtherTab, true)
    await other.add([file])
    const { rows } = await other.untilAll('failed')
    assert.equal(rows[0]?.failure, 'other_tab')
    for (const giveBack of held) giveBack()
    await other.untilAll('landed')
  })

  it('gives its place in the link back when it is given up', async () => {
    const { url, opaqueId } = await owner.createLink({ caps: { maxFileCount: 1 } })
    const browser = newBrowser()
    await begun(url, chosen('given up.bin', bytes(4 * MIB)), browser)
    const tab = await openTab(url, reopened(browser))
    const { unfinished } = await tab.untilOpen()
    await tab.discard(unfinished[0]?.id ?? '')
    assert.deepEqual(tab.snapshot().unfinished, [])
    const link = (await owner.listLinks()).find((one) => one.opaqueId === opaqueId)
    assert.equal(link?.openSessions, 0)
  })
})

const notFound = () => ({
  status: 404,
  headers: { 'content-type': 'application/problem+json' },
  body: Buffer.from(JSON.stringify({ status: 404, code: 'error.drop.link_not_found', title: '' })),
})

describe('a line that is down', () => {
  it('is waited out, however long, and a word that it is back ends the wait', async () => {
    const { url } = await owner.createLink()
    const tab = await openTab(url)
    await tab.untilOpen()
    await tab.add([chosen('patient.bin', bytes(10))])
    proxy.tamper({ matches: is('POST', DROPS), lose: 'request' })
    tab.send(noMessage, undefined)
    await tab.until(({ totals }) => totals.isRetrying)
    proxy.tamper()
    tab.wake()
    await tab.untilAll('landed')
  })

  it('keeps the link asked about until it answers', async () => {
    const { url } = await owner.createLink()
    proxy.tamper({ matches: is('GET', DROPS), lose: 'request' })
    const tab = await openTab(url)
    await tab.until(({ link }) => link.is === 'refused' && link.fault === 'unreachable' && link.isRetrying)
    await tab.add([chosen('meanwhile.bin', bytes(10))])
    tab.send(noMessage, undefined)
    proxy.tamper()
    tab.wake()
    await tab.untilAll('landed')
  })
})

describe('a link that dies while files are sent', () => {
  it('leaves what landed, and tells of the rest', async () => {
    const { url, opaqueId } = await owner.createLink()
    const tab = await openTab(url)
    await tab.untilOpen()
    await tab.add([chosen('before.bin', bytes(10))])
    tab.send(noMessage, undefined)
    await tab.untilAll('landed')
    await tab.add([chosen('after.bin', bytes(10))])
    await owner.revokeLink(opaqueId)
    tab.send(noMessage, undefined)
    const { rows, counts } = await tab.until(({ link, counts }) => link.is === 'refused' && counts.failed === 1)
    assert.deepEqual([counts.landed, rows[1]?.failure], [1, 'link_closed'])
  })
})

describe('a server that lies', () => {
  it('is caught with another key, and gets nothing', async () => {
    const [{ url }, other] = [await owner.createLink(), await owner.createLink()]
    const answer = await (await fetch(`${proxy.url}${new URL(other.url).pathname.replace('/u/', '/d/')}`)).json()
    proxy.tamper({
      matches: is('GET', DROPS),
      answer: lie((body) => Object.assign(body, { drop_pubkey: answer.drop_pubkey })),
    })
    const from = proxy.seen.length
    const tab = await openTab(url)
    await tab.add([chosen('secret.bin', bytes(10))])
    tab.send(noMessage, undefined)
    const { rows } = await tab.until(({ link }) => link.is === 'refused' && link.fault === 'key_swapped')
    assert.ok(rows.every(({ failure }) => failure === 'key_swapped'))
    assert.deepEqual(
      proxy.seen.slice(from).filter(({ method }) => method !== 'GET'),
      [],
    )
  })

  it('is caught with a receipt that does not hold', async () => {
    const { url } = await owner.createLink()
    proxy.tamper({
      matches: is('GET', /\/receipt$/),
      answer: lie((body) => Object.assign(body, { size: 1 })),
    })
    const tab = await openTab(url)
    await tab.untilOpen()
    await tab.add([chosen('doubtful.bin', bytes(10))])
    tab.send(noMessage, undefined)
    const { rows } = await tab.until(({ alarms }) => alarms === 1)
    assert.deepEqual(rows[0]?.receipt, { is: 'alarm', reason: 'reading_differs' })
  })
})

describe('what landed', () => {
  it('is there after a reload, with its receipt, until it is forgotten, and is not sent twice', async () => {
    const { url } = await owner.createLink()
    const [browser, file] = [newBrowser(), chosen('landed.bin', bytes(10))]
    const tab = await openTab(url, browser)
    await tab.untilOpen()
    await tab.add([file])
    tab.send(noMessage, undefined)
    await tab.until(({ checkedReceipts }) => checkedReceipts === 1)
    const later = await openTab(url, { keep: browser.keep, locks: createSoleLocks() })
    const { rows, totals } = later.snapshot()
    assert.deepEqual([rows[0]?.name, rows[0]?.receipt?.is, totals.files], ['landed.bin', 'checked', 0])
    await later.add([file])
    assert.equal(later.snapshot().remark?.about, 'already_landed')
    const kept = JSON.stringify(await browser.keep.landed(`${proxy.url} ${new URL(url).pathname.split('/').at(-1)}`))
    assert.doesNotMatch(kept, /"key"|"passphraseProof"|"tags"/)
    await later.forgetLanded()
    assert.deepEqual(later.snapshot().rows, [])
  })

  it('has receipts that a checker without our code finds good, with the keys beside them', async () => {
    const { url } = await owner.createLink()
    const tab = await openTab(url)
    await tab.untilOpen()
    await tab.add([chosen('../x.bin', bytes(10)), chosen('y.bin', bytes(20))])
    tab.send(noMessage, undefined)
    const { rows } = await tab.until(({ checkedReceipts }) => checkedReceipts === 2)
    const one = await tab.receiptDocument(rows[0]?.id)
    assert.equal(one?.name, 'blindkeep-receipt-_x.bin.json')
    const all = await tab.receiptDocument()
    assert.equal(all?.json.trim().split('\n').length, 2)
    for (const document of [one, all]) {
      const checker = await openChecker({
        keys: JSON.parse(one?.json ?? ''),
        pins: undefined,
        whole: false,
        log: false,
      })
      for await (const item of readItems(Readable.from([document?.json ?? '']))) checker.take(item)
      const report = await checker.finish()
      assert.deepEqual([report.fault_count, report.receipts], [0, document === one ? 1 : 2])
    }
  })
})
