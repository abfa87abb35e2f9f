import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { json } from './call.ts'
import { expectAnswer, fingerprint } from './expect.ts'
import { connect } from './server.ts'
import {
  asOwner,
  base64,
  entryOf,
  inboxOf,
  KEM_CT_BYTES,
  type Link,
  land,
  newLink,
  newOpaqueId,
  type Owner,
  onlyDrop,
  provision,
  quotaOf,
  sessionPath,
  sha256,
  signUp,
} from './world.ts'

const server = await connect()
const discard = (link: Link, dropId: string) => asOwner(link.owner, 'DELETE', `/v1/drops/${dropId}`)
const discardPile = (link: Link, opaqueId = link.opaqueId) =>
  asOwner(link.owner, 'DELETE', `/v1/drops?opaque_id=${opaqueId}`)
const askPage = (owner: Owner, query: string) => asOwner(owner, 'GET', `/v1/drops?${query}`)
const pageOf = async (owner: Owner, query: string) => json<{ drops: unknown }>(await askPage(owner, query)).drops
const contentPath = (dropId: string) => `/v1/drops/${dropId}/content`

// Covers: CreateDropRequest, suggested_filename; Inbox; InboxEntryResponse; InboxEntryResponse, suggested_filename; Inbox and content
describe('inbox', () => {
  it('is empty for a new account', async () => {
    assert.deepEqual(await inboxOf(await signUp(server)), [])
  })

  it('shows the declaration of the guest and the time of the landing', async () => {
    const link = await newLink(server)
    const file = randomBytes(77)
    const declared = { kem_ct: base64(KEM_CT_BYTES), content_type: 'image/png', suggested_filename: 'photo.png' }
    await land(link, file, declared)
    const { drop_id, received_at, ...drop } = await onlyDrop(link.owner)
    assert.deepEqual(drop, {
      opaque_id: link.opaqueId,
      ciphertext_hash: sha256(file),
      size: 77,
      adopting: false,
      ...declared,
    })
    assert.ok(drop_id.length === 36 && Date.parse(received_at) > 0)
  })

  it('shows a file name exactly as the guest wrote it', async () => {
    const link = await newLink(server)
    const names = [
      '<script>alert(1)</script>',
      '../../etc/passwd',
      '\u202Egpj.exe',
      'e\u0301 \u00e9',
      '📦'.repeat(255),
      '&amp;"\'`',
      ' padded ',
      '%2e%2e',
    ]
    for (const suggested_filename of names) await land(link, randomBytes(5), { suggested_filename })
    await land(link, randomBytes(5))
    assert.deepEqual(
      (await inboxOf(link.owner)).map((drop) => drop.suggested_filename),
      [...names, undefined],
    )
  })

  it('lists the drops of all links of the caller, oldest first, and of no other account', async () => {
    const owner = await signUp(server)
    const [one, two, foreign] = [await provision(owner), await provision(owner), await newLink(server)]
    const files = Array.from({ length: 6 }, () => randomBytes(20))
    for (const [index, file] of files.entries()) await land(index % 2 === 0 ? one : two, file)
    await land(foreign)
    const drops = await inboxOf(owner)
    assert.deepEqual(
      drops.map((drop) => drop.ciphertext_hash),
      files.map(sha256),
    )
    const times = drops.map((drop) => drop.received_at)
    assert.deepEqual(times, times.toSorted())
  })

  it('lists two drops with the same bytes', async () => {
    const link = await newLink(server)
    const file = randomBytes(40)
    await land(link, file)
    await land(link, file)
    const [first, second] = await inboxOf(link.owner)
    assert.ok(first !== undefined && second !== undefined && first.drop_id !== second.drop_id)
    expectAnswer(await discard(link, first.drop_id), '204')
    assert.deepEqual((await asOwner(link.owner, 'GET', contentPath(second.drop_id))).body, file)
    const { used, bin } = await quotaOf(link.owner)
    assert.deepEqual([used, bin], [80, 40])
  })

  it('is answered in pages, of which each follows the drop that ended the one before', async () => {
    const link = await newLink(server)
    for (let count = 0; count < 5; count++) await land(link)
    const all = await inboxOf(link.owner)
    const [first, second, third] = [
      await pageOf(link.owner, 'limit=2'),
      await pageOf(link.owner, `limit=2&after=${all[1]?.drop_id}`),
      await pageOf(link.owner, `after=${all[3]?.drop_id}`),
    ]
    assert.deepEqual([first, second, third], [all.slice(0, 2), all.slice(2, 4), all.slice(4)])
    assert.deepEqual(await pageOf(link.owner, `after=${all[4]?.drop_id}`), [])
    const newest = all.toReversed()
    assert.deepEqual(await pageOf(link.owner, 'order=newest'), newest)
    assert.deepEqual(await pageOf(link.owner, `order=newest&limit=2&after=${all[3]?.drop_id}`), newest.slice(2, 4))
    assert.deepEqual(await pageOf(link.owner, 'order=oldest'), all)
  })

  it('answers 404 to a page after a drop that is discarded, unknown or another account’s', async () => {
    const [link, foreign] = [await newLink(server), await newLink(server)]
    await land(link)
    await land(foreign)
    const [mine, theirs] = [await onlyDrop(link.owner), await onlyDrop(foreign.owner)]
    expectAnswer(await discard(link, mine.drop_id), '204')
    for (const dropId of [mine.drop_id, theirs.drop_id, randomUUID()])
      expectAnswer(await askPage(link.owner, `after=${dropId}`), '404 drop.not_found')
  })

  it('answers 400 to a malformed page', async () => {
    const owner = await signUp(server)
    for (const query of [
      'limit=0',
      'limit=1001',
      'limit=-1',
      'limit=1.5',
      'limit=x',
      'limit=',
      'after=x',
      'after=',
      'order=x',
      'order=',
    ])
      expectAnswer(await askPage(owner, query), '400 request.malformed', query)
  })
})

