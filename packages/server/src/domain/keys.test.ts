import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { keyId } from '@blindkeep/protocol/keys'
import { openKeyring } from '../adapters/keyring/keyring.ts'
import { WrongMasterSecret } from '../ports/keyring.ts'
import { bytes, land, newLink } from '../testing/guest.ts'
import { inWorld, known } from '../testing/world.ts'
import { checkServerId, openServerKeys, WrongServerId } from './keys.ts'

describe('the server’s own keys', () => {
  it(
    'are made at the first start and opened at every other',
    inWorld(async (world) => {
      const again = await openServerKeys(world)
      assert.equal(again.active.keyId, world.keys.active.keyId)
      assert.deepEqual(again.serverSecret, world.keys.serverSecret)
      assert.deepEqual(again.tokens.publicKey, world.keys.tokens.publicKey)
      const message = bytes(40)
      assert.deepEqual(await again.active.signer.ed25519(message), await world.keys.active.signer.ed25519(message))
    }),
  )

  it(
    'are made once when two come first at once',
    inWorld(async (world) => {
      const published = await world.store.read((tx) => tx.keys.attestationKeys())
      await Promise.all(Array.from({ length: 4 }, () => openServerKeys(world)))
      assert.deepEqual(await world.store.read((tx) => tx.keys.attestationKeys()), published)
      assert.equal(published.length, 1)
      assert.equal(known(published[0]).keyId, keyId(known(published[0]).publicKey))
    }),
  )

  it(
    'do not open under another master secret',
    inWorld(async (world) => {
      const directory = await mkdtemp(join(tmpdir(), 'blindkeep-keys-'))
      const keyring = await openKeyring({ masterSecretFile: join(directory, 'master'), createIfMissing: true })
      await assert.rejects(openServerKeys({ ...world, keyring }), WrongMasterSecret)
      await rm(directory, { recursive: true })
    }),
  )

  it(
    'rest sealed: nothing that is stored is the secret itself',
    inWorld(async (world) => {
      const sealed = known(await world.store.read((tx) => tx.server.fact('server_secret')))
      assert.equal(Buffer.from(sealed).includes(Buffer.from(world.keys.serverSecret)), false)
    }),
  )
})

describe('the server’s name', () => {
  it(
    'may change until the first receipt, and never after',
    inWorld(async (world) => {
      await checkServerId(world.store, 'https://any.example')
      await land(world, await newLink(world), bytes(5))
      await checkServerId(world.store, 'https://keep.example')
      await assert.rejects(checkServerId(world.store, 'https://any.example'), WrongServerId)
      await assert.rejects(checkServerId(world.store, 'https://keep.example/'), /PUBLIC_URL/)
    }),
  )
})
