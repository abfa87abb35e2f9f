/** Shares: the data of an account that a visitor with the address may read. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { until } from '../testing/until.ts'
import { deleteAsset, landBlob, newAuthor, newBundle, openUpload } from './assetWorld.ts'
import { json, type Reply } from './call.ts'
import { expectProtocolWindow, expectRefusedValues } from './creations.ts'
import { expectAnswer, fingerprint } from './expect.ts'
import { expectNaming } from './naming.ts'
import { expectHeadLikeGet, expectRange, expectSafeForBrowsers, expectWhole, type Read } from './servedBytes.ts'
import { connect, NEEDS_OWN_SERVER, operatedServer } from './server.ts'
import {
  endShare,
  makeShare,
  nameShare,
  readShare,
  SHARED_BYTES,
  type Shared,
  share,
  shareBody,
  sharesOf,
  shownBy,
  visitShare,
} from './sharing.ts'
import { asOwner, base64, land, newOpaqueId, provision, seldom, sha256, signUp, soon } from './world.ts'

const MAX_INDEX_BYTES = 512 * 1024
const MAX_BLOBS = 10_000
/** A server must limit one source before it has sent so many wrong proofs. */
const MAX_WRONG_PROOFS = 200
const NO_SHARE = '404 share.not_found'
const MALFORMED = ['x', 'A'.repeat(32), '0'.repeat(31), '0'.repeat(33), '%00', '..%2f..', '%ff', 'x'.repeat(2000)]

const server = await connect()

const hashes = (count: number) => Array.from({ length: count }, (_, index) => sha256(Buffer.from([index & 255])))
const newShare = async (over: object = {}) => share(await newAuthor(server), over)
const THERE = '200 200'
const INDEX_ALONE = `200 ${NO_SHARE}`
const GONE = `${NO_SHARE} ${NO_SHARE}`

