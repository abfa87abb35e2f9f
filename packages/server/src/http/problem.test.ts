import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Operation, operations } from '@blindkeep/protocol/operations'
import { PROBLEMS } from '@blindkeep/protocol/problems'
import type { Refusal } from '../domain/ground/refusals.ts'
import { codeOf, problemAnswer } from './problem.ts'

const ID = '00000000-0000-4000-8000-000000000000'
const answer = (refusal: Refusal, row?: Operation) => problemAnswer(refusal, ID, row)

describe('a problem', () => {
  it('has the members of its code, and the request’s id', () => {
    const { status, headers, body } = answer({ refused: 'request_malformed', detail: '/size must be at least 1' })
    assert.equal(status, 400)
    assert.deepEqual(headers, { 'Content-Type': 'application/problem+json' })
    assert.deepEqual(body, {
      type: '/problems/error.request.malformed',
      title: PROBLEMS['error.request.malformed'].title,
      status: 400,
      detail: '/size must be at least 1',
      instance: `urn:uuid:${ID}`,
      code: 'error.request.malformed',
    })
  })

  it('that hides something has only its code', () => {
    const hiding: Refusal[] = [
      { refused: 'link_not_live' },
      { refused: 'upload_not_found' },
      { refused: 'drop_not_found' },
      { refused: 'not_found' },
      { refused: 'credentials_wrong' },
      { refused: 'passphrase_wrong' },
      { refused: 'failed' },
      { refused: 'storage_unavailable' },
    ]
    for (const refusal of hiding) {
      const { body, headers } = answer(refusal)
      assert.deepEqual(
        Object.keys(body ?? {}).toSorted(),
        ['code', 'instance', 'status', 'title', 'type'],
        refusal.refused,
      )
      assert.deepEqual(
        Object.keys(headers).filter((name) => name !== 'WWW-Authenticate'),
        ['Content-Type'],
      )
    }
  })

  it('is the same for reasons that a client must not tell apart', () => {
    for (const [one, other] of [
      ['passphrase_missing', 'passphrase_wrong'],
      ['unauthenticated', 'token_unreadable'],
    ] as const)
      assert.deepEqual(answer({ refused: one }).body, answer({ refused: other }).body)
    const [link, source] = (['link_limited', 'source_limited'] as const).map((refused) =>
      answer({ refused, retryAfterSeconds: 9 }),
    )
    assert.deepEqual(link, source)
  })

  it('has no body for a request body that is too large', () => {
    assert.deepEqual(answer({ refused: 'body_too_large' }), { status: 413, headers: {}, body: undefined })
  })

  it('has the limit for a file that is too large', () => {
    const { status, body } = answer({ refused: 'file_too_large', limit: 77 })
    assert.deepEqual([status, body?.limit], [413, 77])
  })

  it('has the headers that its status requires', () => {
    const headersOf = (refusal: Refusal) => answer(refusal).headers
    assert.equal(headersOf({ refused: 'link_limited', retryAfterSeconds: 12 })['Retry-After'], '12')
    assert.equal(headersOf({ refused: 'version_unsupported', newest: '2026-11-01' }).Upgrade, 'service/2026-11-01')
    assert.equal(headersOf({ refused: 'method_not_allowed', allow: ['GET', 'HEAD'] }).Allow, 'GET, HEAD')
    assert.equal(headersOf({ refused: 'range_unsatisfiable', size: 5 })['Content-Range'], 'bytes */5')
    assert.equal(headersOf({ refused: 'chunk_misplaced', offset: 0 })['X-Service-Offset'], '0')
  })

  it('with 401 has a challenge, and names an error only if there was a token (RFC 6750, section 3)', () => {
    const challenge = (refused: 'unauthenticated' | 'token_unreadable' | 'session_over' | 'credentials_wrong') =>
      answer({ refused }).headers['WWW-Authenticate']
    assert.equal(challenge('unauthenticated'), 'Bearer realm="service"')
    assert.equal(challenge('credentials_wrong'), 'Bearer realm="service"')
    assert.equal(challenge('token_unreadable'), 'Bearer realm="service", error="invalid_token"')
    assert.equal(challenge('session_over'), 'Bearer realm="service", error="invalid_token"')
  })

  it('has the status that its row gives to the code, if it gives one', () => {
    for (const refusal of [{ refused: 'asset_id_taken' }, { refused: 'manifest_stale', detail: '' }] as const) {
      assert.deepEqual([answer(refusal, operations.adoptDrop).body?.status, answer(refusal).body?.status], [422, 409])
      assert.equal(answer(refusal, operations.createUpload).status, 409)
    }
    const mismatch = { refused: 'manifest_mismatch', detail: '' } as const
    assert.equal(answer(mismatch, operations.appendUpload).status, 409)
    assert.equal(answer(mismatch, operations.createUpload).status, 400)
  })

  it('of a chunk too many has a code of its own', () => {
    assert.equal(codeOf({ refused: 'chunks_too_many', offset: 9 }), 'error.upload.too_many_chunks')
  })

  it('has the status of its code in the catalog', () => {
    for (const refusal of [
      { refused: 'quota_exceeded' },
      { refused: 'caps_exhausted' },
      { refused: 'email_taken' },
    ] as const)
      assert.equal(answer(refusal).status, PROBLEMS[codeOf(refusal)].status)
  })
})
