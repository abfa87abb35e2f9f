/** The owner at a real server, with well-behaved guests and others. */
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { before, describe, it } from 'node:test'
import { instantOf, parseSha256Hex } from '@blindkeep/protocol/ids'
import { anotherClient, newOwner, sendFile } from '../../../testing/people.ts'
import { startServer } from '../../../testing/startServer.ts'
import { parseLink } from './drops/linkAddress.ts'
import { systemEnvironment } from './ground/environment.ts'
import { normalPassphrase, openLink } from './guest.ts'
import { createCalls } from './http/call.ts'
import type { InboxItem, Owner } from './owner.ts'
import type { Answers } from './questions.ts'
import { hasCode, itemsOf } from './testing/expectations.ts'
import { sharedServer } from './testing/sharedServer.ts'

const { proxy } = await sharedServer()
let owner: Owner

before(async () => {
  owner = await newOwner(proxy.url)
})

async function contentOf(of: Owner, item: InboxItem | undefined): Promise<Uint8Array> {
  assert.ok(item)
  const { content } = await of.openDrop(item)
  return new Uint8Array(await new Response(content).arrayBuffer())
}

/** A guest without our client: declares and sends arbitrary bytes. */
async function dropRubbish(url: string, rubbish: Uint8Array<ArrayBuffer>): Promise<void> {
  const { baseUrl, opaqueId } = parseLink(url)
  const { call } = createCalls({ baseUrl })
  const hash = parseSha256Hex(createHash('sha256').update(rubbish).digest('hex'))
  assert.ok(hash)
  const { body } = await call('createDrop', {
    path: { opaque_id: opaqueId },
    body: {
      content_type: 'text/plain',
      size: rubbish.length,
      ciphertext_hash: hash,
      kem_ct: randomBytes(1120).toString('base64'),
    },
  })
  await call('appendChunk', {
    path: { opaque_id: opaqueId, upload_id: body.upload_id },
    headers: { 'X-Service-Offset': '0', 'X-Service-Checksum': hash },
    body: rubbish,
  })
}

describe('questions to guests', () => {
  it('come with the link, stay when its limits change, and a file says that its guest saw them', async () => {
    const questions = [{ label: 'Day', required: false, kind: 'date' }] as const
    const { url, opaqueId } = await owner.createLink({ title: 'Scans', questions, fileKinds: ['pdf'] })
    await owner.changeLink(opaqueId, { maxFileCount: 5 })
    const link = await openLink(url)
    assert.deepEqual([link.title, link.questions, link.fileKinds], ['Scans', questions, ['pdf']])
    const fieldsOf = async (facts: { fields?: Answers }) => {
      await sendFile(url, randomBytes(5), { name: 'a.pdf', ...facts })
      return (await owner.inbox()).at(-1)?.file?.fields
    }
    assert.deepEqual(await fieldsOf({}), [])
    assert.deepEqual(await fieldsOf({ fields: [['Day', '2026-03-01']] }), [['Day', '2026-03-01']])
    const changed = await owner.changeLink(opaqueId, { forGuests: { title: 'Scans' } })
    assert.deepEqual([changed.title, changed.questions, changed.fileKinds], ['Scans', undefined, undefined])
    assert.equal(await fieldsOf({}), undefined)
  })
})

