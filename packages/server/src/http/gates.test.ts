import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { parseProtocolVersion } from '@blindkeep/protocol/ids'
import { type Operation, operations } from '@blindkeep/protocol/operations'
import { defined, inWorld, newAccount } from '../testing/world.ts'
import { authenticate, headerForms, jsonOf, mediaType, negotiation, pathIds, queryOf, spokenVersion } from './gates.ts'
import type { Body } from './sockets/body.ts'

const rows: Readonly<Record<keyof typeof operations, Operation>> = operations
const reasonOf = (answer: unknown): string => String(Object(answer).refused ?? 'passes')

const base64Of = (length: number) => Buffer.alloc(length).toString('base64')
const PROOF = { key: base64Of(32), nonce: base64Of(56), signature: base64Of(64) }
const WRONG = { ...PROOF, key: base64Of(31) }

describe('the gate of credentials', () => {
  it(
    'accepts a live token, in any spelling of the scheme',
    inWorld(async (world) => {
      const { sessions } = world.rules
      const { accessToken, accountId } = await sessions.open(await newAccount(world), undefined)
      for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
        const caller = await authenticate(sessions, `${scheme} ${accessToken}`)
        assert.equal('account' in caller && caller.account.accountId, accountId)
      }
    }),
  )

  it(
    'distinguishes a missing token from an unreadable one',
    inWorld(async ({ rules: { sessions } }) => {
      assert.equal(reasonOf(await authenticate(sessions, undefined)), 'unauthenticated')
      for (const given of [
        '',
        'Bearer',
        'Bearer ',
        'Basic YTpi',
        'Bearer a b',
        'Bearer é',
        'Bearer a.b.c',
        `Bearer ${'x'.repeat(20_000)}`,
      ])
        assert.equal(reasonOf(await authenticate(sessions, given)), 'token_unreadable', given.slice(0, 20))
    }),
  )
})

describe('the gate of protocol versions', () => {
  const window = { min: defined(parseProtocolVersion('2026-01-01')), max: defined(parseProtocolVersion('2026-11-01')) }
  const judge = (row: Operation, given: string | undefined) =>
    reasonOf(negotiation(row, spokenVersion(row, given === undefined ? {} : { 'x-service-protocol': given }), window))

  it('refuses creating writes outside the window, whose ends are both inside', () => {
    for (const row of [rows.provisionLink, rows.createDrop]) {
      for (const given of [undefined, '2026-01-01', '2026-06-15', '2026-11-01'])
        assert.equal(judge(row, given), 'passes')
      for (const given of ['2025-12-31', '2026-11-02']) assert.equal(judge(row, given), 'version_unsupported')
    }
  })

  it('accepts everything else with any date, and refuses what is not a date', () => {
    for (const name of ['appendChunk', 'cancelDrop', 'revokeLink', 'discardDrop', 'guestLink', 'inbox'] as const) {
      assert.equal(judge(rows[name], '1999-01-01'), 'passes')
      for (const given of ['', '2026', '2026-13-01', '2026-02-30', '2026-01-01, 2026-01-01'])
        assert.equal(judge(rows[name], given), 'request_malformed')
    }
    assert.equal(judge(rows.serverInfo, 'nonsense'), 'passes')
  })
})

describe('the gate of header forms', () => {
  it('accepts an Idempotency-Key of 1 to 255 printable ASCII characters if the row has one', () => {
    const judge = (row: Operation, key: string) => reasonOf(headerForms(row, { 'idempotency-key': key }))
    for (const key of ['a', '~'.repeat(255), '"quoted"']) assert.equal(judge(rows.createDrop, key), 'passes')
    for (const key of ['', 'a b', 'x'.repeat(256), 'é', 'a\tb'])
      assert.equal(judge(rows.createDrop, key), 'request_malformed')
    assert.equal(judge(rows.provisionLink, 'a b'), 'passes')
    assert.equal(headerForms(rows.createDrop, {}), undefined)
  })
})

describe('the gate of path ids', () => {
  const uuid = '0192e8a4-7c4e-7d1a-9b1e-3f2a5c6d7e8f'
  const opaque = 'a'.repeat(32)

  it('accepts well-formed ids', () => {
    assert.deepEqual(pathIds(rows.appendChunk, { opaque_id: opaque, upload_id: uuid }), {
      opaque_id: opaque,
      upload_id: uuid,
    })
  })

  it('answers a guest as for an unknown id, and tells an account holder that the id is malformed', () => {
    const bad = [
      '',
      '..',
      '../../etc/passwd',
      'a'.repeat(31),
      'A'.repeat(32),
      `${opaque}\0`,
      `${opaque}/`,
      uuid.toUpperCase(),
      '%',
      'x'.repeat(10_000),
    ]
    for (const id of bad) {
      assert.deepEqual(pathIds(rows.guestLink, { opaque_id: id }), { refused: 'link_not_live' })
      assert.deepEqual(pathIds(rows.createDrop, { opaque_id: id }), { refused: 'link_not_live' })
      assert.deepEqual(pathIds(rows.share, { opaque_id: id }), { refused: 'share_not_found' })
      assert.deepEqual(pathIds(rows.shareBlob, { opaque_id: opaque, hash: id }), { refused: 'share_not_found' })
      assert.deepEqual(pathIds(rows.appendChunk, { opaque_id: id, upload_id: uuid }), { refused: 'upload_not_found' })
      assert.deepEqual(pathIds(rows.appendChunk, { opaque_id: opaque, upload_id: id }), { refused: 'upload_not_found' })
      assert.equal(reasonOf(pathIds(rows.discardDrop, { drop_id: id })), 'request_malformed')
      assert.equal(reasonOf(pathIds(rows.revokeLink, { opaque_id: id })), 'request_malformed')
      assert.deepEqual(pathIds(rows.problemPage, { code: id }), { refused: 'not_found' })
    }
  })
})

