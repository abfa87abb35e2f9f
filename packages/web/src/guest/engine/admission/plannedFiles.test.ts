/** Files that the guest has asked to send and that were not begun when the tab closed. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isRequest } from '../../../../../../testing/maliciousServer.ts'
import { filePath } from '../../../common/names/filePath.ts'
import {
  bytes,
  chosen,
  DROPS,
  newBrowser,
  noMessage,
  openTab,
  reopened,
  useGuestWorld,
} from '../../../testing/guestTabs.ts'
import { canContinue } from '../../ground/standing.ts'

const world = useGuestWorld()

describe('files that were to be sent and not begun', () => {
  const pathsOf = (files: readonly { readonly folder: string; readonly name: string }[]) =>
    files.map(filePath).toSorted()

  it('are asked for after a reload, by their path, and keep their place in the go; what has arrived is not sent twice', async () => {
    const { url, opaqueId } = await world.owner.createLink()
    const [browser, linkId] = [newBrowser(), world.linkIdOf(url)]
    const [arrived, ...others] = [...'abcdefghij'].map((name) => chosen(name, bytes(10), { folder: 'trip/day 1' }))
    assert.ok(arrived)
    const before = await openTab(url, browser)
    await before.untilOpen()
    await before.add([arrived])
    before.send(noMessage, undefined)
    await before.until(({ checkedReceipts }) => checkedReceipts === 1)
    world.proxy.tamper({ matches: isRequest('POST', DROPS), lose: 'request' })
    await before.add(others)
    before.send({ note: 'the others', sender: '' }, undefined)
    await before.until(({ totals }) => totals.trouble !== undefined)
    before.pauseAll()
    await before.until(({ counts }) => counts.paused === others.length)
    const missing = await browser.store.planned(linkId)
    assert.ok(missing.length >= 3, `${missing.length} files are not begun`)
    const beside = await openTab(url, browser)
    assert.equal(beside.snapshot().neverBegun.files, 0)

    const tab = await openTab(url, reopened(browser))
    const { unfinished, neverBegun } = await tab.untilOpen()
    assert.deepEqual(neverBegun, { files: missing.length, hasFolders: true })
    assert.deepEqual(
      pathsOf(unfinished),
      [...'bcdefghij'].map((name) => `trip/day 1/${name}`),
    )
    await tab.add([arrived, ...others])
    const again = tab.snapshot()
    assert.deepEqual([again.remarks[0]?.about, again.remarks[0]?.count, again.unfinished], ['already_landed', 1, []])
    assert.deepEqual([again.counts.chosen, again.totals.files], [0, others.length], 'one choice continues all')
    // A tab that has crashed sends nothing more.
    tab.pauseAll()
    await tab.until(({ counts }) => counts.paused === others.length)
    const later = await openTab(url, reopened(browser))
    const words = { note: 'the others', sender: '' }
    const asked = await later.untilOpen()
    assert.ok(asked.neverBegun.files > 0, 'chosen again, and not begun again')
    assert.deepEqual(
      asked.unfinishedMessages.map(({ message }) => message),
      [words],
    )
    // Meant for others: what is sealed with the begun files stays, and goes with the rest of their go.
    later.write({ note: 'corrected', sender: '' })
    // It would go on by itself.
    tab.pauseAll()
    world.proxy.tamper()
    await later.add(others)
    assert.deepEqual(
      later.snapshot().messages.map(({ message, files }) => [message, files]),
      [[words, others.length]],
    )
    await later.untilAll('landed')
    const sent = (await world.owner.inbox()).filter((drop) => drop.opaqueId === opaqueId)
    assert.deepEqual(sent.length, 10)
    const rest = sent.flatMap(({ file }) => (file?.name === 'trip/day 1/a' ? [] : [file]))
    assert.deepEqual(new Set(rest.map((file) => [file?.batch?.count, file?.note].join())), new Set(['9,the others']))
    assert.equal(new Set(rest.map((file) => file?.batch?.id)).size, 1)
    assert.deepEqual(new Set(rest.map((file) => file?.batch?.index)), new Set([0, 1, 2, 3, 4, 5, 6, 7, 8]))
    assert.deepEqual(await browser.store.planned(linkId), [])
  })

  it('are still named after a reload when the link had no room for them or has closed, and none can continue', async () => {
    const { url, opaqueId } = await world.owner.createLink({ caps: { maxFileCount: 1 } })
    const browser = newBrowser()
    const before = await openTab(url, browser)
    await before.untilOpen()
    await before.add([chosen('first', bytes(10)), chosen('second', bytes(10))])
    before.send(noMessage, undefined)
    await before.until(({ checkedReceipts }) => checkedReceipts === 1)
    const full = await openTab(url, reopened(browser))
    await full.untilOpen()
    assert.deepEqual(
      full.snapshot().unfinished.map(({ name, standing }) => [name, standing]),
      [['second', 'never_begun']],
    )
    await world.owner.changeLink(opaqueId, { maxFileCount: 3 })
    await full.askAgain()
    await full.until(({ link }) => link.is === 'open' && link.limits.remainingFiles === 2)
    await full.add([chosen('second', bytes(10)), chosen('third', bytes(10))])
    await world.owner.revokeLink(opaqueId)
    full.send(noMessage, undefined)
    await full.until(({ counts }) => counts.failed === 2)
    const shut = await openTab(url, reopened(browser))
    const { unfinished } = await shut.until(({ link }) => link.is === 'refused' && link.fault === 'closed')
    assert.deepEqual(pathsOf(unfinished), ['second', 'third'])
    assert.equal(canContinue(shut.snapshot()), false)
  })

  it('leave nothing behind before the guest sends, and are no longer asked for when the guest removes them', async () => {
    const { url } = await world.owner.createLink()
    const [browser, linkId] = [newBrowser(), world.linkIdOf(url)]
    const before = await openTab(url, browser)
    await before.untilOpen()
    const files = [...'abcdefghij'].map((name) => chosen(name, bytes(10)))
    await before.add(files)
    assert.deepEqual(await browser.store.planned(linkId), [])
    world.proxy.tamper({ matches: isRequest('POST', DROPS), lose: 'request' })
    before.send(noMessage, undefined)
    await before.until(({ totals }) => totals.trouble !== undefined)
    before.pauseAll()
    await before.until(({ counts }) => counts.paused === files.length)
    const [first, ...others] = await browser.store.planned(linkId)
    assert.ok(first !== undefined && others.length >= 3, `${others.length} more files are not begun`)
    await before.remove(first.id)

    const tab = await openTab(url, reopened(browser))
    const neverBegun = () => tab.snapshot().unfinished.filter(({ standing }) => standing === 'never_begun')
    assert.deepEqual(pathsOf(neverBegun()), pathsOf(others))
    await tab.discard(neverBegun()[0]?.id ?? '')
    assert.deepEqual(tab.snapshot().neverBegun, { files: others.length - 1, hasFolders: false })
    tab.discardNeverBegun()
    assert.deepEqual(neverBegun(), [])
    // The store in memory writes before the next macrotask.
    await new Promise((resolve) => setImmediate(resolve))
    // Waits for the link: a tab that the server never answers asks for a day, and the process does not end.
    const later = await openTab(url, reopened(browser))
    assert.equal((await later.untilOpen()).neverBegun.files, 0)
    world.proxy.tamper()
  })
})
