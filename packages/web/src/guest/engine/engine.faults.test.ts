/** The guest page's engine with a malicious server, a revoked link, a browser that stores nothing, and other tabs. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { changeBody, isRequest } from '../../../../../testing/maliciousServer.ts'
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
  openTab,
  reopened,
  rowOf,
  useGuestWorld,
} from '../../testing/guestTabs.ts'
import type { ChosenFile } from '../ground/messages.ts'
import { createMemoryStore } from './store/guestStore.ts'
import { createSoleLocks } from './store/tabLocks.ts'

const world = useGuestWorld()

describe('a link that is revoked while files are sent', () => {
  it('keeps the landed files and fails the rest', async () => {
    const { url, opaqueId } = await world.owner.createLink()
    const tab = await openTab(url)
    await tab.untilOpen()
    await tab.add([chosen('before.bin', bytes(10))])
    tab.send(noMessage, undefined)
    await tab.untilAll('landed')
    await tab.add([chosen('after.bin', bytes(10))])
    await world.owner.revokeLink(opaqueId)
    tab.send(noMessage, undefined)
    const { rows, counts } = await tab.until(({ link, counts }) => link.is === 'refused' && counts.failed === 1)
    assert.deepEqual([counts.landed, rows[1]?.failure], [1, 'link_closed'])
  })
})

describe('a revoked link', () => {
  it('fails every file that waits for it, also one that is retried', async () => {
    const { url, opaqueId } = await world.owner.createLink()
    const tab = await openTab(url)
    await tab.untilOpen()
    await world.owner.revokeLink(opaqueId)
    await tab.add([1, 2, 3, 4, 5].map((number) => chosen(`${number}.bin`, bytes(MIB))))
    const [first] = tab.snapshot().rows
    tab.send(noMessage, undefined)
    await tab.cancel(first?.id ?? '')
    await tab.until(({ counts }) => counts.failed === 4)
    await tab.retry(first?.id ?? '')
    const { rows } = await tab.untilAll('failed')
    assert.ok(rows.every(({ failure }) => failure === 'link_closed'))
  })
})

describe('a malicious server', () => {
  it('that hides that the link needs a passphrase is asked once, and again only with a passphrase', async () => {
    const { url } = await world.owner.createLink({ passphrase: 'sesame' })
    world.proxy.tamper({
      matches: isRequest('GET', DROPS),
      answer: changeBody((body) => Object.assign(body, { passphrase_required: false })),
    })
    const tab = await openTab(url)
    await tab.untilOpen()
    const from = world.proxy.seen.length
    await tab.add([chosen('gated.bin', bytes(10))])
    tab.send(noMessage, undefined)
    await tab.until(({ passphrase, counts }) => passphrase === 'wanted' && counts.waiting === 1)
    assert.equal(world.proxy.seen.slice(from).filter(isRequest('POST', DROPS)).length, 1)
  })

  it('that swaps the key is detected, and is sent nothing', async () => {
    const [{ url }, other] = [await world.owner.createLink(), await world.owner.createLink()]
    const answer = await (await fetch(`${world.proxy.url}${new URL(other.url).pathname.replace('/u/', '/d/')}`)).json()
    world.proxy.tamper({
      matches: isRequest('GET', DROPS),
      answer: changeBody((body) => Object.assign(body, { drop_pubkey: answer.drop_pubkey })),
    })
    const from = world.proxy.seen.length
    const tab = await openTab(url)
    await tab.add([chosen('secret.bin', bytes(10))])
    tab.send(noMessage, undefined)
    const { rows } = await tab.until(({ link }) => link.is === 'refused' && link.fault === 'key_swapped')
    assert.ok(rows.every(({ failure }) => failure === 'key_swapped'))
    assert.deepEqual(
      world.proxy.seen.slice(from).filter(({ method }) => method !== 'GET'),
      [],
    )
  })

  it('that changes a receipt is detected', async () => {
    const { url } = await world.owner.createLink()
    world.proxy.tamper({
      matches: isRequest('GET', /\/receipt$/),
      answer: changeBody((body) => Object.assign(body, { size: 1 })),
    })
    const tab = await openTab(url)
    await tab.untilOpen()
    await tab.add([chosen('doubtful.bin', bytes(10))])
    tab.send(noMessage, undefined)
    const { rows } = await tab.until(({ alarms }) => alarms === 1)
    assert.deepEqual(rows[0]?.receipt, { is: 'alarm', reason: 'reading_differs' })
  })
})

describe('a server that publishes other keys for each receipt', () => {
  it('is detected although two receipts are checked at the same time', async () => {
    const { url } = await world.owner.createLink()
    const redated = changeBody((body) => {
      assert.ok(Array.isArray(body.keys))
      body.keys[0].active_from = '2020-01-01T00:00:00.000Z'
    })
    world.proxy.tamper({ matches: isRequest('GET', /attestation-keys$/), answer: redated, times: 1 })
    const tab = await openTab(url)
    await tab.untilOpen()
    await tab.add([chosen('one.bin', bytes(10)), chosen('two.bin', bytes(10))])
    tab.send(noMessage, undefined)
    await tab.until(({ alarms, checkedReceipts }) => alarms + checkedReceipts === 2)
    const { alarms, rows } = tab.snapshot()
    assert.equal(alarms, 1)
    assert.ok(rows.some(({ receipt }) => receipt?.is === 'alarm' && receipt.reason === 'key_changed'))
  })
})

describe('a server that calls itself by another address than that of the link', () => {
  it('gets no file, and the page has the other address', async () => {
    const { url } = await world.owner.createLink()
    const [found, before] = ['https://other.example', world.proxy.seen.length]
    const renamed = changeBody((body) => void Object.assign(body, { server_id: found }))
    world.proxy.tamper({ matches: isRequest('GET', /server-info$/), answer: renamed })
    const tab = await openTab(url)
    const { link } = await tab.until((snapshot) => snapshot.link.is !== 'asking')
    assert.deepEqual(link, { is: 'refused', fault: 'other_address', isRetrying: false, expiredAt: undefined, found })
    await tab.add([chosen('kept here.bin', bytes(10))])
    assert.deepEqual(tab.snapshot().rows, [])
    assert.deepEqual(
      world.proxy.seen.slice(before).filter(({ method }) => method !== 'GET'),
      [],
    )
  })
})

describe('a server that hands out no receipt', () => {
  it('leads to a missing receipt, which the page fetches again when asked', async () => {
    const { url } = await world.owner.createLink()
    world.proxy.tamper({ matches: isRequest('GET', /\/receipt$/), answer: notFound })
    const tab = await openTab(url, newBrowser(), (ms, signal) => environment.wait(ms / 1000, signal))
    await tab.untilOpen()
    await tab.add([chosen('unproven.bin', bytes(10))])
    tab.send(noMessage, undefined)
    const { rows } = await tab.until(({ missingReceipts }) => missingReceipts === 1)
    world.proxy.tamper()
    tab.fetchReceipt(rows[0]?.id ?? '')
    await tab.until(({ checkedReceipts, missingReceipts }) => checkedReceipts === 1 && missingReceipts === 0)
  })
})

describe('a browser that claims to store and does not', () => {
  it('still gives out the receipts of this visit, with the keys that they were checked with', async () => {
    const { url } = await world.owner.createLink()
    const nothing = async () => undefined
    const store = { ...createMemoryStore(), isPersistent: true, land: nothing, putPins: nothing, putUpload: nothing }
    const tab = await openTab(url, { store, locks: createSoleLocks() })
    await tab.untilOpen()
    await tab.add([chosen('not kept.bin', bytes(10))])
    tab.send(noMessage, undefined)
    await tab.until(({ checkedReceipts }) => checkedReceipts === 1)
    const { json } = (await tab.receiptDocument()) ?? {}
    assert.equal(JSON.parse(json ?? '{}').keys.length, 1)
  })
})

describe('cancelling a file', () => {
  /** A file that has landed without this browser knowing, because the server did not answer. */
  async function landedElsewhere(url: string, file: ChosenFile) {
    const [browser, elsewhere] = [newBrowser(), newBrowser()]
    await begun(url, file, browser)
    for (const upload of await browser.store.uploads(world.linkIdOf(url))) await elsewhere.store.putUpload(upload)
    const other = await openTab(url, elsewhere)
    await other.add([file])
    await other.untilAll('landed')
    world.proxy.tamper({ matches: isRequest('HEAD', DROPS), lose: 'request' })
    const from = world.proxy.seen.length
    const tab = await openTab(url, reopened(browser))
    await tab.untilOpen()
    await tab.until(() => world.proxy.seen.slice(from).some(isRequest('HEAD', DROPS)))
    world.proxy.tamper()
    return { tab, browser }
  }

  it('after it has landed changes nothing', async () => {
    const tab = await openTab((await world.owner.createLink()).url)
    await tab.untilOpen()
    await tab.add([chosen('too late.bin', bytes(10))])
    tab.send(noMessage, undefined)
    const { rows } = await tab.untilAll('landed')
    await tab.cancel(rows[0]?.id ?? '')
    assert.equal(rowOf(tab.snapshot(), 'too late.bin').phase, 'landed')
  })

  it('lets it land when an earlier visit had sent all of it', async () => {
    const { url } = await world.owner.createLink()
    const { tab, browser } = await landedElsewhere(url, chosen('was sent.bin', bytes(3 * MIB)))
    await tab.discard(tab.snapshot().unfinished[0]?.id ?? '')
    await tab.untilAll('landed')
    assert.deepEqual(await browser.store.uploads(world.linkIdOf(url)), [])
  })

  it('of a changed file sends the new content, and the old content lands too', async () => {
    const { url } = await world.owner.createLink()
    const { tab } = await landedElsewhere(url, chosen('twice.bin', bytes(3 * MIB)))
    const changed = bytes(2 * MIB)
    await tab.add([chosen('twice.bin', changed)])
    const { rows } = await tab.untilAll('failed')
    await tab.retry(rows[0]?.id ?? '')
    await tab.untilAll('landed')
    const drops = (await world.owner.inbox()).filter(({ file }) => file?.name === 'twice.bin')
    assert.deepEqual(drops.map(({ file }) => file?.size).sort(), [2 * MIB, 3 * MIB])
  })

  it('that another tab sends only removes its row', async () => {
    const { url, opaqueId } = await world.owner.createLink()
    const [browser, file] = [newBrowser(), chosen('theirs.bin', bytes(3 * MIB))]
    await begun(url, file, browser)
    const tab = await openTab(url, browser)
    await tab.untilOpen()
    await tab.add([file])
    const { rows } = await tab.untilAll('failed')
    assert.deepEqual([rows[0]?.failure, rows[0]?.isBegun], ['other_tab', false])
    await tab.remove(rows[0]?.id ?? '')
    assert.deepEqual([tab.snapshot().rows, tab.snapshot().unfinished.length], [[], 1])
    const link = (await world.owner.listLinks()).find((one) => one.opaqueId === opaqueId)
    assert.equal(link?.openSessions, 1)
  })
})