// Covers: Other operations, shares and sync feed; Shares
describe('create a share', () => {
  it('answers 201 with the id, and shows its data to any caller with the id', async () => {
    const owner = await signUp(server)
    for (const expires_at of [undefined, null, '2999-01-01T00:00:00+02:00']) {
      const body = shareBody({ blob_hashes: [sha256(randomBytes(1)), sha256(randomBytes(1))], expires_at })
      const reply = await makeShare(owner, body)
      expectAnswer(reply, '201')
      assert.deepEqual(json(reply), { opaque_id: body.opaque_id })
      const { sealed_index, blob_hashes } = body
      assert.deepEqual(json(await visitShare({ client: server, opaqueId: body.opaque_id })), {
        sealed_index,
        blob_hashes,
      })
    }
  })

  it('answers 201 to a repeat of the same account with the same values, and 400 to any other use of the id', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const body = { ...shareBody({ expires_at: '2999-01-01T00:00:00Z' }), sealed_name: base64(80) }
    for (const again of [body, body, { ...body, expires_at: '2999-01-01T02:00:00+02:00' }])
      expectAnswer(await makeShare(owner, again), '201')
    const changes = [
      { sealed_index: base64(100) },
      { blob_hashes: [...body.blob_hashes, ...body.blob_hashes] },
      { expires_at: null },
      { expires_at: '2999-01-01T00:00:01Z' },
      { sealed_name: null },
      { sealed_name: base64(80) },
      { sealed_record: base64(80) },
      { passphrase_verifier: base64(32) },
    ]
    for (const change of changes) expectAnswer(await makeShare(owner, { ...body, ...change }), '400 request.malformed')
    expectAnswer(await makeShare(other, body), '400 request.malformed')
    expectAnswer(await endShare(owner, body.opaque_id), '204')
    for (const caller of [owner, other])
      expectAnswer(await makeShare(caller, body), '400 request.malformed', 'an ended share is never revived')
    assert.deepEqual([await sharesOf(owner), await sharesOf(other)], [[], []])
  })

  it('keeps a sealed name and record for the owner, in the list alone, until the share ends', async () => {
    const owner = await signUp(server)
    const sealed_name = base64(4096)
    const sealed_record = base64(1)
    for (const notes of [{ sealed_name, sealed_record }, { sealed_name: null }, { sealed_record }]) {
      const body = shareBody(notes)
      expectAnswer(await makeShare(owner, body), '201')
      const entry = (await sharesOf(owner)).find(({ opaque_id }) => opaque_id === body.opaque_id)
      const given = { sealed_name: notes.sealed_name ?? undefined, sealed_record: notes.sealed_record }
      assert.deepEqual({ sealed_name: entry?.sealed_name, sealed_record: entry?.sealed_record }, given)
      const seen = json<object>(await visitShare({ client: server, opaqueId: body.opaque_id }))
      assert.deepEqual(Object.keys(seen).toSorted(), ['blob_hashes', 'sealed_index'])
      expectAnswer(await endShare(owner, body.opaque_id), '204')
      assert.deepEqual(await sharesOf(owner), [])
    }
    const wrong = ['', '=', base64(4097)]
    const send = (over: object) => makeShare(owner, shareBody(over))
    const values = { sealed_name: wrong, sealed_record: wrong, passphrase_verifier: wrong }
    await expectRefusedValues(send, values, '400 request.malformed')
  })

  it('accepts an index of 512 KiB and 10,000 hashes, and answers 400 to more and to none', async () => {
    const owner = await signUp(server)
    for (const over of [
      { sealed_index: base64(1) },
      { sealed_index: base64(MAX_INDEX_BYTES) },
      { blob_hashes: hashes(MAX_BLOBS) },
    ]) {
      const body = shareBody(over)
      expectAnswer(await makeShare(owner, body), '201')
      const shownNow = json<object>(await visitShare({ client: server, opaqueId: body.opaque_id }))
      assert.deepEqual(shownNow, { sealed_index: body.sealed_index, blob_hashes: body.blob_hashes })
    }
    for (const over of [
      { sealed_index: '' },
      { sealed_index: base64(MAX_INDEX_BYTES + 1) },
      { blob_hashes: [] },
      { blob_hashes: hashes(MAX_BLOBS + 1) },
    ])
      expectAnswer(await makeShare(owner, shareBody(over)), '400 request.malformed')
  })

  it('answers 400 to a value of a wrong format, and to an unknown field', async () => {
    const owner = await signUp(server)
    for (const over of [
      ...MALFORMED.map((opaque_id) => ({ opaque_id })),
      { sealed_index: 'no base64!' },
      { sealed_index: 'QUI' },
      { blob_hashes: ['0'.repeat(63)] },
      { blob_hashes: [sha256(randomBytes(1)), sha256(randomBytes(1)).toUpperCase()] },
      { expires_at: 'tomorrow' },
      { expires_at: '2026-13-01T00:00:00Z' },
      { label: 'mine' },
      { single_use: true },
    ])
      expectAnswer(await makeShare(owner, shareBody(over)), '400 request.malformed', JSON.stringify(over))
  })

  it('answers 422 to a missing, null or wrongly typed field', async () => {
    const owner = await signUp(server)
    const wrong = [undefined, null, 1, {}]
    const values = { opaque_id: wrong, sealed_index: wrong, blob_hashes: [...wrong, [1], [null]], expires_at: [1] }
    await expectRefusedValues((over) => makeShare(owner, shareBody(over)), values, '422 request.unprocessable')
  })

  it('answers 426 outside the protocol window, and accepts both of its ends', async () => {
    const owner = await signUp(server)
    await expectProtocolWindow((headers) => makeShare(owner, shareBody(), headers))
  })
})