describe('an inbox', () => {
  it('has names, notes and senders, and a safe name that is made once', async () => {
    const { url } = await owner.createLink()
    const note = 'Ärger mit 🦊\n'.repeat(1000)
    await sendFile(url, randomBytes(5), {
      name: 'naïve \u202Efdp.exe',
      type: 'application/pdf',
      note,
      sender: 'Gustav',
      modifiedAt: '2026-01-02T03:04:05+01:00',
      fields: [['Matter number', '2026/17\n']],
    })
    const item = (await owner.inbox()).at(-1)
    assert.deepEqual(item?.file, {
      name: 'naïve \u202Efdp.exe',
      safeName: 'naïve fdp.exe',
      type: 'application/pdf',
      note,
      sender: 'Gustav',
      modifiedAt: '2026-01-02T02:04:05.000Z',
      size: 5,
      fields: [['Matter number', '2026/17']],
    })
    assert.equal((await owner.inbox()).at(-1)?.file, item?.file)
  })

  it('reads each name once, also after an aborted call', async () => {
    const account = await newOwner(proxy.url)
    const { url } = await account.createLink()
    for (const name of ['one', 'two']) await sendFile(url, randomBytes(5), { name })
    const asked: string[] = []
    const counting = (input: string | URL | Request, init?: RequestInit) => {
      if (String(input).endsWith('/content')) asked.push(String(input))
      return fetch(input, init)
    }
    const reader = anotherClient(proxy.url, account, { ...systemEnvironment, fetch: counting })
    const stop = new AbortController()
    const progress: number[][] = []
    await reader
      .inbox({
        signal: stop.signal,
        onProgress(...step) {
          progress.push(step)
          stop.abort(new Error('enough'))
        },
      })
      .catch(() => undefined)
    assert.deepEqual(progress[0], [1, 2])
    const names = (await reader.inbox()).map(({ file }) => file?.name)
    assert.deepEqual(names, ['one', 'two'])
    assert.equal(new Set(asked).size, 2)
    assert.ok(asked.length <= 3, `${asked.length} requests`)
  })

  it('lists drops without their names, and reads each name when it is asked', async () => {
    const account = await newOwner(proxy.url)
    const { url } = await account.createLink()
    await dropRubbish(url, new Uint8Array(randomBytes(5000).fill(9, 0, 1)))
    await sendFile(url, randomBytes(5), { name: 'honest' })
    const drops = await itemsOf(account.pendingDrops())
    assert.equal(drops.length, 2)
    assert.deepEqual(await Promise.all(drops.map((drop) => account.describeDrop(drop))), await account.inbox())
    const known = drops.slice(0, 1).map(({ dropId }) => dropId)
    assert.deepEqual(await itemsOf(account.pendingDrops({ known })), drops.slice(1))
  })

  it('lists drops that cannot be opened with the reason', async () => {
    const other = await newOwner(proxy.url)
    const { url } = await other.createLink()
    await dropRubbish(url, new Uint8Array(randomBytes(5000).fill(9, 0, 1)))
    await dropRubbish(url, new TextEncoder().encode('\u0002'))
    await sendFile(url, randomBytes(5), { name: 'honest' })
    const looksSealed = new Uint8Array(randomBytes(5000))
    looksSealed.set([2])
    looksSealed.set([1], 1 + 1120 + 16 + 32)
    await dropRubbish(url, looksSealed)
    const items = await other.inbox()
    assert.deepEqual(
      items.map(({ file, fault }) => file?.name ?? fault?.reason),
      ['unknown_format', 'truncated', 'honest', 'kem_ct_invalid'],
    )
    assert.ok(items.every(({ fault }) => fault === undefined || fault.message.length > 20))
  })

  it('opens an empty file and one that ends at the end of a segment', async () => {
    const other = await newOwner(proxy.url)
    const { url } = await other.createLink()
    const contents = [0, 1, 1_048_560, 1_048_561, 2 * 1_048_560].map((size) => new Uint8Array(randomBytes(size)))
    for (const content of contents) await sendFile(url, content)
    const items = await other.inbox()
    for (const [index, content] of contents.entries()) assert.deepEqual(await contentOf(other, items[index]), content)
  })

  it('frees the quota of discarded drops, single or by link, once the bin is emptied', async () => {
    const other = await newOwner(proxy.url)
    const [first, second] = [await other.createLink(), await other.createLink()]
    for (const { url } of [first, first, second, second]) await sendFile(url, randomBytes(100))
    const items = await other.inbox()
    const each = items[0]?.sealedBytes ?? 0
    assert.equal((await other.quota()).used, 4 * each)
    await other.discardDrop(items[0]?.dropId ?? '')
    await other.discardPile(second.opaqueId)
    const { used, bin } = await other.quota()
    assert.deepEqual([used, bin], [4 * each, 3 * each])
    await other.emptyBin()
    assert.equal((await other.quota()).used, each)
    assert.deepEqual(
      (await other.inbox()).map(({ dropId }) => dropId),
      [items[1]?.dropId],
    )
    await assert.rejects(other.discardDrop(items[0]?.dropId ?? ''), hasCode('error.drop.not_found'))
  })
})

