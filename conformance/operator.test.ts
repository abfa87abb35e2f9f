/**
 * Effects of the operator's commands: suspended accounts, limits of one account, key rotation, holds and cutoffs
 * (specification, Versioning, 4). All tests share one server and run side by side, because they mostly wait for
 * commands.
 */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { until } from '../testing/until.ts'
import { callOf, newTargets } from './anyRequest.ts'
import { adoptBody, deleteAsset, landBlob, newAuthor, newBundle, sendAdoption, sendJson } from './assetWorld.ts'
import { type Call, json, type Reply } from './call.ts'
import { checkReceipts } from './checker/check.ts'
import { answerOf, expectAnswer, fingerprint } from './expect.ts'
import type { KeysDocument } from './receiptWriter.ts'
import { NEEDS_OWN_SERVER, newServer, type OperatedServer } from './server.ts'
import {
  append,
  asOwner,
  chunkHeaders,
  declaration,
  inboxOf,
  land,
  linkBody,
  newLink,
  newOpaqueId,
  type Owner,
  onlyDrop,
  openSession,
  provision,
  quotaOf,
  revoke,
  sendDeclaration,
  sessionPath,
  sha256,
  signUp,
  stateOf,
  visit,
} from './world.ts'

const FILE = randomBytes(100)
/** POST requests that write nothing of the account. */
const READ_OR_FREED = ['POST /v1/storage/verify', 'POST /v1/auth/logout', 'POST /v1/auth/sessions/current/device']
/** An answer without an end. */
const ENDLESS = ['GET /v1/events']

interface Receipt {
  readonly receipt_seq: number
  readonly server_key_id: string
}

/** Answers show a new announcement within this time. */
const MAX_ANNOUNCING_MS = 5_000
/** The first cutoff is at most so long after the command that announces it was started. */
const FIRST_CUTOFF_MS = 15_000
/** So many answers in a row come from each of several nodes. */
const ANSWERS_IN_A_ROW = 6

/** Each node looks for announcements by itself, so one that knows may be followed by one that does not. */
async function untilOnAllNodes(ask: () => Promise<boolean>, what: string, timeoutMs: number): Promise<void> {
  let inARow = 0
  const askAgain = async () => {
    inARow = (await ask()) ? inARow + 1 : 0
    return inARow === ANSWERS_IN_A_ROW
  }
  await until(askAgain, what, timeoutMs)
}

const DAY_MS = 86_400_000
/** Protocol dates before both cutoffs, between them, and at the second. */
const [OLD, BETWEEN, GOOD] = ['2026-02-01', '2026-04-01', '2026-06-01']

interface Announcement {
  readonly min_protocol_version: string
  readonly announced_at: string
  readonly cutoff: string
  readonly detail_url?: string
}

const skip = NEEDS_OWN_SERVER
const started =
  skip === false
    ? await newServer({
        QUOTA_HARD_BYTES: '1000',
        PROTOCOL_MIN: '2026-01-01',
        PROTOCOL_MAX: '2026-11-01',
        DEPRECATION_LEAD_DAYS: '0',
      })
    : undefined

function operated(): OperatedServer {
  if (started === undefined) throw new Error('these tests need their own server')
  return started
}

/** Announces one cutoff that passes soon, for 2026-03-01, and one far ahead, for 2026-06-01. */
async function announceBoth({ operate }: OperatedServer): Promise<readonly unknown[]> {
  const announce = (date: string, aheadMs: number, ...more: readonly string[]) =>
    operate(
      ...['deprecation', 'announce', '--yes', '--min-version', date],
      ...['--cutoff', new Date(Date.now() + aheadMs).toISOString(), ...more],
    )
  // The cutoff must still be ahead when the command runs, also on a busy machine.
  const first = await announce('2026-03-01', 2_000).catch(() => announce('2026-03-01', FIRST_CUTOFF_MS))
  const second = await announce('2026-06-01', 100 * DAY_MS, '--detail-url', 'https://keep.example/news')
  return [first, second]
}

const announcing = started && announceBoth(started)

interface SessionIds {
  readonly opaqueId: string
  readonly uploadId: string
}

/** GET and HEAD of the blob and of the drop with these bytes. */
async function expectBoth(owner: Owner, paths: readonly string[], expected: string): Promise<void> {
  for (const path of paths) {
    expectAnswer(await asOwner(owner, 'GET', path), expected, path)
    assert.equal((await asOwner(owner, 'HEAD', path)).status, Number(expected.slice(0, 3)), path)
  }
}

