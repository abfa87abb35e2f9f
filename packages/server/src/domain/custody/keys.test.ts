import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { keyId } from '@blindkeep/protocol/keys'
import { verifyReceipt } from '@blindkeep/protocol/receipt'
import { openKeyring } from '../../adapters/keyring/keyring.ts'
import { type Keyring, WrongMasterSecret } from '../../ports/keyring.ts'
import { bytes, land, newLink } from '../../testing/guest.ts'
import { payload, verifiers } from '../../testing/receipts.ts'
import { defined, inWorld, newAccount, type World } from '../../testing/world.ts'
import { rotateSigningKey } from '../discovery/signingKey.ts'
import { openServerKeys, rotateAttestationKey } from './keys.ts'

const published = ({ store }: World) => store.read((tx) => tx.keys.attestationKeys())

async function withForeignKeyring(work: (keyring: Keyring) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-keys-'))
  const keyring = await openKeyring({ masterSecretFile: join(directory, 'master'), createIfMissing: true })
  await work(keyring)
  await rm(directory, { recursive: true })
}

describe('the server’s own keys', () => {
  it(
    'are created at the first start and opened at every later one',
    inWorld(async (world) => {
      const again = await openServerKeys(world)
      assert.deepEqual(again.serverSecret, world.keys.serverSecret)
      assert.deepEqual(await again.tokens.publicKey(), await world.keys.tokens.publicKey())
      const key = defined((await published(world))[0])
      const { publicKey } = key
      const [receipt] = await world.keyring.openAttestationKey(key).receipts([payload(1)], key.keyId)
      await verifyReceipt({ receiptCbor: defined(receipt).receiptCbor, publicKey, verify: verifiers })
    }),
  )

  it(
    'are not created again when several starts open them at once',
    inWorld(async (world) => {
      const keys = await published(world)
      await Promise.all(Array.from({ length: 4 }, () => openServerKeys(world)))
      assert.deepEqual(await published(world), keys)
      assert.equal(keys.length, 1)
      assert.equal(defined(keys[0]).keyId, keyId(defined(keys[0]).publicKey))
    }),
  )

  it(
    'do not open under another master secret',
    inWorld((world) =>
      withForeignKeyring(async (keyring) => {
        await assert.rejects(openServerKeys({ ...world, keyring }), WrongMasterSecret)
      }),
    ),
  )

  it(
    'are stored sealed',
    inWorld(async (world) => {
      const sealed = defined(await world.store.read((tx) => tx.server.fact('server_secret')))
      assert.equal(Buffer.from(sealed).includes(Buffer.from(world.keys.serverSecret)), false)
    }),
  )
})

describe('rotating the attestation key', () => {
  it(
    'ends the old key at the instant the new one begins, and removes none',
    inWorld(async (world) => {
      await newAccount(world)
      const [first] = await published(world)
      world.clock.advance(60)
      const { retired, active, at } = await rotateAttestationKey(world)
      const keys = await published(world)
      assert.equal(at, world.clock.now())
      assert.deepEqual(keys[0], { ...first, activeTo: at })
      assert.deepEqual(keys.map(({ keyId: id, activeFrom, activeTo }) => ({ id, activeFrom, activeTo })).slice(1), [
        { id: active, activeFrom: at, activeTo: undefined },
      ])
      assert.equal(retired, defined(first).keyId)
      assert.equal(keyId(defined(keys[1]).publicKey), active)
    }),
  )

  it(
    'takes effect no earlier than the last receipt of the old key, even when the clock is behind',
    inWorld(async (world) => {
      world.clock.advance(60)
      await land(world, await newLink(world), bytes(5))
      const head = defined(await world.store.read((tx) => tx.receipts.head()))
      world.clock.advance(-3600)
      assert.equal((await rotateAttestationKey(world)).at, head.receivedAt)
      assert.equal((await rotateAttestationKey(world)).at, head.receivedAt)
    }),
  )

  it(
    'keeps one active key, the last of the list, after five rotations at once',
    inWorld(async (world) => {
      await newAccount(world)
      const rotations = await Promise.all(Array.from({ length: 5 }, () => rotateAttestationKey(world)))
      const keys = await published(world)
      // Each rotation retires the key that is before its own in the list, in whatever order they ran.
      const ids = keys.map(({ keyId: id }) => id)
      assert.equal(ids.length, 6)
      for (const { retired, active } of rotations) assert.equal(ids[ids.indexOf(active) - 1], retired)
      assert.deepEqual(
        keys.map(({ activeTo }) => activeTo === undefined),
        [false, false, false, false, false, true],
      )
    }),
  )

  it(
    'changes nothing under another master secret, because the server could not open the new key',
    inWorld((world) =>
      withForeignKeyring(async (keyring) => {
        const before = await published(world)
        const signingKey = await world.keys.tokens.publicKey()
        await assert.rejects(rotateAttestationKey({ ...world, keyring }), WrongMasterSecret)
        await assert.rejects(rotateSigningKey({ ...world, keyring }), WrongMasterSecret)
        world.clock.advance(5)
        assert.deepEqual(await published(world), before)
        assert.deepEqual(await world.keys.tokens.publicKey(), signingKey)
      }),
    ),
  )

  it(
    'keeps access tokens valid',
    inWorld(async (world) => {
      const { accessToken } = await world.rules.sessions.open(await newAccount(world), undefined)
      await rotateAttestationKey(world)
      world.clock.advance(5)
      assert.equal('account' in (await world.rules.sessions.authenticate(accessToken)), true)
    }),
  )
})

describe('rotating the signing key', () => {
  it(
    'reaches a running server within five seconds: it publishes the new key and refuses tokens of the old one',
    inWorld(async (world) => {
      const { sessions, discovery } = world.rules
      const before = await sessions.open(await newAccount(world), undefined)
      assert.equal('account' in (await sessions.authenticate(before.accessToken)), true)
      const publicKey = await rotateSigningKey(world)
      world.clock.advance(5)
      assert.deepEqual(await sessions.authenticate(before.accessToken), { refused: 'token_unreadable' })
      assert.deepEqual((await discovery.serverInfo()).signingKey, publicKey)
      const after = await sessions.refresh(before.refreshToken)
      assert.equal('accessToken' in after && 'account' in (await sessions.authenticate(after.accessToken)), true)
      assert.equal((await published(world)).length, 1)
    }),
  )

  it(
    'gives the next start the new key',
    inWorld(async (world) => {
      const publicKey = await rotateSigningKey(world)
      assert.deepEqual(await (await openServerKeys(world)).tokens.publicKey(), publicKey)
    }),
  )
})
