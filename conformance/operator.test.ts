/** What requests alone cannot bring about: an operator suspends an account, or gives it limits of its own. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { checkReceipts } from './checker/check.ts'
import { type Call, json } from './client.ts'
import { expectSaid, fingerprint, said } from './expect.ts'
import type { KeysDocument } from './receiptWriter.ts'
import { NEEDS_OWN_SERVER, type OperatedServer, operatedServer } from './server.ts'
import { callOf, newSetting } from './setting.ts'
import {
  append,
  chunkHeaders,
  declaration,
  inboxOf,
  land,
  newLink,
  newOpaqueId,
  openSession,
  quotaOf,
  revoke,
  sendDeclaration,
  sessionPath,
  standing,
  visit,
} from './world.ts'

const FILE = randomBytes(100)
/** Posted, and yet they write nothing of the account's. */
const READ_OR_FREED = ['POST /v1/storage/verify', 'POST /v1/auth/logout']
/** An answer that lasts as long as somebody listens. */
const ENDLESS = ['GET /v1/events']

interface Receipt {
  readonly receipt_seq: number
  readonly server_key_id: string
}

const skip = NEEDS_OWN_SERVER
const started = skip === false ? await operatedServer({ QUOTA_HARD_BYTES: '1000' }) : undefined

function operated(): OperatedServer {
  if (started === undefined) throw new Error('these tests need a server of their own')
  return started
}

describe('an operator', () => {
  it('keeps a suspended account from all that writes, and from nothing that reads or frees', { skip }, async () => {
    const { client, operate } = operated()
    const setting = await newSetting(client)
    const account = await client.send({ method: 'GET', path: '/v1/account', token: setting.token })
    await operate('account', 'suspend', JSON.parse(account.body.toString()).account_id)
    const ofAccount = client.document.operations.filter(({ bearer, name }) => bearer && !ENDLESS.includes(name))
    const isLogout = ({ name }: { readonly name: string }) => name === 'POST /v1/auth/logout'
    for (const operation of [...ofAccount.filter((each) => !isLogout(each)), ...ofAccount.filter(isLogout)]) {
      const { method, name } = operation
      const writes = ['POST', 'PATCH'].includes(method) && !READ_OR_FREED.includes(name)
      const reply = await client.send(callOf(operation, setting))
      assert.equal(reply.status === 403 && said(reply) === '403 account.suspended', writes, name)
    }
  })

  it('hides a suspended owner’s links as if they were not there, and what is open goes on afterwards', {
    skip,
  }, async () => {
    const { client, operate } = operated()
    const [link, revoked] = [await newLink(client), await newLink(client)]
    const [landed, open, ended] = [
      await land(link, FILE),
      await openSession(link, FILE),
      await openSession(revoked, FILE),
    ]
    await append(open, 0, 40)
    await revoke(revoked)
    await operate('account', 'suspend', link.owner.email)
    const unknown = { opaqueId: newOpaqueId(), uploadId: randomUUID() }
    const ways: readonly ((id: { readonly opaqueId: string; readonly uploadId: string }) => Call)[] = [
      ({ opaqueId }) => ({ method: 'GET', path: `/d/${opaqueId}` }),
      ({ opaqueId }) => ({ method: 'POST', path: `/d/${opaqueId}`, json: declaration(FILE) }),
      ({ opaqueId, uploadId }) => ({ method: 'HEAD', path: `/d/${opaqueId}/${uploadId}` }),
      ({ opaqueId, uploadId }) => ({ method: 'DELETE', path: `/d/${opaqueId}/${uploadId}` }),
      ({ opaqueId, uploadId }) => ({ method: 'GET', path: `/d/${opaqueId}/${uploadId}/receipt` }),
      ({ opaqueId, uploadId }) => ({
        method: 'PATCH',
        path: `/d/${opaqueId}/${uploadId}`,
        body: FILE.subarray(40),
        headers: chunkHeaders(40, FILE.subarray(40)),
      }),
    ]
    for (const way of ways) {
      const answers = [open, ended, unknown].map(async (session) => fingerprint(await client.send(way(session))))
      const [first, ...others] = await Promise.all(answers)
      assert.match(first ?? '', /^404/)
      for (const other of others) assert.equal(other, first)
    }
    assert.equal((await standing(landed)).state, 'landed', 'what has landed answers as it did')
    expectSaid(await client.send({ method: 'GET', path: `${sessionPath(landed)}/receipt` }), '200')
    await operate('account', 'resume', link.owner.email)
    assert.equal((await standing(open)).offset, 40)
    expectSaid(await append(open, 40), '204')
    expectSaid(await visit(link), '200')
    assert.equal((await inboxOf(link.owner)).length, 2)
  })

  it('gives an account limits of its own, before the deployment’s', { skip }, async () => {
    const { client, operate } = operated()
    const [link, other] = [await newLink(client), await newLink(client)]
    const { email } = link.owner
    await operate('account', 'quota', email, '--soft', '50', '--hard', '2kB')
    await openSession(link, randomBytes(2000))
    const full = { used: 2000, soft_limit: 50, hard_limit: 2000, state: 'hard_exceeded' }
    assert.deepEqual(await quotaOf(link.owner), full)
    expectSaid(await sendDeclaration(link, declaration(FILE)), '403 quota.exceeded')
    expectSaid(await sendDeclaration(other, declaration(randomBytes(1001))), '403 quota.exceeded')
    await operate('account', 'quota', email, '--soft', 'default', '--hard', 'unlimited')
    assert.deepEqual(await quotaOf(link.owner), { used: 2000, state: 'ok' })
    expectSaid(await sendDeclaration(link, declaration(FILE)), '201')
  })

  it('keeps the attestation key that was rotated, with its end, and the receipts of both keys hold', {
    skip,
  }, async () => {
    const { client, operate } = operated()
    const link = await newLink(client)
    const keysOf = async () => {
      const reply = await client.send({ method: 'GET', path: '/.well-known/service/attestation-keys' })
      return { etag: reply.headers.etag, document: json<KeysDocument>(reply) }
    }
    const receiptOf = async () => {
      const session = await land(link, randomBytes(10))
      return json<Receipt>(await client.send({ method: 'GET', path: `${sessionPath(session)}/receipt` }))
    }
    const [before, old] = [await receiptOf(), await keysOf()]
    await operate('keys', 'rotate')
    const [after, rotated] = [await receiptOf(), await keysOf()]
    const { keys } = rotated.document
    assert.deepEqual(
      keys.map(({ active_to, ...key }) => key).slice(0, -1),
      old.document.keys.map(({ active_to, ...key }) => key),
    )
    assert.notEqual(rotated.etag, old.etag)
    const [retired, active] = keys.slice(-2)
    assert.deepEqual([retired?.active_to, active?.active_to], [active?.active_from, undefined])
    assert.deepEqual(
      [before, after].map(({ server_key_id }) => server_key_id),
      [retired?.key_id, active?.key_id],
    )
    const { faults } = await checkReceipts([before, after], { keys: rotated.document, pins: old.document, log: true })
    assert.deepEqual(faults, [])
  })
})