// Covers: Other operations, shares and sync feed; Shares
describe('own shares', () => {
  it('are listed for their owner only, oldest first, expired ones too', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    await makeShare(other, shareBody())
    const expires_at = soon()
    const bodies = [{}, { expires_at }, { expires_at: '2999-01-01T01:00:00+01:00' }].map(shareBody)
    for (const body of bodies) expectAnswer(await makeShare(owner, body), '201')
    const [, expiring = shareBody()] = bodies
    const isGone = async () => (await visitShare({ client: server, opaqueId: expiring.opaque_id })).status === 404
    await until(seldom(isGone), 'the share expires')
    const past = { expires_at: '2020-01-01T00:00:00Z' }
    expectAnswer(await makeShare(owner, shareBody(past)), '422 request.unprocessable')
    const shares = await sharesOf(owner)
    assert.deepEqual(
      shares.map(({ opaque_id, expires_at }) => [opaque_id, expires_at]),
      bodies.map(({ opaque_id }, index) => [opaque_id, [undefined, expires_at, '2999-01-01T00:00:00.000Z'][index]]),
    )
    const times = shares.map(({ created_at }) => created_at)
    assert.deepEqual(times, times.toSorted())
  })

  it('are named and unnamed by their owner only, and show the same as before', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const sealed_record = base64(80)
    const body = shareBody({ sealed_record })
    expectAnswer(await makeShare(owner, body), '201')
    const seen = json(await visitShare({ client: server, opaqueId: body.opaque_id }))
    const sealed_name = await expectNaming(
      (given) => nameShare(owner, body.opaque_id, given),
      async () => {
        const [entry] = await sharesOf(owner)
        assert.equal(entry?.sealed_record, sealed_record)
        return entry?.sealed_name
      },
    )
    assert.deepEqual(json(await visitShare({ client: server, opaqueId: body.opaque_id })), seen)
    const replies = [
      await nameShare(other, body.opaque_id, { sealed_name }),
      await nameShare(owner, newOpaqueId(), { sealed_name }),
    ]
    expectAnswer(await endShare(owner, body.opaque_id), '204')
    replies.push(await nameShare(owner, body.opaque_id, { sealed_name }))
    for (const reply of replies) expectAnswer(reply, NO_SHARE)
    assert.equal(new Set(replies.map(fingerprint)).size, 1)
  })

  it('show other contents once their owner has replaced those that it has read, at the same address and at once', async () => {
    const author = await newAuthor(server)
    const { owner } = author
    const shared = await share(author, { sealed_index: base64(100), sealed_name: base64(80) })
    const added = await share(author)
    const seen = async () => json<{ sealed_index: string; blob_hashes: string[] }>(await visitShare(shared))
    const hashOf = (index: string) => sha256(Buffer.from(index, 'base64'))
    const [first] = [await seen()]
    const next = {
      sealed_index: base64(120),
      blob_hashes: [added.hash],
      sealed_record: base64(90),
      prior_index_hash: hashOf(first.sealed_index),
    }
    for (const name of Object.keys(next)) {
      for (const missing of [{ [name]: undefined }, { [name]: null }])
        expectAnswer(await nameShare(owner, shared.opaqueId, { ...next, ...missing }), '400 request.malformed', name)
    }
    for (const over of [
      { sealed_index: base64(MAX_INDEX_BYTES + 1) },
      { blob_hashes: hashes(MAX_BLOBS + 1) },
      { blob_hashes: ['ab'] },
      { sealed_record: base64(4097) },
      { prior_index_hash: 'ab' },
    ])
      expectAnswer(await nameShare(owner, shared.opaqueId, { ...next, ...over }), '400 request.malformed')
    const other = await signUp(server)
    for (const [caller, id] of [
      [other, shared.opaqueId],
      [owner, newOpaqueId()],
    ] as const)
      expectAnswer(await nameShare(caller, id, next), NO_SHARE)
    assert.deepEqual(await seen(), first)
    for (let repeat = 0; repeat < 2; repeat += 1) expectAnswer(await nameShare(owner, shared.opaqueId, next), '204')
    const { sealed_record, prior_index_hash: _, ...contents } = next
    assert.deepEqual(await seen(), contents)
    assert.equal(await shownBy(shared), INDEX_ALONE, 'its asset is there')
    assert.equal(await shownBy({ ...shared, hash: added.hash }), THERE)
    const entry = (await sharesOf(owner)).find(({ opaque_id }) => opaque_id === shared.opaqueId)
    assert.equal(entry?.sealed_record, sealed_record)
    const late = { ...next, sealed_index: base64(121) }
    expectAnswer(await nameShare(owner, shared.opaqueId, late), '409 share.changed')
    assert.deepEqual(await seen(), contents)
    const empty = { ...late, blob_hashes: [], prior_index_hash: hashOf(next.sealed_index) }
    expectAnswer(await nameShare(owner, shared.opaqueId, empty), '204')
    assert.equal(await shownBy({ ...shared, hash: added.hash }), INDEX_ALONE)
    expectAnswer(await endShare(owner, shared.opaqueId), '204')
    expectAnswer(
      await nameShare(owner, shared.opaqueId, { ...next, prior_index_hash: hashOf(late.sealed_index) }),
      NO_SHARE,
    )
  })

  it('are ended with the same 204 whether live, ended, unknown or another account’s, which stays', async () => {
    const [own, foreign] = [await newShare(), await newShare()]
    const ids = [own.opaqueId, own.opaqueId, foreign.opaqueId, newOpaqueId()]
    const answers = new Set<string>()
    for (const id of ids) answers.add(fingerprint(await endShare(own.author.owner, id)))
    assert.equal(answers.size, 1)
    assert.match([...answers].join(), /^204\n/)
    for (const id of MALFORMED.filter((each) => !each.includes('%ff')))
      expectAnswer(await endShare(own.author.owner, id), '400 request.malformed')
    assert.equal(await shownBy(own), GONE)
    assert.equal(await shownBy(foreign), THERE)
  })
})

