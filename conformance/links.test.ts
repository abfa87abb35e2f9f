import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { until } from '../testing/until.ts'
import { json, type Reply } from './call.ts'
import { expectProtocolWindow, expectRefusedValues, MISTYPED } from './creations.ts'
import { expectAnswer, fingerprint } from './expect.ts'
import { connect } from './server.ts'
import {
  append,
  base64,
  declaration,
  entryOf,
  guestView,
  type Link,
  land,
  linkBody,
  linksOf,
  newLink,
  newOpaqueId,
  type Owner,
  openSession,
  provision,
  revoke,
  seldom,
  sendDeclaration,
  sendLink,
  signUp,
  soon,
  untilExpired,
  visit,
} from './world.ts'

const MAX_LIVE_LINKS = 1000
const AT_A_TIME = 20
const hourAhead = () => new Date(Date.now() + 3_600_000).toISOString()
const everyCap = () => ({
  expires_at: hourAhead(),
  max_total_bytes: 5000,
  max_file_count: 5,
  max_file_size: 1000,
  single_use: false,
  passphrase_verifier: base64(32),
  sealed_label: base64(200),
  sealed_title: base64(201),
})

const server = await connect()
const sendWith = (owner: Owner, headers: Record<string, string>): Promise<Reply> =>
  server.send({ method: 'POST', path: '/v1/drops/links', token: owner.token, json: linkBody(), headers })
const sendText = (owner: Owner, body: string): Promise<Reply> =>
  server.send({
    method: 'POST',
    path: '/v1/drops/links',
    token: owner.token,
    body,
    headers: { 'content-type': 'application/json' },
  })

