/** The guest page's engine against a real server. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import type { Environment } from '@blindkeep/client/environment'
import { cancelSend, send } from '@blindkeep/client/guest'
import { sourceOfBytes } from '@blindkeep/client/source'
import { utf8 } from '@blindkeep/protocol/bytes'
import { openChecker } from '../../../../../conformance/checker/check.ts'
import { readItems } from '../../../../../conformance/checker/input.ts'
import { endingSoon } from '../../../../../testing/endingSoon.ts'
import { changeBody, isRequest } from '../../../../../testing/maliciousServer.ts'
import type { Exchanged } from '../../../../../testing/tamperingProxy.ts'
import { until } from '../../../../../testing/until.ts'
import {
  begun,
  bytes,
  chosen,
  DROPS,
  environment,
  MIB,
  newBrowser,
  noMessage,
  notFound,
  offsetOf,
  openTab,
  reopened,
  rowOf,
  useGuestWorld,
} from '../../testing/guestTabs.ts'
import { earlierOf } from '../ground/standing.ts'
import type { LandedFile } from './store/guestStore.ts'
import { createSoleLocks } from './store/tabLocks.ts'

const world = useGuestWorld()

/** Never ends before it is woken. */
const endless: Environment['wait'] = (_, signal) => environment.wait(3_600_000, signal)

describe('sending without faults', () => {
  it('shows the limits, sends files and folders, empty ones too, and checks a receipt for each', async () => {
    const { url } = await world.owner.createLink({ caps: { maxFileCount: 5, maxFileSize: 10 * MIB } })
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
    assert.deepEqual([totals.files, totals.landed, totals.doneBytes], [3, 3, totals.totalBytes])
    assert.ok(rows.every(({ receipt }) => receipt?.is === 'checked' && receipt.signed.serverId === world.proxy.url))
    assert.deepEqual(await world.contentOf('trip/day 1/b.bin'), content)
    const drops = (await world.owner.inbox()).filter(({ file }) => file?.note === 'A note' && file.sender === 'Ada')
    assert.equal(drops.length, 3)
    const [first, ...others] = drops.map(({ file }) => file?.batch)
    assert.match(first?.id ?? '', /^[0-9a-f]{32}$/)
    assert.ok(others.every((batch) => batch?.id === first?.id && batch?.count === 3))
    assert.deepEqual(drops.map(({ file }) => file?.batch?.index).toSorted(), [0, 1, 2])

    await tab.add([chosen('d.bin', content)])
    tab.send({ note: 'A note', sender: 'Ada' }, undefined)
    await tab.until(({ checkedReceipts }) => checkedReceipts === 4)
    const next = (await world.owner.inbox()).find(({ file }) => file?.name === 'd.bin')?.file?.batch
    assert.deepEqual([next?.index, next?.count], [0, 1])
    assert.notEqual(next?.id, first?.id)
  })

  it('sends nothing before what the owner asks is answered, nor a file of another kind, also from before the link was open', async () => {
    const questions = [{ label: 'Matter', kind: 'text', required: true, most: undefined }] as const
    const { url, opaqueId } = await world.owner.createLink({ questions, fileKinds: ['pdf'] })
    const tab = await openTab(url)
    await tab.add([chosen('a.pdf', utf8('%PDF-1.7')), chosen('b.pdf', bytes(10)), chosen('c.txt', bytes(10))])
    tab.send(noMessage, undefined)
    const { counts } = await tab.untilOpen()
    assert.deepEqual([counts.chosen, counts.unfit, counts.waiting], [2, 1, 0])
    const answers = [['Matter', '2026/17']] as const
    tab.send({ ...noMessage, answers }, undefined)
    const { rows } = await tab.until(({ checkedReceipts, counts: now }) => checkedReceipts === 1 && now.unfit === 2)
    assert.deepEqual(
      rows.map(({ failure }) => failure),
      [undefined, 'wrong_content', 'wrong_kind'],
    )
    const drops = (await world.owner.inbox()).filter((drop) => drop.opaqueId === opaqueId)
    assert.deepEqual(
      drops.map(({ file }) => [file?.name, file?.fields]),
      [['a.pdf', answers]],
    )
  })

  it('sends a file from after the year 9999 without its date', async () => {
    const tab = await openTab((await world.owner.createLink()).url)
    await tab.untilOpen()
    await tab.add([chosen('future.bin', bytes(10), { at: Date.UTC(12_000, 0) })])
    tab.send(noMessage, undefined)
    await tab.untilAll('landed')
  })

  it('adds the same file only once', async () => {
    const tab = await openTab((await world.owner.createLink()).url)
    const file = chosen('same.bin', bytes(10))
    await tab.add([file, file])
    await tab.add([file])
    const { rows, remarks } = tab.snapshot()
    assert.deepEqual([rows.length, remarks[0]?.about, remarks[0]?.name], [1, 'already_there', 'same.bin'])
  })
})