describe('an upload link', () => {
  it('is listed with its label, caps and statistics', async () => {
    const other = await newOwner(proxy.url)
    const caps = { maxTotalBytes: 1_000_000, maxFileCount: 5, maxFileSize: 500_000 }
    const expiresAt = '2126-01-01T00:00:00.000Z'
    const made = await other.createLink({ caps, label: 'für Gustav', expiresAt, singleUse: false })
    const { landed } = await sendFile(made.url, randomBytes(1000))
    const [listed] = await other.listLinks()
    assert.ok(listed)
    const { createdAt, ...rest } = listed
    assert.ok(Date.parse(createdAt) > 0)
    assert.deepEqual(rest, {
      ...made,
      state: 'live',
      isFull: false,
      passphraseRequired: false,
      label: 'für Gustav',
      labelFault: undefined,
      title: undefined,
      message: undefined,
      from: undefined,
      questions: undefined,
      fileKinds: undefined,
      titleFault: undefined,
      caps,
      singleUse: false,
      expiresAt,
      landedFiles: 1,
      landedBytes: landed.size,
      openSessions: 0,
      openBytes: 0,
      pending: 1,
      refused: undefined,
    })
  })

  it('takes 1,000 files and 10 GB in all, or one file of the chosen size, unless its owner chooses otherwise', async () => {
    const other = await newOwner(proxy.url)
    const chosen = [
      undefined,
      { maxFileCount: 5 },
      { maxFileSize: 20e9 },
      { maxTotalBytes: 7 },
      { maxTotalBytes: 'unlimited' },
      { maxFileCount: 'unlimited' },
    ] as const
    for (const caps of chosen) await other.createLink({ caps })
    await other.createLink({ singleUse: true })
    const links = await other.listLinks()
    const totals = links.map(({ caps }) => caps.maxTotalBytes)
    assert.deepEqual(totals, [10e9, 10e9, 20e9, 7, undefined, 10e9, 10e9])
    const files = links.map(({ caps }) => caps.maxFileCount)
    assert.deepEqual(files, [1000, 5, 1000, 1000, 1000, undefined, undefined])
  })

  it('shows its limits to the guest before a byte is sent', async () => {
    const caps = { maxTotalBytes: 1_000_000, maxFileCount: 5, maxFileSize: 500_000 }
    const { url } = await owner.createLink({ caps, expiresAt: '2126-01-01T00:00:00Z' })
    const { limits } = await openLink(url)
    assert.deepEqual(limits, {
      sealedBytesMax: 500_000,
      remainingBytes: 1_000_000,
      remainingFiles: 5,
      inboxFull: false,
      singleUse: false,
      fileBytesMax: 500_000 - 2210 - 16,
      expiresAt: '2126-01-01T00:00:00.000Z',
      passphraseRequired: false,
    })
  })

  it('tells the guest that it takes one file, whatever else its limits are', async () => {
    for (const caps of [{}, { maxFileCount: 5 }]) {
      const { limits } = await openLink((await owner.createLink({ caps, singleUse: true })).url)
      assert.deepEqual([limits.singleUse, limits.remainingFiles], [true, 1])
    }
  })

  it('ends so many seconds from now by the server’s clock, whatever the clock here says', async () => {
    for (const offMs of [-7_200_000, 7_200_000, -2 * 365 * 86_400_000]) {
      const environment = { ...systemEnvironment, now: () => instantOf(Date.now() + offMs) }
      const other = await newOwner(proxy.url, environment)
      const before = Date.now() - 2000
      const expiresAt = await other.endIn(3600)
      const lifeMs = Date.parse(expiresAt) - before
      assert.ok(lifeMs >= 3_600_000 && lifeMs < 3_660_000, expiresAt)
      const { url } = await other.createLink({ expiresAt })
      const opened = await openLink(url, environment)
      assert.ok(Math.abs(opened.now() - Date.now()) < 10_000)
    }
  })

  it('ends at the last instant of RFC 3339 at the latest', async () => {
    assert.equal(await owner.endIn(1e12), '9999-12-31T23:59:59.999Z')
  })

  it('is changed later: a limit is set or removed, not below what is used, and an expired link takes files again', async () => {
    const { url, opaqueId } = await owner.createLink({
      caps: { maxFileCount: 1 },
      label: 'Tür',
      passphrase: 'open sesame',
      expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
    })
    await sendFile(url, new Uint8Array(10), { passphrase: normalPassphrase('open sesame') })
    const listed = (await owner.listLinks()).find((link) => link.opaqueId === opaqueId)
    assert.deepEqual([listed?.isFull, listed?.passphraseRequired], [true, true])
    await assert.rejects(owner.changeLink(opaqueId, { maxFileCount: 0 }), hasCode('error.drop.cap_below_use'))
    const past = { expiresAt: '2020-01-01T00:00:00Z' }
    await assert.rejects(owner.changeLink(opaqueId, past), hasCode('error.request.unprocessable'))
    const changed = await owner.changeLink(opaqueId, { expiresAt: null, maxFileCount: 2, maxTotalBytes: null })
    assert.deepEqual([changed.state, changed.expiresAt, changed.isFull], ['live', undefined, false])
    assert.deepEqual((await openLink(changed.url)).limits.remainingFiles, 1)
    const total = changed.landedBytes + 2000
    assert.equal((await owner.changeLink(opaqueId, { maxTotalBytes: total })).isFull, true, 'no file is so small')
  })

  it('says to its guests what its owner wrote, also before they give the passphrase, and what the owner writes later', async () => {
    const words = { title: 'Photos of the\nwedding', message: 'Until \u202EyadnuS' }
    const { url, opaqueId } = await owner.createLink({ ...words, passphrase: 'open sesame' })
    const read = async () => {
      const { title, message } = await openLink(url)
      const own = (await owner.listLinks()).find((link) => link.opaqueId === opaqueId)
      assert.deepEqual([own?.title, own?.message, own?.titleFault], [title, message, undefined])
      return [title, message]
    }
    assert.deepEqual(await read(), ['Photos of the wedding', 'Until yadnuS'])
    await owner.changeLink(opaqueId, { maxFileCount: 3 })
    assert.deepEqual(await read(), ['Photos of the wedding', 'Until yadnuS'])
    await owner.changeLink(opaqueId, { forGuests: { title: 'Scans' } })
    assert.deepEqual(await read(), ['Scans', undefined])
    await owner.changeLink(opaqueId, { forGuests: null })
    assert.deepEqual(await read(), [undefined, undefined])
  })

  it('accepts no files after it is revoked; revoking is idempotent', async () => {
    const { url, opaqueId } = await owner.createLink()
    await owner.revokeLink(opaqueId)
    await owner.revokeLink(opaqueId)
    await assert.rejects(openLink(url), hasCode('error.drop.link_not_found'))
    const listed = (await owner.listLinks()).find((link) => link.opaqueId === opaqueId)
    assert.equal(listed?.state, 'revoked')
  })

  it('is derived from the account key alone', async () => {
    const other = await newOwner(proxy.url)
    const links = [await other.createLink(), await other.createLink()]
    assert.deepEqual(
      (await other.listLinks()).map(({ url }) => url),
      links.map(({ url }) => url),
    )
  })
})

describe('a server below a path', () => {
  it('is part of the URLs of its links', async () => {
    const publicUrl = 'https://keep.example/below'
    const below = await startServer({ publicUrl, env: { REGISTRATION: 'open' } })
    try {
      const throughProxy: typeof fetch = (input, init) => fetch(String(input).replace(publicUrl, below.url), init)
      const other = await newOwner(`${publicUrl}/`, { ...systemEnvironment, fetch: throughProxy })
      const { url } = await other.createLink()
      assert.ok(url.startsWith(`${publicUrl}/u/`))
    } finally {
      await below.stop()
    }
  })
})