// Covers: Quota, own limits; State: attestation key; Errors 4, 403 suspension; Quota and receipts
describe('an operator', { concurrency: true }, () => {
  it('stops all writes of a suspended account, but no reads or deletions', { skip }, async () => {
    const { client, operate } = operated()
    const targets = await newTargets(client)
    const account = await client.send({ method: 'GET', path: '/v1/account', token: targets.token })
    await operate('account', 'suspend', JSON.parse(account.body.toString()).account_id)
    const ofAccount = client.document.operations.filter(({ bearer, name }) => bearer && !ENDLESS.includes(name))
    const isLogout = ({ name }: { readonly name: string }) => name === 'POST /v1/auth/logout'
    for (const operation of [...ofAccount.filter((each) => !isLogout(each)), ...ofAccount.filter(isLogout)]) {
      const { method, name } = operation
      const writes = ['POST', 'PATCH'].includes(method) && !READ_OR_FREED.includes(name)
      const reply = await client.send(callOf(operation, targets))
      assert.equal(reply.status === 403 && answerOf(reply) === '403 account.suspended', writes, name)
    }
  })

  it('hides the links of a suspended owner, and open sessions continue after the suspension', {
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
    // The passing cutoff changes a header of every answer: it must not fall between two answers that are compared.
    const windowStart = async () => (await visit(link)).headers['x-service-protocol-min']
    await announcing
    await untilOnAllNodes(
      async () => (await windowStart()) === '2026-03-01',
      'the cutoff has passed',
      FIRST_CUTOFF_MS + MAX_ANNOUNCING_MS,
    )
    await operate('account', 'suspend', link.owner.email)
    const unknown = { opaqueId: newOpaqueId(), uploadId: randomUUID() }
    const chunkOf = ({ opaqueId, uploadId }: SessionIds, start: number, end: number): Call => ({
      method: 'PATCH',
      path: `/d/${opaqueId}/${uploadId}`,
      body: FILE.subarray(start, end),
      headers: chunkHeaders(start, FILE.subarray(start, end)),
    })
    const ways: readonly ((ids: SessionIds) => Call)[] = [
      ({ opaqueId }) => ({ method: 'GET', path: `/d/${opaqueId}` }),
      ({ opaqueId }) => ({ method: 'POST', path: `/d/${opaqueId}`, json: declaration(FILE) }),
      ({ opaqueId, uploadId }) => ({ method: 'HEAD', path: `/d/${opaqueId}/${uploadId}` }),
      ({ opaqueId, uploadId }) => ({ method: 'DELETE', path: `/d/${opaqueId}/${uploadId}` }),
      ({ opaqueId, uploadId }) => ({ method: 'GET', path: `/d/${opaqueId}/${uploadId}/receipt` }),
      (session) => chunkOf(session, 0, 40),
      (session) => chunkOf(session, 40, FILE.length),
    ]
    for (const way of ways) {
      const answers = [open, ended, unknown].map(async (session) => fingerprint(await client.send(way(session))))
      const [first, ...others] = await Promise.all(answers)
      assert.match(first ?? '', /^404/)
      for (const other of others) assert.equal(other, first)
    }
    assert.equal((await stateOf(landed)).state, 'landed', 'a landed session answers as before')
    expectAnswer(await client.send({ method: 'GET', path: `${sessionPath(landed)}/receipt` }), '200')
    await operate('account', 'resume', link.owner.email)
    assert.equal((await stateOf(open)).offset, 40)
    expectAnswer(await append(open, 40), '204')
    expectAnswer(await visit(link), '200')
    assert.equal((await inboxOf(link.owner)).length, 2)
  })

  it('gives an account its own limits, which replace those of the deployment', { skip }, async () => {
    const { client, operate } = operated()
    const [link, other] = [await newLink(client), await newLink(client)]
    const { email } = link.owner
    await operate('account', 'quota', email, '--soft', '50', '--hard', '2kB')
    await openSession(link, randomBytes(2000))
    const full = { used: 2000, soft_limit: 50, hard_limit: 2000, state: 'hard_exceeded' }
    assert.deepEqual(await quotaOf(link.owner), full)
    expectAnswer(await sendDeclaration(link, declaration(FILE)), '403 quota.exceeded')
    expectAnswer(await sendDeclaration(other, declaration(randomBytes(1001))), '403 quota.exceeded')
    await operate('account', 'quota', email, '--soft', 'default', '--hard', 'unlimited')
    assert.deepEqual(await quotaOf(link.owner), { used: 2000, state: 'ok' })
    expectAnswer(await sendDeclaration(link, declaration(FILE)), '201')
  })

  it('rotates the attestation key: the old one stays with its end, and the receipts of both verify', {
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

// Covers: Verify 3, on hold; Assets and blobs; Inbox and content
describe('content on hold', { concurrency: true }, () => {
  it('is answered 403 blob.withheld, is not retrievable, and can be adopted, discarded and deleted', {
    skip,
  }, async () => {
    const { client, operate } = operated()
    const author = await newAuthor(client)
    const { owner } = author
    const file = randomBytes(100)
    const asset = newBundle(author, { original: file })
    await landBlob(asset)
    await land(await provision(owner), file)
    const drop = await onlyDrop(owner)
    const paths = [`/v1/blob/${sha256(file)}`, `/v1/drops/${drop.drop_id}/content`]
    const verdictOn = async (assetId: string) => {
      const question = { assets: [{ asset_id: assetId, blob_hashes: [sha256(file)] }], deep: true }
      const { verdicts } = json<{ verdicts: { durable: boolean; blobs: object[] }[] }>(
        await sendJson(owner, '/v1/storage/verify', question),
      )
      return verdicts.map(({ durable, blobs }) => ({ durable, blobs }))
    }
    const stored = { hash: sha256(file), role: 'original', stored: true, indexed: true, deep: 'intact' }
    await expectBoth(owner, paths, '200')

    await operate('hold', 'add', sha256(file), '--reason', 'court order')
    await expectBoth(owner, paths, '403 blob.withheld')
    assert.equal((await onlyDrop(owner)).withheld, 'held')
    assert.deepEqual(await verdictOn(asset.assetId), [{ durable: false, blobs: [{ ...stored, retrievable: false }] }])
    const other = await newAuthor(client)
    await expectBoth(other.owner, paths.slice(0, 1), '404 blob.not_found')
    await expectBoth(other.owner, paths.slice(1), '404 drop.not_found')
    const adopted = newBundle(author, { original: file })
    expectAnswer(await sendAdoption(owner, drop.drop_id, adoptBody(adopted)), '200')
    await land(await provision(owner), file)
    expectAnswer(await asOwner(owner, 'DELETE', `/v1/drops/${(await onlyDrop(owner)).drop_id}`), '204')
    expectAnswer(await deleteAsset(asset), '204')

    await operate('hold', 'remove', sha256(file))
    await expectBoth(owner, paths.slice(0, 1), '200')
    assert.deepEqual(await verdictOn(adopted.assetId), [{ durable: true, blobs: [{ ...stored, retrievable: true }] }])
  })
})

// Covers: DeprecationResponse; Versioning 4
describe('an announced cutoff', { concurrency: true }, () => {
  it('is in both documents exactly as announced, with several in the order of announcement', { skip }, async () => {
    const { client } = operated()
    const announced = await announcing
    const get = async (name: string) => client.send({ method: 'GET', path: `/.well-known/service/${name}` })
    const listed = async () => json<{ announcements: Announcement[] }>(await get('deprecation')).announcements
    await untilOnAllNodes(async () => (await listed()).length === 2, 'both are announced', MAX_ANNOUNCING_MS)
    const announcements = await listed()
    assert.deepEqual(announcements, announced)
    assert.deepEqual(json<{ deprecations: unknown }>(await get('server-info')).deprecations, announced)
    const [first, second] = announcements
    assert.equal(first?.min_protocol_version, '2026-03-01')
    assert.equal(second?.detail_url, 'https://keep.example/news')
    assert.ok(String(first?.announced_at) <= String(second?.announced_at))
  })

  it('raises the window when it passes: older versions get 426 with a Warning, versions below the next cutoff only a Warning, newer ones neither', {
    skip,
  }, async () => {
    const { client } = operated()
    await announcing
    const owner = await signUp(client)
    const create = (version: string): Promise<Reply> =>
      client.send({
        method: 'POST',
        path: '/v1/drops/links',
        token: owner.token,
        json: linkBody(),
        headers: { 'x-service-protocol': version },
      })
    await untilOnAllNodes(
      async () => answerOf(await create(OLD)) === '426 protocol.version_unsupported',
      'the cutoff has passed',
      FIRST_CUTOFF_MS + MAX_ANNOUNCING_MS,
    )
    const refused = await create(OLD)
    assert.match(String(refused.headers.warning), /2026-03-01 .*\/deprecation/)
    assert.deepEqual(
      [refused.headers['x-service-protocol-min'], refused.headers['x-service-protocol-max']],
      ['2026-03-01', '2026-11-01'],
    )
    const info = json<{ protocol_version: unknown }>(
      await client.send({ method: 'GET', path: '/.well-known/service/server-info' }),
    )
    assert.deepEqual(info.protocol_version, { min: '2026-03-01', max: '2026-11-01' })
    await untilOnAllNodes(
      async () => (await create(BETWEEN)).headers.warning !== undefined,
      'the second is announced',
      MAX_ANNOUNCING_MS,
    )
    expectAnswer(await create(BETWEEN), '201')
    const accepted = await create(GOOD)
    expectAnswer(accepted, '201')
    assert.equal(accepted.headers.warning, undefined)
  })

  it('adds a Warning to reads and running uploads, and stops neither', { skip }, async () => {
    const { client } = operated()
    await announcing
    const owner = await signUp(client)
    const file = Buffer.from('begun before')
    const session = await openSession(await provision(owner), file)
    const headers = { 'x-service-protocol': OLD }
    const read = () => client.send({ method: 'GET', path: '/v1/quota', token: owner.token, headers })
    const hasWarning = async () => (await read()).headers.warning !== undefined
    await untilOnAllNodes(hasWarning, 'the cutoff is announced', MAX_ANNOUNCING_MS)
    expectAnswer(await read(), '200')
    const path = sessionPath(session)
    const chunk = await client.send({
      method: 'PATCH',
      path,
      body: file,
      headers: { ...chunkHeaders(0, file), ...headers },
    })
    expectAnswer(chunk, '204')
    assert.ok(chunk.headers.warning !== undefined)
    assert.equal((await asOwner(owner, 'GET', '/v1/quota')).headers.warning, undefined)
  })
})