describe('files that do not fit into the link', () => {
  it('are shown with the reason before anything is sent, and the first ones by path are sent', async () => {
    const { url } = await world.owner.createLink({
      caps: { maxFileCount: 2, maxFileSize: MIB, maxTotalBytes: 3 * MIB },
    })
    const tab = await openTab(url)
    await tab.untilOpen()
    const from = world.proxy.seen.length
    await tab.add([
      chosen('0.jpg', bytes(MIB), { folder: 'trip' }),
      chosen('10.jpg', bytes(1000), { folder: 'trip' }),
      chosen('9.jpg', bytes(1000), { folder: 'trip' }),
      chosen('1.jpg', bytes(MIB), { folder: 'trip' }),
      chosen('2.jpg', bytes(1000), { folder: 'trip' }),
    ])
    const before = tab.snapshot()
    assert.deepEqual(
      before.rows.map(({ name, phase, failure }) => [name, phase, failure]),
      [
        ['0.jpg', 'unfit', 'too_large'],
        ['1.jpg', 'unfit', 'too_large'],
        ['2.jpg', 'chosen', undefined],
        ['9.jpg', 'chosen', undefined],
        ['10.jpg', 'unfit', 'too_many'],
      ],
    )
    const { ownerHears } = await tab.until((now) => now.ownerHears.length === 2)
    assert.deepEqual(ownerHears.toSorted(), ['too_large', 'too_many'])
    const sent = world.proxy.seen.slice(from).filter(isRequest('POST', DROPS))
    // The reasons are all that leaves, each once.
    assert.deepEqual(sent.map(({ path, headers }) => [path.split('/').at(-1), headers['content-length']]).toSorted(), [
      ['refusals', String('{"why":"too_many"}'.length)],
      ['refusals', String('{"why":"too_large"}'.length)],
    ])
    await tab.askAgain()
    await tab.add([chosen('3.jpg', bytes(MIB), { folder: 'trip' })])
    await tab.remove(rowOf(before, '2.jpg').id)
    assert.equal(rowOf(tab.snapshot(), '10.jpg').phase, 'chosen')
    tab.send(noMessage, undefined)
    await tab.until(({ counts }) => counts.landed === 2)
    const heard = world.proxy.seen.slice(from).filter(isRequest('POST', /refusals$/))
    assert.equal(heard.length, 2, 'once a visit, also after the link was opened again')
  })

  it('are heard of by the owner also when it is the message that makes one too large', async () => {
    const { url } = await world.owner.createLink({ caps: { maxFileSize: 10_000 } })
    const tab = await openTab(url)
    const { link } = await tab.untilOpen()
    assert.ok(link.is === 'open')
    await tab.add([chosen('just fits', bytes(link.limits.fileBytesMax ?? 0))])
    tab.send({ ...noMessage, note: 'long '.repeat(1_000) }, undefined)
    await tab.untilAll('failed')
    const { rows, ownerHears } = await tab.until((now) => now.ownerHears.length > 0)
    assert.deepEqual([rows[0]?.failure, ownerHears], ['too_large', ['too_large']])
  })

  it('are heard of by the owner when a guest meets a full link, but not when the guest has filled it', async () => {
    const { url } = await world.owner.createLink({ caps: { maxFileCount: 1 } })
    const browser = newBrowser()
    const first = await openTab(url, browser)
    await first.untilOpen()
    await first.add([chosen('the only one', bytes(10))])
    first.send(noMessage, undefined)
    await first.until(({ checkedReceipts }) => checkedReceipts === 1)
    const from = world.proxy.seen.length
    const again = await openTab(url, reopened(browser))
    await again.untilOpen()
    const other = await openTab(url)
    await other.until(({ ownerHears }) => ownerHears.includes('too_many'))
    assert.equal(world.proxy.seen.slice(from).filter(isRequest('POST', DROPS)).length, 1)
  })

  it('are no trouble for the guest at a server that does not know the request for it', async () => {
    const { url } = await world.owner.createLink({ caps: { maxFileSize: 10_000 } })
    const tab = await openTab(url)
    await tab.untilOpen()
    const from = world.proxy.seen.length
    const asked = () => world.proxy.seen.slice(from).filter(isRequest('POST', DROPS)).length
    world.proxy.tamper({ matches: isRequest('POST', DROPS), instead: 405 })
    await tab.add([chosen('large', bytes(20_000)), chosen('small', bytes(10))])
    await until(() => asked() === 1, 'the page has asked')
    world.proxy.tamper()
    tab.send(noMessage, undefined)
    await tab.until(({ checkedReceipts }) => checkedReceipts === 1)
    const { rows, ownerHears } = tab.snapshot()
    assert.deepEqual([rows.map(({ failure }) => failure), ownerHears], [['too_large', undefined], []])
  })

  it('are all but one when the link takes one file, and another choice replaces that one', async () => {
    const tab = await openTab((await world.owner.createLink({ singleUse: true })).url)
    await tab.untilOpen()
    const failures = () => tab.snapshot().rows.map(({ name, failure }) => [name, failure])
    await tab.add([chosen('first', bytes(10)), chosen('second', bytes(10))])
    assert.deepEqual(failures(), [
      ['first', undefined],
      ['second', 'only_one'],
    ])
    await tab.add([chosen('third', bytes(10))])
    assert.deepEqual(failures(), [['third', undefined]])
    tab.send(noMessage, undefined)
    await tab.untilAll('landed')
    assert.equal(tab.snapshot().isFilled, true)
    await tab.add([chosen('fourth', bytes(10))])
    assert.equal(rowOf(tab.snapshot(), 'fourth').failure, 'only_one')
  })

  it('are refused by the server when another guest was faster', async () => {
    const { url } = await world.owner.createLink({ caps: { maxFileCount: 1 } })
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
  it('is asked for again when it was wrong, and no file is sealed twice', async () => {
    const { url } = await world.owner.createLink({ passphrase: 'sesame' })
    const tab = await openTab(url)
    assert.equal((await tab.untilOpen()).passphrase, 'wanted')
    await tab.add([chosen('p1', bytes(10)), chosen('p2', bytes(10)), chosen('p3', bytes(10))])
    const from = world.proxy.seen.length
    tab.send(noMessage, 'open')
    const refused = await tab.until(({ passphrase }) => passphrase === 'refused')
    assert.equal(refused.counts.failed, 0)
    const creations = () => world.proxy.seen.slice(from).filter(isRequest('POST', DROPS)).length
    // Only one file tries it, because the server counts wrong passphrases.
    assert.equal(creations(), 1)
    tab.givePassphrase('sesame')
    await tab.untilAll('landed')
    assert.equal(creations(), 4)
  })
})

describe('an interrupted upload', () => {
  it('resumes after a reload when the file is chosen again, and sends no acknowledged chunk twice', async () => {
    const { url } = await world.owner.createLink()
    const [browser, content, from] = [newBrowser(), bytes(9 * MIB), world.proxy.seen.length]
    const file = chosen('resumed.bin', content)
    await begun(url, file, browser)
    const tab = await openTab(url, reopened(browser))
    const { unfinished } = await tab.untilOpen()
    assert.deepEqual([unfinished.length, unfinished[0]?.name], [1, 'resumed.bin'])
    assert.ok((unfinished[0]?.doneBytes ?? 0) >= MIB)
    await tab.add([file])
    await tab.untilAll('landed')
    const offsets = world.chunksSince(from).map(offsetOf)
    // Only the chunk that the pause interrupted may be sent twice.
    assert.ok(new Set(offsets).size >= offsets.length - 1)
    assert.equal(offsets.filter((offset) => offset === 0).length, 1)
    assert.deepEqual(await world.contentOf('resumed.bin'), content)
    assert.deepEqual(await browser.store.uploads(world.linkIdOf(url)), [])
  })

  it('takes what is sent with it after a reload into its go, with the message of the go', async () => {
    const { url, opaqueId } = await world.owner.createLink()
    const browser = newBrowser()
    const files = ['one.bin', 'two.bin', 'three.bin'].map((name) => chosen(name, bytes(4 * MIB)))
    const before = await openTab(url, browser)
    await before.untilOpen()
    await before.add(files)
    before.send({ note: 'all three', sender: 'Ada' }, undefined)
    await before.until(({ rows }) => rows.some(({ isBegun }) => isBegun))
    before.pauseAll()
    await before.untilAll('paused')
    // As if the page had been closed before the last file was sealed.
    for (const { id, name } of await browser.store.uploads(world.linkIdOf(url)))
      if (name === 'three.bin') await browser.store.removeUpload(id)

    const tab = await openTab(url, reopened(browser))
    await tab.untilOpen()
    await tab.add(files)
    assert.deepEqual(tab.snapshot().message, { note: 'all three', sender: 'Ada' })
    tab.send(tab.snapshot().message, undefined)
    await tab.untilAll('landed')
    const sent = (await world.owner.inbox()).filter((drop) => drop.opaqueId === opaqueId)
    assert.equal(sent.length, 3)
    assert.equal(new Set(sent.map(({ file }) => file?.batch?.id)).size, 1)
    assert.ok(sent.every(({ file }) => file?.note === 'all three' && file.sender === 'Ada' && file.batch?.count === 3))
  })

  it('resumes when the link is closed, because only the session is asked', async () => {
    const { url } = await world.owner.createLink()
    const [browser, file] = [newBrowser(), chosen('late.bin', bytes(6 * MIB))]
    await begun(url, file, browser)
    world.proxy.tamper({ matches: isRequest('GET', /^\/d\/[^/]+$/), answer: notFound })
    const tab = await openTab(url, reopened(browser))
    const { unfinished } = await tab.until(({ link }) => link.is === 'refused' && link.fault === 'closed')
    assert.equal(unfinished.length, 1)
    await tab.add([chosen('new.bin', bytes(10)), file])
    assert.equal(tab.snapshot().remarks[0]?.about, 'not_taken')
    const { rows } = await tab.untilAll('landed')
    assert.equal(rows.length, 1)
  })

  it('resumes with a new copy of the file, as phones make one, when its bytes are the same', async () => {
    const { url } = await world.owner.createLink()
    const [browser, content] = [newBrowser(), bytes(4 * MIB)]
    await begun(url, chosen('IMG_1.jpg', content, { at: 1 }), browser)
    const tab = await openTab(url, reopened(browser))
    await tab.untilOpen()
    await tab.add([chosen('IMG_1.jpg', content, { at: 2 })])
    await tab.untilAll('landed')
    assert.deepEqual(await world.contentOf('IMG_1.jpg'), content)
  })

  it('does not resume with a changed file, and sends it as a new file when asked', async () => {
    for (const change of ['content', 'size'] as const) {
      const { url } = await world.owner.createLink()
      const [browser, content, name] = [newBrowser(), bytes(4 * MIB), `changed ${change}`]
      await begun(url, chosen(name, content), browser)
      const other = change === 'size' ? bytes(4 * MIB + 1) : content.map((byte) => byte ^ 1)
      const tab = await openTab(url, reopened(browser))
      await tab.untilOpen()
      const from = world.proxy.seen.length
      await tab.add([chosen(name, other, { at: 7 })])
      const { rows } = await tab.untilAll('failed')
      assert.deepEqual([rows[0]?.failure, rows[0]?.retry], ['file_changed', 'as_new_file'])
      assert.deepEqual(world.chunksSince(from), [])
      await tab.retry(rows[0]?.id ?? '')
      await tab.untilAll('landed')
      assert.deepEqual(await world.contentOf(name), other)
    }
  })

  it('restarts by itself when the server has deleted its session', async () => {
    const { url } = await world.owner.createLink()
    const [browser, file] = [newBrowser(), chosen('forgotten.bin', bytes(4 * MIB))]
    await begun(url, file, browser)
    const [kept] = await browser.store.uploads(world.linkIdOf(url))
    assert.ok(kept?.state.uploadId)
    const path = `${new URL(url).pathname.replace('/u/', '/d/')}/${kept.state.uploadId}`
    assert.equal((await fetch(`${world.proxy.url}${path}`, { method: 'DELETE' })).status, 204)
    const tab = await openTab(url, reopened(browser))
    await tab.untilOpen()
    await tab.add([file])
    await tab.untilAll('landed')
  })

  it('is shown as landed with its receipt when it landed while the page was closed, without the file', async () => {
    const { url } = await world.owner.createLink()
    const [browser, content] = [newBrowser(), bytes(4 * MIB)]
    await begun(url, chosen('away.bin', content), browser)
    const [kept] = await browser.store.uploads(world.linkIdOf(url))
    assert.ok(kept?.state.uploadId)
    await send({ state: kept.state, source: sourceOfBytes(content), environment })
    const from = world.proxy.seen.length
    const tab = await openTab(url, reopened(browser))
    const { rows, unfinished, totals } = await tab.until(({ checkedReceipts }) => checkedReceipts === 1)
    const [row] = rows
    assert.deepEqual([row?.name, row?.phase, row?.receipt?.is, unfinished], ['away.bin', 'landed', 'checked', []])
    assert.equal(row?.receipt?.is === 'checked' && row.receipt.signed.receivedAt, row?.landedAt)
    // Nothing was sent in this visit.
    assert.deepEqual([totals.files, world.chunksSince(from)], [0, []])
    assert.deepEqual(await browser.store.uploads(world.linkIdOf(url)), [])
    const later = await openTab(url, reopened(browser))
    assert.deepEqual([later.snapshot().rows[0]?.receipt?.is, later.snapshot().unfinished], ['checked', []])
  })

  it('shows the progress that the server reports, and the stored one when the server does not answer', async () => {
    const { url } = await world.owner.createLink()
    const browser = newBrowser()
    await begun(url, chosen('how far.bin', bytes(4 * MIB)), browser)
    const [kept] = await browser.store.uploads(world.linkIdOf(url))
    assert.ok(kept)
    await browser.store.putSentBytes(kept.id, 7)
    world.proxy.tamper({ matches: isRequest('HEAD', DROPS), lose: 'request' })
    const from = world.proxy.seen.length
    const offline = await openTab(url, reopened(browser))
    await offline.until(() => world.proxy.seen.slice(from).some(isRequest('HEAD', DROPS)))
    assert.equal(offline.snapshot().unfinished[0]?.doneBytes, 7)
    world.proxy.tamper()
    const tab = await openTab(url, reopened(browser))
    const { unfinished } = await tab.until((snapshot) => (snapshot.unfinished[0]?.doneBytes ?? 0) >= MIB)
    assert.equal(unfinished[0]?.standing, 'kept')
  })

  it('is shown as lost when the server has nothing of it, and restarts when the file is chosen again', async () => {
    const { url } = await world.owner.createLink()
    const [browser, file] = [newBrowser(), chosen('lost.bin', bytes(4 * MIB))]
    await begun(url, file, browser)
    const [kept] = await browser.store.uploads(world.linkIdOf(url))
    assert.ok(kept)
    await cancelSend(kept.state, environment)
    const tab = await openTab(url, reopened(browser))
    const { unfinished } = await tab.until((snapshot) => snapshot.unfinished[0]?.standing === 'deleted')
    assert.equal(unfinished[0]?.doneBytes, 0)
    await tab.untilOpen()
    await tab.add([file])
    await tab.untilAll('landed')
  })

  it('counts in both of two tabs that send one each in turn, in neither as one of an earlier visit', async () => {
    const { url } = await world.owner.createLink()
    const { store, locks } = newBrowser()
    const tellTabs: (() => void)[] = []
    const onOtherTab = (listener: () => void) => void tellTabs.push(listener)
    const land = (file: LandedFile) => store.land(file).then(() => tellTabs.forEach((tell) => void tell()))
    const browser = { store: { ...store, onOtherTab, land }, locks }
    const tabs = [await openTab(url, browser), await openTab(url, browser)] as const
    for (const [at, tab] of tabs.entries()) {
      await tab.untilOpen()
      await tab.add([chosen(`turn ${at}`, bytes(10))])
      tab.send(noMessage, undefined)
      await Promise.all(tabs.map((each) => each.until(({ counts }) => counts.landed === at + 1)))
    }
    for (const tab of tabs) assert.deepEqual([earlierOf(tab.snapshot()), tab.snapshot().totals.files], [0, 2])
  })

  it('is sent by one tab; another tab says so, and resumes it when the first has closed', async () => {
    const { url } = await world.owner.createLink()
    const [browser, file, locks] = [newBrowser(), chosen('two tabs.bin', bytes(4 * MIB)), createSoleLocks()]
    const releases: (() => void)[] = []
    const lock = async (id: string) => {
      const release = await locks.lock(id)
      if (release !== undefined) releases.push(release)
      return release
    }
    await begun(url, file, { ...browser, locks: { ...locks, lock } })
    const other = await openTab(url, { ...browser, locks })
    const { unfinished } = await other.untilOpen()
    assert.equal(unfinished[0]?.isInOtherTab, true)
    await other.add([file])
    const { rows } = await other.untilAll('failed')
    assert.equal(rows[0]?.failure, 'other_tab')
    for (const release of releases) release()
    await other.untilAll('landed')
  })

  it('is shown by no link but its own: not by one that was cut, nor by one with another key', async () => {
    const { url } = await world.owner.createLink({ title: 'Photos' })
    const [browser, key, place] = [newBrowser(), url.indexOf('#') + 1, url.indexOf('#') + 6]
    const file = chosen('of the whole link.bin', bytes(4 * MIB))
    await begun(url, file, browser)
    const mistyped = `${url.slice(0, place)}${url[place] === 'A' ? 'B' : 'A'}${url.slice(place + 1)}`
    for (const other of [url.slice(0, key - 1), url.slice(0, -3), mistyped]) {
      const tab = await openTab(other, reopened(browser))
      await tab.add([chosen('new.bin', bytes(10))])
      const { link, unfinished, rows } = await tab.until((now) => now.link.is === 'refused')
      assert.deepEqual(unfinished, [], JSON.stringify(link))
      assert.ok(rows.every(({ failure }) => failure === 'link_faulty'))
    }
    const { unfinished } = await (await openTab(url, reopened(browser))).untilOpen()
    assert.deepEqual(
      unfinished.map(({ name }) => name),
      ['of the whole link.bin'],
    )
  })

  it('no longer counts for the link when it is discarded', async () => {
    const { url, opaqueId } = await world.owner.createLink({ caps: { maxFileCount: 1 } })
    const browser = newBrowser()
    await begun(url, chosen('given up.bin', bytes(4 * MIB)), browser)
    const tab = await openTab(url, reopened(browser))
    const { unfinished } = await tab.untilOpen()
    await tab.discard(unfinished[0]?.id ?? '')
    assert.deepEqual(tab.snapshot().unfinished, [])
    const link = (await world.owner.listLinks()).find((one) => one.opaqueId === opaqueId)
    assert.equal(link?.openSessions, 0)
  })
})

describe('a link whose time is up', () => {
  it('takes no new file in a page that comes back, and lets one continue that is begun', async () => {
    const expiresAt = new Date(Date.now() + 1500).toISOString()
    const { url, opaqueId } = await world.owner.createLink()
    const endsNow = changeBody((body) => Object.assign(body, { expires_at: expiresAt }))
    world.proxy.tamper({ matches: isRequest('GET', /^\/d\/[^/]+$/), answer: endsNow })
    const tab = await openTab(url, newBrowser(), endless)
    await tab.untilOpen()
    await tab.add([chosen('begun.bin', bytes(4 * MIB))])
    tab.send(noMessage, undefined)
    await tab.until(({ rows }) => rows[0]?.isBegun === true)
    tab.pauseAll()
    await tab.add([chosen('late.bin', bytes(10))])
    await endingSoon((endsAt) => world.owner.changeLink(opaqueId, { expiresAt: endsAt }))
    assert.equal(tab.snapshot().link.is, 'open')
    await until(async () => {
      tab.wake()
      return tab.snapshot().link.is === 'refused'
    }, 'the page asks again')
    const { link, rows } = tab.snapshot()
    assert.deepEqual(link, { is: 'refused', fault: 'closed', isRetrying: false, expiredAt: expiresAt })
    assert.deepEqual(
      rows.map(({ phase, failure }) => [phase, failure]),
      [
        ['paused', undefined],
        ['failed', 'link_closed'],
      ],
    )
    tab.resumeAll()
    await tab.until(({ counts }) => counts.landed === 1)
  })
})

describe('a lost connection', () => {
  it('does not stop an upload for good, even after the last try of the client', async () => {
    const { url } = await world.owner.createLink()
    const tab = await openTab(url, newBrowser(), (ms, signal) => environment.wait(ms / 1000, signal))
    await tab.untilOpen()
    await tab.add([chosen('stubborn.bin', bytes(10))])
    world.proxy.tamper({ matches: isRequest('POST', DROPS), lose: 'request' })
    tab.send(noMessage, undefined)
    await tab.until(({ rows }) => rows[0]?.phase === 'waiting' && rows[0].failure === 'no_connection')
    world.proxy.tamper()
    await tab.untilAll('landed')
  })

  it('takes nothing from the progress, not even while another try has not reached the server', async () => {
    const { url } = await world.owner.createLink()
    const tab = await openTab(url, newBrowser(), endless)
    await tab.untilOpen()
    await tab.add([chosen('steady.bin', bytes(4 * MIB))])
    const isLater = (exchange: Exchanged) => isRequest('PATCH', DROPS)(exchange) && offsetOf(exchange) > 0
    world.proxy.tamper({ matches: isLater, lose: 'request' })
    tab.send(noMessage, undefined)
    const { totals } = await tab.until((snapshot) => snapshot.totals.trouble !== undefined)
    assert.ok(totals.doneBytes >= MIB)
    tab.pauseAll()
    await tab.untilAll('paused')
    world.proxy.tamper({ matches: isRequest('HEAD', DROPS), lose: 'request' })
    tab.resumeAll()
    const offline = await tab.until((snapshot) => snapshot.totals.trouble !== undefined)
    assert.deepEqual([offline.totals.doneBytes, offline.rows[0]?.isBegun], [totals.doneBytes, true])
    world.proxy.tamper()
    tab.wake()
    await tab.untilAll('landed')
  })

  it('is retried at once when the page is woken', async () => {
    const { url } = await world.owner.createLink()
    const tab = await openTab(url, newBrowser(), endless)
    await tab.untilOpen()
    await tab.add([chosen('patient.bin', bytes(10))])
    world.proxy.tamper({ matches: isRequest('POST', DROPS), lose: 'request' })
    tab.send(noMessage, undefined)
    await tab.until(({ totals }) => totals.trouble?.reason === 'no_connection')
    world.proxy.tamper()
    tab.wake()
    await tab.untilAll('landed')
  })

  it('makes the page ask about the link until the server answers', async () => {
    const { url } = await world.owner.createLink()
    world.proxy.tamper({ matches: isRequest('GET', DROPS), lose: 'request' })
    const tab = await openTab(url, newBrowser(), endless)
    await tab.until(({ link }) => link.is === 'refused' && link.fault === 'unreachable' && link.isRetrying)
    await tab.add([chosen('meanwhile.bin', bytes(10))])
    tab.send(noMessage, undefined)
    world.proxy.tamper()
    tab.wake()
    await tab.untilAll('landed')
  })
})

describe('a landed file', () => {
  it('is shown after a reload, with its receipt, until the guest removes it, and is not sent twice', async () => {
    const { url } = await world.owner.createLink()
    const [browser, file] = [newBrowser(), chosen('landed.bin', bytes(10), { folder: 'trip/day 1' })]
    const tab = await openTab(url, browser)
    await tab.untilOpen()
    await tab.add([file])
    tab.send(noMessage, undefined)
    await tab.until(({ checkedReceipts }) => checkedReceipts === 1)
    const later = await openTab(url, { store: browser.store, locks: createSoleLocks() })
    const { rows, totals } = later.snapshot()
    assert.deepEqual([rows[0]?.name, rows[0]?.receipt?.is, totals.files], ['landed.bin', 'checked', 0])
    // By itself, in one of its folders, or with more of them.
    for (const folder of [file.folder, '', 'day 1', 'all/trip/day 1'])
      for (const one of [tab, later]) {
        await one.add([{ ...file, folder }])
        const { remarks, counts } = one.snapshot()
        assert.deepEqual([remarks[0]?.about, counts.chosen], ['already_landed', 0], folder)
      }
    await tab.add([{ ...file, folder: 'day 2' }])
    assert.equal(tab.snapshot().counts.chosen, 1)
    await tab.add(['of Ada/trip/day 1', 'of Bob/trip/day 1'].map((folder) => ({ ...file, folder })))
    assert.equal(tab.snapshot().counts.chosen, 3, 'at most one of them can be the landed one')
    const kept = JSON.stringify(await browser.store.landed(world.linkIdOf(url)))
    assert.doesNotMatch(kept, /"key"|"passphraseProof"|"tags"/)
    await later.forgetLanded()
    assert.deepEqual(later.snapshot().rows, [])
  })

  it('has a receipt that the independent checker accepts, with the keys beside it', async () => {
    const { url } = await world.owner.createLink()
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