// Covers: Shares
describe('the visits of a share', () => {
  const newVisit = () => ({ 'x-service-visit': newOpaqueId() })
  const countsOf = async ({ author, opaqueId }: Shared) => {
    const entry = (await sharesOf(author.owner)).find(({ opaque_id }) => opaque_id === opaqueId)
    return [entry?.opened, entry?.downloaded, entry?.max_downloads]
  }

  it('are counted once each: opened with the index, downloaded with the first byte, and never by HEAD, 304 or 416', async () => {
    const shared = await newShare()
    const [one, other] = [newVisit(), newVisit()]
    for (const visit of [one, one, other]) expectAnswer(await visitShare(shared, visit), '200')
    for (const headers of [{ 'if-none-match': `"${shared.hash}"` }, { range: `bytes=${SHARED_BYTES}-` }])
      await readShare(shared, { ...one, ...headers })
    await readShare(shared, one, 'HEAD')
    assert.deepEqual(await countsOf(shared), [2, 0, undefined])
    const before = (await sharesOf(shared.author.owner))[0]?.last_at
    for (const headers of [{ range: 'bytes=0-9' }, { range: 'bytes=10-' }, {}])
      await readShare(shared, { ...one, ...headers })
    assert.deepEqual(await countsOf(shared), [2, 1, undefined])
    assert.ok(((await sharesOf(shared.author.owner))[0]?.last_at ?? '') >= (before ?? 'none'))
    // Each request of a client without visits is one.
    for (let count = 0; count < 2; count += 1) await visitShare(shared)
    assert.deepEqual(await countsOf(shared), [4, 1, undefined])
    for (const visit of ['', '1', newOpaqueId().toUpperCase(), `${newOpaqueId()}0`]) {
      const malformed = { 'x-service-visit': visit }
      expectAnswer(await visitShare(shared, malformed), '400 request.malformed')
      expectAnswer(await readShare(shared, malformed), '400 request.malformed')
    }
    const own = await asOwner(shared.author.owner, 'GET', `/v1/shares/${shared.opaqueId}`)
    assert.deepEqual(json(own), json(await visitShare(shared, one)))
    assert.deepEqual(await countsOf(shared), [4, 1, undefined])
    const dead = newOpaqueId()
    expectAnswer(await asOwner(shared.author.owner, 'GET', `/v1/shares/${dead}`), NO_SHARE)
  })

  it('answer 410 beyond the limit, which the owner sets and changes; a visit that took a download goes on', async () => {
    const shared = await share(await newAuthor(server), { max_downloads: 1 })
    const [one, other] = [newVisit(), newVisit()]
    for (const visit of [one, other]) expectAnswer(await visitShare(shared, visit), '200')
    expectAnswer(await readShare(shared, one), '200')
    for (const visit of [other, newVisit(), {}]) {
      expectAnswer(await visitShare(shared, visit), '410 share.used_up')
      expectAnswer(await readShare(shared, visit), '410 share.used_up')
    }
    expectAnswer(await visitShare(shared, one), '200')
    expectAnswer(await readShare(shared, { ...one, range: 'bytes=5-' }), '206')
    const change = (body: object) => nameShare(shared.author.owner, shared.opaqueId, body)
    expectAnswer(await change({ max_downloads: 2 }), '204')
    expectAnswer(await readShare(shared, other), '200')
    expectAnswer(await readShare(shared, newVisit()), '410 share.used_up')
    expectAnswer(await change({}), '204')
    assert.deepEqual(await countsOf(shared), [2, 2, 2])
    expectAnswer(await change({ max_downloads: null }), '204')
    expectAnswer(await readShare(shared, newVisit()), '200')
    assert.deepEqual(await countsOf(shared), [2, 3, undefined])
    for (const wrong of [0, 251]) {
      expectAnswer(await change({ max_downloads: wrong }), '400 request.malformed')
      expectAnswer(await makeShare(shared.author.owner, shareBody({ max_downloads: wrong })), '400 request.malformed')
    }
  })
})