// Covers: Timestamps; string or null; Provision; ProvisionLinkRequest, required; ProvisionLinkRequest, optional;
// ProvisionLinkRequest, opaque_id; ProvisionLinkRequest, drop_pubkey; ProvisionLinkRequest, crypto_suite_id; State:
// link, live; Errors 4, 400; Requests; Links
describe('provision of a link', () => {
  it('answers 201 with the id of the request, and the link is live', async () => {
    const owner = await signUp(server)
    const body = linkBody()
    const reply = await sendLink(owner, body)
    assert.equal(reply.status, 201)
    assert.deepEqual(json(reply), { opaque_id: body.opaque_id })
    assert.equal((await linksOf(owner))[0]?.state, 'live')
  })

  it('does not need optional fields', async () => {
    const owner = await signUp(server)
    const reply = await sendLink(owner, { opaque_id: newOpaqueId(), drop_pubkey: base64(1216), crypto_suite_id: 1 })
    expectAnswer(reply, '201')
  })

  it('accepts null for every optional field as absent', async () => {
    const owner = await signUp(server)
    const { single_use: _, ...nullable } = everyCap()
    const nulls = Object.fromEntries(Object.keys(nullable).map((name) => [name, null]))
    const body = linkBody(nulls)
    expectAnswer(await sendLink(owner, body), '201')
    const { opaque_id, drop_pubkey, crypto_suite_id } = body
    expectAnswer(await sendLink(owner, { opaque_id, drop_pubkey, crypto_suite_id }), '201', 'the same values as parsed')
  })

  it('answers 201 to a repeat of the same account with the same values', async () => {
    const owner = await signUp(server)
    const body = linkBody(everyCap())
    for (let round = 0; round < 3; round += 1) assert.equal((await sendLink(owner, body)).status, 201)
    assert.equal((await linksOf(owner)).length, 1)
  })

  it('compares values as parsed', async () => {
    const owner = await signUp(server)
    const body = linkBody({ expires_at: '2099-01-01T12:00:00Z' })
    assert.equal((await sendLink(owner, body)).status, 201)
    expectAnswer(await sendLink(owner, { ...body, expires_at: '2099-01-01T13:00:00.000+01:00' }), '201')
    expectAnswer(await sendLink(owner, { ...body, single_use: false, max_file_size: null }), '201')
  })

  it('answers 400 to a taken id with any other value', async () => {
    const owner = await signUp(server)
    const body = linkBody(everyCap())
    await sendLink(owner, body)
    const changes = {
      drop_pubkey: base64(1216),
      expires_at: '2098-01-01T00:00:00Z',
      max_total_bytes: 5001,
      max_file_count: 6,
      max_file_size: 1001,
      single_use: true,
      passphrase_verifier: base64(32),
      sealed_label: base64(200),
      sealed_title: base64(201),
    }
    for (const [name, value] of Object.entries(changes))
      for (const change of name === 'drop_pubkey' || name === 'single_use' ? [value] : [value, null])
        expectAnswer(await sendLink(owner, { ...body, [name]: change }), '400 drop.opaque_id_taken', name)
  })

  it('answers 400 to the id of another account’s link, and leaves that unchanged', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const body = linkBody()
    await sendLink(owner, body)
    expectAnswer(await sendLink(other, body), '400 drop.opaque_id_taken')
    expectAnswer(await sendLink(other, { ...body, drop_pubkey: base64(1216) }), '400 drop.opaque_id_taken')
    assert.equal((await guestView({ owner, opaqueId: String(body.opaque_id) })).drop_pubkey, body.drop_pubkey)
    assert.equal((await linksOf(other)).length, 0)
  })

  it('answers 422 to an expires_at that has passed, and names its own time', async () => {
    const owner = await signUp(server)
    for (const expires_at of ['2020-01-01T00:00:00Z', new Date(Date.now() - 7_200_000).toISOString()]) {
      const reply = await sendLink(owner, linkBody({ expires_at }))
      expectAnswer(reply, '422 request.unprocessable', expires_at)
      assert.match(json<{ detail: string }>(reply).detail, /^\/expires_at has passed: here it is \d{4}-/)
    }
    assert.equal((await linksOf(owner)).length, 0)
  })

  it('accepts any RFC 3339 time, and answers UTC with milliseconds', async () => {
    const owner = await signUp(server)
    const forms = {
      '2099-06-01T12:00:00Z': '2099-06-01T12:00:00.000Z',
      '2099-06-01T12:00:00.5+02:30': '2099-06-01T09:30:00.500Z',
      '2099-06-01t12:00:00z': '2099-06-01T12:00:00.000Z',
      '2099-06-01T12:00:00.123456-00:00': '2099-06-01T12:00:00.123Z',
    }
    for (const [given, answered] of Object.entries(forms))
      assert.equal((await entryOf(await provision(owner, { expires_at: given }))).expires_at, answered)
  })

  it('answers 400 to a value of a wrong format or range', async () => {
    const owner = await signUp(server)
    const values = {
      opaque_id: ['', 'A'.repeat(32), '0'.repeat(31), '0'.repeat(33), `${'0'.repeat(31)}g`, `${'0'.repeat(32)}\n`],
      drop_pubkey: ['', 'AAA', 'AAA=A', '-_-_', 'AA\nAA', 'AB==', base64(4097)],
      crypto_suite_id: [0, 2, -1],
      expires_at: [
        '',
        'tomorrow',
        '2099-02-30T00:00:00Z',
        '2099-01-01',
        '2099-01-01 00:00:00Z',
        '2099-01-01T00:00:00',
        '2099-01-01T24:00:00Z',
        '9999-12-31T23:59:59-01:00',
        '0000-01-01T00:00:00+01:00',
      ],
      max_total_bytes: [-1, 2 ** 53],
      max_file_count: [-1, 2 ** 53],
      max_file_size: [-1, 2 ** 53],
      passphrase_verifier: ['', '=', base64(4097)],
      sealed_label: ['', '=', base64(4097)],
      sealed_title: ['', '=', base64(7681)],
    }
    await expectRefusedValues((over) => sendLink(owner, linkBody(over)), values, '400 request.malformed')
    assert.equal((await linksOf(owner)).length, 0)
  })

  it('accepts values at the ends of their ranges', async () => {
    const owner = await signUp(server)
    const right = [
      { drop_pubkey: base64(1) },
      { drop_pubkey: base64(4096) },
      { passphrase_verifier: base64(4096) },
      { sealed_label: base64(4096) },
      { sealed_title: base64(7680) },
      { max_total_bytes: 2 ** 53 - 1, max_file_count: 2 ** 53 - 1, max_file_size: 2 ** 53 - 1 },
      { max_total_bytes: 0, max_file_count: 0, max_file_size: 0 },
    ]
    for (const over of right)
      expectAnswer(await sendLink(owner, linkBody(over)), '201', JSON.stringify(over).slice(0, 80))
  })

  it('answers 422 to a missing, null or wrongly typed required field', async () => {
    const owner = await signUp(server)
    const values = {
      opaque_id: MISTYPED,
      drop_pubkey: MISTYPED,
      crypto_suite_id: [undefined, null, {}, [], true, '1'],
    }
    await expectRefusedValues((over) => sendLink(owner, linkBody(over)), values, '422 request.unprocessable')
  })

  it('answers 422 to an optional field of another JSON type', async () => {
    const owner = await signUp(server)
    const values = {
      expires_at: [1],
      max_total_bytes: ['5'],
      max_file_count: [1.5],
      max_file_size: [true],
      single_use: ['true'],
      passphrase_verifier: [7],
      sealed_label: [{}],
      sealed_title: [{}],
    }
    await expectRefusedValues((over) => sendLink(owner, linkBody(over)), values, '422 request.unprocessable')
  })

  it('answers 400 to an unknown field', async () => {
    const owner = await signUp(server)
    for (const name of ['album_id', 'maxFileSize', '', 'constructor'])
      expectAnswer(await sendLink(owner, linkBody({ [name]: null })), '400 request.malformed', name)
    expectAnswer(
      await sendText(owner, `{"__proto__":{},${JSON.stringify(linkBody()).slice(1)}`),
      '400 request.malformed',
    )
  })

  it('answers 403 to more than 1,000 live links', async () => {
    const owner = await signUp(server)
    const opaqueIds: string[] = []
    for (let done = 0; done < MAX_LIVE_LINKS; done += AT_A_TIME) {
      const links = await Promise.all(Array.from({ length: AT_A_TIME }, () => provision(owner)))
      opaqueIds.push(...links.map(({ opaqueId }) => opaqueId))
    }
    expectAnswer(await sendLink(owner, linkBody()), '403 drop.links_exhausted')
    assert.equal((await linksOf(owner)).length, MAX_LIVE_LINKS)
    await revoke({ owner, opaqueId: String(opaqueIds[0]) })
    expectAnswer(await sendLink(owner, linkBody()), '201', 'a link that has ended does not count')
  })
})

