import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { describe, it } from 'node:test'
import { until } from '../testing/until.ts'
import { deleteAsset, landAsset, landBlob, newAuthor, newBundle } from './assetWorld.ts'
import { json } from './call.ts'
import type { Client } from './client.ts'
import { expectAnswer, fingerprint } from './expect.ts'
import { newKey } from './proving.ts'
import { connect, NEEDS_OWN_SERVER, newServer } from './server.ts'
import {
  append,
  asOwner,
  deleteAccount,
  inboxOf,
  land,
  linksOf,
  logIn,
  newEmail,
  type Owner,
  openSession,
  provision,
  quotaOf,
  register,
  sessionPath,
  signIn,
  signUp,
  visit,
} from './world.ts'

const server = await connect()
const post = (client: Client, path: string, body: unknown) => client.send({ method: 'POST', path, json: body })

async function expectRemoved(owner: Owner): Promise<void> {
  assert.equal((await deleteAccount(owner)).status, 204)
}

// Covers: Accounts and sessions
describe('deleting an account', () => {
  it('answers 401 to a wrong key, and deletes nothing', async () => {
    const owner = await signUp(server)
    expectAnswer(await deleteAccount({ ...owner, key: newKey() }), '401 auth.invalid_credentials')
    assert.equal((await asOwner(owner, 'GET', '/v1/account')).status, 200)
  })

  it('ends every session of the account at once', async () => {
    const owner = await signUp(server)
    const other = await signIn(owner)
    await expectRemoved(owner)
    for (const { token, refreshToken } of [owner, other]) {
      expectAnswer(await asOwner({ ...owner, token }, 'GET', '/v1/account'), '401 auth.session_expired')
      const reply = await post(server, '/v1/auth/refresh', { refresh_token: refreshToken })
      expectAnswer(reply, '401 auth.session_expired')
    }
    expectAnswer(await deleteAccount(owner), '401 auth.session_expired')
  })

  it('treats its e-mail as unknown', async () => {
    const owner = await signUp(server)
    const { email, accountId } = owner
    await expectRemoved(owner)
    const answerFor = async (address: string) => fingerprint(await logIn({ ...owner, email: address }))
    assert.equal(await answerFor(email), await answerFor(newEmail()))
    assert.equal(await answerFor(`deleted:${accountId}`), await answerFor(`deleted:${randomUUID()}`))
    const kdf = json<{ salt: string }>(await post(server, '/v1/auth/kdf', { email }))
    assert.equal(Buffer.from(kdf.salt, 'base64').length, 16)
  })

  it('frees the e-mail for a new, empty account', async () => {
    const link = await provision(await signUp(server))
    const { owner } = link
    await land(link)
    await expectRemoved(owner)
    const next = { ...owner, key: newKey() }
    assert.equal((await register(next)).status, 201)
    const fresh = await signIn(next)
    assert.notEqual(fresh.accountId, owner.accountId)
    assert.deepEqual([await inboxOf(fresh), await linksOf(fresh), (await quotaOf(fresh)).used], [[], [], 0])
  })

  it('ends its links and their open sessions, and guests keep the receipts of their landed drops', async () => {
    const link = await provision(await signUp(server))
    const [landed, open] = [await land(link), await openSession(link, randomBytes(50))]
    const receipt = () => server.send({ method: 'GET', path: `${sessionPath(landed)}/receipt` })
    const before = await receipt()
    await expectRemoved(link.owner)
    expectAnswer(await visit(link), '404 drop.link_not_found')
    expectAnswer(await append(open), '404 upload.session_not_found')
    assert.deepEqual(json(await receipt()), json(before))
  })

  it('answers 409 and deletes nothing while an asset is retained', async () => {
    const author = await newAuthor(server)
    const retention_until = new Date(Date.now() + 3_600_000).toISOString()
    const bundle = newBundle(author, { manifest: { retention_until } })
    await landBlob(bundle)
    // Without a signature it may be deleted: the account is refused because of the other one.
    expectAnswer(await deleteAsset(bundle), '204')
    await landAsset(newBundle(author, { manifest: { retention_until } }))
    const { used } = await quotaOf(author.owner)
    expectAnswer(await deleteAccount(author.owner), '409 asset.retained')
    assert.equal((await quotaOf(author.owner)).used, used)
  })

  it('deletes all data of the account soon afterwards, and fsck reports no damage', {
    skip: NEEDS_OWN_SERVER,
  }, async () => {
    const { client, operate } = await newServer()
    const author = await newAuthor(client)
    const link = await provision(author.owner)
    await land(link)
    await landBlob(newBundle(author))
    const stays = await provision(await signUp(client))
    await land(stays)
    await expectRemoved(author.owner)
    const left = async () => (await operate('fsck')) as { counts: { drops: number; blobs: number } }
    await until(async () => {
      const { counts } = await left()
      return counts.drops === 1 && counts.blobs === 0
    }, 'the data of the account is deleted')
    assert.equal((await inboxOf(stays.owner)).length, 1)
  })
})