// Covers: Discard; State: pending drop, removed; Requests; Inbox and content
describe('discard', () => {
  it('removes the drop, and frees its quota with the bin', async () => {
    const link = await newLink(server)
    await land(link, randomBytes(90))
    const { drop_id } = await onlyDrop(link.owner)
    expectAnswer(await discard(link, drop_id), '204')
    assert.deepEqual(await inboxOf(link.owner), [])
    assert.deepEqual(await quotaOf(link.owner), { used: 90, bin: 90, state: 'ok' })
    expectAnswer(await asOwner(link.owner, 'DELETE', '/v1/bin'), '204')
    assert.equal((await quotaOf(link.owner)).used, 0)
    expectAnswer(await asOwner(link.owner, 'GET', contentPath(drop_id)), '404 drop.not_found')
  })

  it('leaves the receipt available to the guest', async () => {
    const link = await newLink(server)
    const session = await land(link)
    await discard(link, (await onlyDrop(link.owner)).drop_id)
    expectAnswer(await server.send({ method: 'GET', path: `${sessionPath(session)}/receipt` }), '200')
  })

  it('accepts a request that declares a JSON body and sends none', async () => {
    const link = await newLink(server)
    await land(link)
    const path = `/v1/drops/${(await onlyDrop(link.owner)).drop_id}`
    const headers = { 'content-type': 'application/json' }
    expectAnswer(await server.send({ method: 'DELETE', path, token: link.owner.token, headers }), '204')
  })
})

// Covers: Inbox and content
describe('discard of all drops of a link', () => {
  it('removes the drops of that link only', async () => {
    const owner = await signUp(server)
    const [link, other] = [await provision(owner), await provision(owner)]
    for (let round = 0; round < 3; round += 1) await land(link, randomBytes(10))
    await land(other, randomBytes(7))
    expectAnswer(await discardPile(link), '204')
    assert.deepEqual(
      (await inboxOf(owner)).map((drop) => drop.opaque_id),
      [other.opaqueId],
    )
    const { used, bin } = await quotaOf(owner)
    assert.deepEqual([used, bin], [37, 30])
    const entry = await entryOf(link)
    assert.deepEqual([entry.landed_files, entry.pending, entry.state], [3, 0, 'live'])
  })

  it('answers the same 204 for a link that is empty, unknown or another account’s, and removes nothing', async () => {
    const [link, foreign] = [await newLink(server), await newLink(server)]
    await land(foreign)
    const answers = [
      await discardPile(link),
      await discardPile(link, newOpaqueId()),
      await discardPile(link, foreign.opaqueId),
    ]
    for (const answer of answers) expectAnswer(answer, '204')
    assert.equal(new Set(answers.map(fingerprint)).size, 1)
    assert.equal((await inboxOf(foreign.owner)).length, 1)
  })

  it('answers 422 without a link and 400 to a malformed one', async () => {
    const link = await newLink(server)
    await land(link)
    for (const query of ['', '?', '?opaque=1']) {
      const reply = await asOwner(link.owner, 'DELETE', `/v1/drops${query}`)
      assert.ok([400, 422].includes(reply.status), query)
      if (query.length < 2) expectAnswer(reply, '422 request.unprocessable', query)
    }
    for (const value of ['', 'x', 'A'.repeat(32), `${link.opaqueId}0`, '%00'])
      expectAnswer(await discardPile(link, value), '400 request.malformed', value)
    assert.equal((await inboxOf(link.owner)).length, 1)
  })
})