// Covers: ProtocolWindowResponse; Errors 4, 426; Versioning 2; Versioning 3; Versioning 5; Requests
describe('protocol negotiation', () => {
  it('answers 426 to a creating write outside the window, and accepts both of its ends', async () => {
    const owner = await signUp(server)
    await expectProtocolWindow((headers) => sendWith(owner, headers))
  })

  it('answers 400 to a malformed protocol header', async () => {
    const owner = await signUp(server)
    for (const version of ['', 'newest', '2026-1-1', '2026-02-30', '2026-01-01T00:00:00Z', '2026-01-01, 2026-01-01'])
      expectAnswer(await sendWith(owner, { 'x-service-protocol': version }), '400 request.malformed', version)
  })

  it('serves reads and deletions with any well-formed date', async () => {
    const link = await newLink(server)
    const headers = { 'x-service-protocol': '1999-12-31' }
    for (const path of ['/v1/quota', '/v1/drops', '/v1/drops/links'])
      assert.equal((await server.send({ method: 'GET', path, token: link.owner.token, headers })).status, 200)
    assert.equal((await server.send({ method: 'GET', path: `/d/${link.opaqueId}`, headers })).status, 200)
    const path = `/v1/drops/links/${link.opaqueId}`
    assert.equal((await server.send({ method: 'DELETE', path, token: link.owner.token, headers })).status, 204)
  })
})

// Covers: Links
describe('own links', () => {
  it('are listed for their owner only, oldest first', async () => {
    const [owner, other] = [await signUp(server), await signUp(server)]
    const links: Link[] = []
    for (let index = 0; index < 5; index += 1) links.push(await provision(owner))
    await provision(other)
    assert.deepEqual(
      (await linksOf(owner)).map(({ opaque_id }) => opaque_id),
      links.map(({ opaqueId }) => opaqueId),
    )
  })

  it('show caps and label, and never the verifier', async () => {
    const caps = everyCap()
    const { opaque_id: _, state: __, created_at: ___, ...entry } = await entryOf(await newLink(server, caps))
    const { passphrase_verifier, ...shown } = caps
    const used = { landed_files: 0, landed_bytes: 0, open_sessions: 0, open_bytes: 0, pending: 0 }
    assert.deepEqual(entry, { ...shown, passphrase_required: true, ...used })
    assert.ok(!JSON.stringify(entry).includes(passphrase_verifier))
  })

  it('show their state: live, expired, spent or revoked', async () => {
    const owner = await signUp(server)
    const live = await provision(owner)
    const expired = await provision(owner, { expires_at: soon() })
    const spent = await provision(owner, { single_use: true })
    const revoked = await provision(owner)
    await land(spent)
    await revoke(revoked)
    await untilExpired(expired)
    const states = await Promise.all([live, expired, spent, revoked].map(async (link) => (await entryOf(link)).state))
    assert.deepEqual(states, ['live', 'expired', 'spent', 'revoked'])
  })

  it('count landed drops, open sessions and pending drops', async () => {
    const link = await newLink(server)
    await land(link, randomBytes(70))
    await openSession(link, randomBytes(30))
    const first = await entryOf(link)
    assert.deepEqual(
      [first.landed_files, first.landed_bytes, first.open_sessions, first.open_bytes, first.pending],
      [1, 70, 1, 30, 1],
    )
  })
})