describe('the gate of the query', () => {
  const parameters = rows.discardDrops.query ?? {}
  const judge = (text: string) => reasonOf(queryOf(parameters, new URLSearchParams(text)))
  const good = `opaque_id=${'a'.repeat(32)}`

  it('requires required parameters and refuses unknown ones, even names that every object has', () => {
    assert.equal(judge(good), 'passes')
    assert.equal(judge(''), 'request_unprocessable')
    for (const text of [
      'opaque_id=',
      'opaque_id=x',
      `${good}&${good}`,
      `${good}&x=1`,
      `${good}&X`,
      '__proto__=1',
      'constructor=1',
      'toString=1',
    ])
      assert.equal(judge(text), 'request_malformed', text)
  })
})

describe('the gate of media types', () => {
  const judge = (type: string | undefined, coding?: string) =>
    reasonOf(mediaType('application/json', (name) => (name === 'content-type' ? type : coding)))

  it('accepts the type in any case and with parameters, without a content coding', () => {
    for (const type of [
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      ' application/json ;x',
    ])
      assert.equal(judge(type), 'passes', type)
    assert.equal(judge('application/json', 'identity'), 'passes')
    for (const type of [
      undefined,
      '',
      'text/plain',
      'application/jsonx',
      'application/problem+json',
      'application/octet-stream',
    ])
      assert.equal(judge(type), 'media_type_unsupported', type)
    for (const coding of ['gzip', 'gzip, identity', ''])
      assert.equal(judge('application/json', coding), 'media_type_unsupported', coding)
  })
})

describe('the gate of JSON', () => {
  const bodyOf = (bytes: Uint8Array): Body => ({
    async *pieces() {
      yield bytes
    },
    skip: async () => undefined,
    drain: async () => true,
    readOn: async () => undefined,
  })
  const judge = async (row: Operation, body: string | Uint8Array) => {
    assert.ok(row.body?.type === 'application/json')
    return jsonOf(row.body, bodyOf(typeof body === 'string' ? Buffer.from(body) : body), 1_048_576)
  }
  const login = (changes: object) => JSON.stringify({ email: 'a@b', proof: PROOF, ...changes })

  it('accepts a valid body and leaves out members that are null', async () => {
    assert.deepEqual(await judge(rows.login, login({ device_id: null })), { json: { email: 'a@b', proof: PROOF } })
  })

  it('refuses what is not JSON in UTF-8, at any depth', async () => {
    const bad = [
      '',
      '{',
      '{}x',
      "{'a':1}",
      '\u0000',
      '['.repeat(1_000_000),
      `{"email":${'['.repeat(500_000)}`,
      Buffer.from([0x22, 0xff, 0x22]),
    ]
    for (const body of bad) assert.equal(reasonOf(await judge(rows.login, body)), 'request_malformed')
    const deep = (depth: number) => `{"email":${'['.repeat(depth)}${']'.repeat(depth)},"proof":{}}`
    assert.equal(reasonOf(await judge(rows.login, deep(15))), 'request_unprocessable')
    assert.equal(reasonOf(await judge(rows.login, deep(16))), 'request_malformed')
    assert.equal(reasonOf(await judge(rows.login, deep(400_000))), 'request_malformed')
  })

  it('reports unknown members before missing and mistyped ones, and those before wrong values', async () => {
    const order = async (changes: object) => reasonOf(await judge(rows.login, login(changes)))
    assert.equal(await order({ x: 1, email: 5, proof: WRONG }), 'request_malformed')
    assert.equal(await order({ email: 5, proof: WRONG }), 'request_unprocessable')
    assert.equal(await order({ email: undefined, proof: WRONG }), 'request_unprocessable')
    assert.equal(await order({ email: null, proof: WRONG }), 'request_unprocessable')
    assert.equal(await order({ proof: WRONG }), 'request_malformed')
    for (const body of ['null', '[]', '"x"', '5'])
      assert.equal(reasonOf(await judge(rows.login, body)), 'request_unprocessable')
    for (const body of ['{"__proto__":1,"email":"a@b","proof":{}}', login({ constructor: 1 })])
      assert.equal(reasonOf(await judge(rows.login, body)), 'request_malformed')
  })

  it('reports a mistyped member behind any number of wrong values', async () => {
    const wrong = '!'.repeat(6000)
    const body = {
      email: 'a',
      proof: WRONG,
      kdf_version: 0,
      salt: wrong,
      sealed_account_key: wrong,
      sealed_recovery_key: wrong,
      recovery_key: wrong,
    }
    assert.equal(reasonOf(await judge(rows.register, JSON.stringify({ ...body, invite: 5 }))), 'request_unprocessable')
  })

  it('leaves to the operation only the values that it checks later', async () => {
    const later = { content_type: '', ciphertext_hash: '', kem_ct: '!', passphrase_proof: '', suggested_filename: '' }
    assert.ok('json' in (await judge(rows.createDrop, JSON.stringify({ ...later, size: 1 }))))
    assert.equal(reasonOf(await judge(rows.createDrop, JSON.stringify({ ...later, size: 0 }))), 'request_malformed')
    assert.equal(
      reasonOf(await judge(rows.createDrop, JSON.stringify({ ...later, size: 1.5 }))),
      'request_unprocessable',
    )
    for (const name of ['album_id', 'amk_version', 'manifest_envelope', 'provenance'])
      assert.equal(
        reasonOf(await judge(rows.createDrop, JSON.stringify({ ...later, size: 1, [name]: null }))),
        'request_malformed',
      )
  })
})