// Covers: Other operations, shares and sync feed; Shares
describe('a share', () => {
  it('serves the blob whole and by ranges, with its hash as ETag, and its HEAD without a body', async () => {
    const shared = await newShare()
    const { file, hash } = shared
    const reading: Read = (headers, method) => readShare(shared, headers, method)
    expectWhole(await reading(), file)
    await expectRange(reading, file, ['bytes=0-0', 0, 1])
    await expectRange(reading, file, ['bytes=990-5000', 990, SHARED_BYTES])
    await expectRange(reading, file, ['bytes=-7', 993, SHARED_BYTES])
    expectAnswer(await reading({ range: `bytes=${SHARED_BYTES}-` }), '416 request.range_not_satisfiable')
    assert.equal((await reading({ range: 'bytes=0-9', 'if-range': '"other"' })).status, 200)
    for (const method of ['GET', 'HEAD'])
      assert.equal((await reading({ 'if-none-match': `"${hash}"` }, method)).status, 304)
    await expectHeadLikeGet(reading)
  })

  it('is kept by no cache, and no browser runs its blobs', async () => {
    const shared = await share(await newAuthor(server), {}, Buffer.from('<!doctype html><script>alert(1)</script>'))
    assert.equal((await visitShare(shared)).headers['cache-control'], 'no-store')
    await expectSafeForBrowsers((headers, method) => readShare(shared, headers, method), /^no-store$/)
  })

  it('answers the same 404 for everything that it does not show', async () => {
    const author = await newAuthor(server)
    const { owner } = author
    const [live, expired, ended, other] = [
      await share(author),
      await share(author, { expires_at: soon() }),
      await share(author),
      await newShare(),
    ]
    await endShare(owner, ended.opaqueId)
    await until(
      seldom(async () => (await visitShare(expired)).status === 404),
      'the share expires',
    )
    const [deleted, open, dropped] = [newBundle(author), newBundle(author), randomBytes(SHARED_BYTES)]
    await landBlob(deleted)
    await deleteAsset(deleted)
    await openUpload(open)
    const link = await provision(owner)
    await land(link, dropped)
    const notHeld = [deleted.original, open.original, dropped, other.file, randomBytes(1)].map(sha256)
    const wide = shareBody({ blob_hashes: notHeld })
    expectAnswer(await makeShare(owner, wide), '201')
    const dead = [newOpaqueId(), ...MALFORMED, expired.opaqueId, ended.opaqueId, link.opaqueId]
    const indexes = dead.map((id) => `/s/${id}`)
    const blobs = [
      ...dead.map((id) => `/s/${id}/blob/${live.hash}`),
      ...[expired, ended].map(({ opaqueId, hash }) => `/s/${opaqueId}/blob/${hash}`),
      ...[other.hash, expired.hash, ...MALFORMED].map((hash) => `/s/${live.opaqueId}/blob/${hash}`),
      ...notHeld.map((hash) => `/s/${wide.opaque_id}/blob/${hash}`),
    ]
    for (const [method, paths] of [
      ['GET', [...indexes, ...blobs]],
      ['HEAD', blobs],
    ] as const) {
      const answers = new Set<string>()
      for (const path of paths) {
        const reply = await server.send({ method, path })
        assert.equal(reply.status, 404, path)
        if (method === 'GET') expectAnswer(reply, NO_SHARE, path)
        answers.add(fingerprint(reply))
      }
      assert.equal(answers.size, 1, [...answers].join('\n----\n'))
    }
    assert.equal(await shownBy(live), THERE)
    assert.equal((await visitShare({ client: server, opaqueId: wide.opaque_id })).status, 200)
  })

  it('with a passphrase shows nothing without the proof, not even whether it has a blob, and limits wrong ones', async () => {
    const verifier = randomBytes(32)
    const shared = await newShare({ passphrase_verifier: verifier.toString('base64') })
    const paths = [
      ['GET', `/s/${shared.opaqueId}`],
      ['GET', `/s/${shared.opaqueId}/blob/${shared.hash}`],
      ['HEAD', `/s/${shared.opaqueId}/blob/${shared.hash}`],
      ['GET', `/s/${shared.opaqueId}/blob/${sha256(randomBytes(1))}`],
    ] as const
    const answers = async (proof?: string, headers: Record<string, string> = {}) => {
      const replies: Reply[] = []
      const given = { ...headers, ...(proof !== undefined && { 'x-service-passphrase-proof': proof }) }
      for (const [method, path] of paths) replies.push(await server.send({ method, path, headers: given }))
      return replies
    }
    const expectAll = (replies: readonly Reply[], answer: string) => {
      for (const reply of replies)
        if (reply.body.length > 0) expectAnswer(reply, answer)
        else assert.equal(reply.status, Number(answer.slice(0, 3)))
    }
    const [entry] = await sharesOf(shared.author.owner)
    assert.equal(entry?.passphrase_required, true)
    for (const header of [{}, { range: 'bytes=0-1' }, { 'if-none-match': `"${shared.hash}"` }])
      expectAll(await answers(undefined, header), '403 share.passphrase_required')
    expectAll(await answers(base64(32)), '403 share.passphrase_required')
    for (const malformed of ['!', 'QUI', base64(4097)]) expectAll(await answers(malformed), '400 request.malformed')
    const right = verifier.toString('base64')
    const [index, blob, head, other] = await answers(right)
    assert.deepEqual([index?.status, blob?.status, head?.status], [200, 200, 200])
    assert.deepEqual(blob?.body, shared.file)
    assert.ok(other !== undefined)
    expectAnswer(other, NO_SHARE)
    expectAnswer(await nameShare(shared.author.owner, shared.opaqueId, { sealed_name: base64(80) }), '204')
    expectAll(await answers(), '403 share.passphrase_required')

    const guess = () =>
      server.send({
        method: 'GET',
        path: `/s/${shared.opaqueId}`,
        headers: { 'x-service-passphrase-proof': base64(32) },
      })
    let limited = await guess()
    for (let tries = 1; limited.status !== 429 && tries < MAX_WRONG_PROOFS; tries++) limited = await guess()
    expectAnswer(limited, '429 share.rate_limited')
    assert.ok(Number(limited.headers['retry-after']) > 0)
    expectAll(await answers(base64(32)), '429 share.rate_limited')
    expectAnswer(await endShare(shared.author.owner, shared.opaqueId), '204')
    expectAll(await answers(right), NO_SHARE)
  })

  it('serves a blob as long as a live asset of its owner has it', async () => {
    const author = await newAuthor(server)
    const shared = await share(author)
    const twin = newBundle(author, { original: shared.file })
    await landBlob(twin)
    await deleteAsset(shared)
    assert.equal(await shownBy(shared), THERE)
    await deleteAsset({ author, assetId: twin.assetId })
    assert.equal(await shownBy(shared), INDEX_ALONE)
    await landBlob(newBundle(author, { original: shared.file }))
    assert.equal(await shownBy(shared), THERE)
  })

  it('is hidden while its owner is suspended, hides blobs on hold, and no log has its id', {
    skip: NEEDS_OWN_SERVER,
  }, async () => {
    if (NEEDS_OWN_SERVER) return
    const { client, operate, log } = await operatedServer()
    const author = await newAuthor(client)
    const shared = await share(author)
    assert.equal(await shownBy(shared), THERE)
    await operate('hold', 'add', shared.hash, '--reason', 'court order')
    assert.equal(await shownBy(shared), INDEX_ALONE)
    await operate('account', 'suspend', author.owner.email)
    assert.equal(await shownBy(shared), GONE)
    expectAnswer(await makeShare(author.owner, shareBody()), '403 account.suspended')
    assert.equal((await sharesOf(author.owner)).length, 1)
    assert.match(log(), /\/s\/:opaque_id\/blob\/:hash/)
    assert.ok(!log().includes(shared.opaqueId))
  })
})