const change = ({ owner, opaqueId }: Link, body: object): Promise<Reply> =>
  server.send({ method: 'PATCH', path: `/v1/drops/links/${opaqueId}`, token: owner.token, json: body })

const noteHeldBack = ({ opaqueId }: Pick<Link, 'opaqueId'>, body: unknown): Promise<Reply> =>
  server.send({ method: 'POST', path: `/d/${opaqueId}/link/refusals`, json: body })

// Covers: Links
describe('a change of a link', () => {
  it('sets what is given, removes what is null, leaves what is absent, and answers the link as it is listed', async () => {
    const link = await newLink(server, { ...everyCap(), max_file_count: 2 })
    const before = await entryOf(link)
    assert.equal(before.passphrase_required, true)
    const reply = await change(link, {
      max_file_count: 7,
      max_total_bytes: null,
      expires_at: '2099-06-01T12:00:00+02:00',
    })
    assert.equal(reply.status, 200)
    const { max_total_bytes: _, ...rest } = before
    assert.deepEqual(json(reply), { ...rest, max_file_count: 7, expires_at: '2099-06-01T10:00:00.000Z' })
    assert.deepEqual(await entryOf(link), json(reply))
    assert.deepEqual(json(await change(link, {})), json(reply))
  })

  it('sets and removes the label, of which guests get nothing', async () => {
    const link = await newLink(server, everyCap())
    const seen = await guestView(link)
    for (const sealed_label of [base64(1100), base64(4096), null]) {
      const reply = await change(link, { sealed_label })
      expectAnswer(reply, '200')
      const entry = await entryOf(link)
      assert.deepEqual([entry, entry.sealed_label], [json(reply), sealed_label ?? undefined])
      assert.deepEqual(await guestView(link), seen)
    }
    expectAnswer(await change(link, { sealed_label: base64(4097) }), '400 request.malformed')
  })

  it('sets and removes the title, which guests get as their owner sealed it', async () => {
    const link = await newLink(server)
    assert.equal((await guestView(link)).sealed_title, undefined)
    const [first, second] = [base64(1200), base64(4096)]
    for (const sealed_title of [first, second]) {
      expectAnswer(await change(link, { sealed_title }), '200')
      assert.deepEqual(
        [(await entryOf(link)).sealed_title, (await guestView(link)).sealed_title],
        [sealed_title, sealed_title],
      )
    }
    expectAnswer(await change(link, { max_file_count: 3 }), '200')
    assert.equal((await guestView(link)).sealed_title, second)
    expectAnswer(await change(link, { sealed_title: base64(7681) }), '400 request.malformed')
    expectAnswer(await change(link, { sealed_title: null }), '200')
    assert.equal((await guestView(link)).sealed_title, undefined)
  })

  it('answers 409 to a cap below what has landed and is on its way, and changes nothing', async () => {
    const link = await newLink(server, { max_file_count: 5 })
    await land(link, randomBytes(100))
    await openSession(link, randomBytes(50))
    const before = await entryOf(link)
    for (const below of [{ max_file_count: 1 }, { max_total_bytes: 149 }, { max_file_count: 9, max_total_bytes: 0 }])
      expectAnswer(await change(link, below), '409 drop.cap_below_use')
    assert.deepEqual(await entryOf(link), before)
    expectAnswer(await change(link, { max_file_count: 2, max_total_bytes: 150 }), '200')
    assert.equal((await guestView(link)).remaining_files, 0)
  })

  it('ends the time of a link, and begins it again', async () => {
    const link = await newLink(server)
    const session = await openSession(link, randomBytes(10))
    const past = '2020-01-01T00:00:00Z'
    expectAnswer(await change(link, { expires_at: past }), '422 request.unprocessable')
    expectAnswer(await change(link, { expires_at: soon() }), '200')
    await untilExpired(link)
    const { expires_at } = await entryOf(link)
    assert.equal(json<{ state: string }>(await change(link, { expires_at, max_file_count: 2 })).state, 'expired')
    expectAnswer(await visit(link), '404 drop.link_not_found')
    assert.equal((await append(session)).status, 204)
    expectAnswer(await change(link, { expires_at: null }), '200')
    assert.equal((await guestView(link)).expires_at, undefined)
  })

  it('answers the same for a link that is unknown, another account’s, used up or revoked', async () => {
    const owner = await signUp(server)
    const [revoked, spent] = [await provision(owner), await provision(owner, { single_use: true })]
    await revoke(revoked)
    await land(spent)
    const { opaqueId } = await newLink(server)
    const answers = []
    for (const link of [revoked, spent, { owner, opaqueId }, { owner, opaqueId: newOpaqueId() }])
      answers.push(await change(link, { max_file_count: 9 }))
    for (const answer of answers) expectAnswer(answer, '404 drop.link_not_found')
    assert.equal(new Set(answers.map(fingerprint)).size, 1)
  })

  it('shows the owner what guests could not send, and why, until the owner changes the link or dismisses it', async () => {
    const link = await newLink(server, { max_file_size: 500 })
    const before = await entryOf(link)
    for (let count = 0; count < 2; count += 1)
      expectAnswer(await sendDeclaration(link, declaration(randomBytes(600))), '413 drop.file_too_large')
    await until(
      seldom(async () => 'refused_drops' in (await entryOf(link))),
      'the refusals are counted',
    )
    const { refused_drops: refused, ...rest } = await entryOf(link)
    assert.deepEqual(rest, before)
    assert.deepEqual(refused?.reasons, [{ why: 'too_large', count: 2 }])
    assert.ok(Date.parse(refused.first_at) <= Date.parse(refused.last_at))
    assert.equal('refused_drops' in (await guestView(link)), false)
    expectAnswer(await change(link, {}), '200')
    assert.deepEqual(await entryOf(link), before)
  })

  it('shows the owner what a guest’s client held back, on its word, by the limits of the link', async () => {
    const link = await newLink(server, { max_file_size: 500, passphrase_verifier: base64(32) })
    for (const why of ['too_many', 'inbox_full', 'no_room', 'too_large']) {
      const reply = await noteHeldBack(link, { why })
      expectAnswer(reply, '204', why)
      assert.equal(reply.body.length, 0)
    }
    await until(
      seldom(async () => 'refused_drops' in (await entryOf(link))),
      'what was held back is counted',
    )
    assert.deepEqual((await entryOf(link)).refused_drops?.reasons, [{ why: 'too_large', count: 1 }])
  })

  it('takes from a guest’s client one of its reasons and nothing else', async () => {
    const link = await newLink(server)
    for (const more of ['size', 'name', 'count', 'passphrase_proof'])
      expectAnswer(await noteHeldBack(link, { why: 'too_large', [more]: null }), '400 request.malformed', more)
    for (const why of ['files_full', 'bytes_full', 'quota_exceeded', 'expired', 'revoked', ''])
      expectAnswer(await noteHeldBack(link, { why }), '400 request.malformed', why)
    for (const body of [{}, { why: null }, { why: 1 }, ['too_large']])
      expectAnswer(await noteHeldBack(link, body), '422 request.unprocessable', JSON.stringify(body))
  })

  it('dismisses what an ended link refused, and changes nothing of it', async () => {
    const link = await newLink(server)
    await revoke(link)
    expectAnswer(await visit(link), '404 drop.link_not_found')
    await until(
      seldom(async () => 'refused_drops' in (await entryOf(link))),
      'the visit is counted',
    )
    const { refused_drops: refused, ...rest } = await entryOf(link)
    assert.deepEqual(refused?.reasons, [{ why: 'revoked', count: 1 }])
    expectAnswer(await change(link, { max_file_count: 9 }), '404 drop.link_not_found')
    expectAnswer(await change(link, {}), '200')
    assert.deepEqual(await entryOf(link), rest)
  })

  it('refuses other members, and values of a wrong type or range', async () => {
    const link = await newLink(server)
    for (const member of ['opaque_id', 'drop_pubkey', 'single_use', 'passphrase_verifier'])
      expectAnswer(await change(link, { [member]: null }), '400 request.malformed', member)
    expectAnswer(await change(link, { max_file_count: -1 }), '400 request.malformed')
    expectAnswer(await change(link, { expires_at: 'tomorrow' }), '400 request.malformed')
    expectAnswer(await change(link, { max_file_size: '5' }), '422 request.unprocessable')
    const path = `/v1/drops/links/${link.opaqueId}`
    const headers = { 'content-type': 'text/plain' }
    const reply = await server.send({ method: 'PATCH', path, token: link.owner.token, body: '{}', headers })
    expectAnswer(reply, '415 request.unsupported_media_type')
  })
})
