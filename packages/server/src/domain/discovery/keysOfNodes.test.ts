import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addSeconds } from '@blindkeep/protocol/ids'
import { newAlbumOwner } from '../../testing/assets.ts'
import { beginDeletion, inWorld, newAccount } from '../../testing/world.ts'
import { openServerKeys, rotateAttestationKey } from '../custody/keys.ts'
import { isRefusal } from '../ground/refusals.ts'
import { rotateSigningKey } from './signingKey.ts'

describe('of two processes, neither accepts what the other has made invalid:', () => {
  it(
    'an access token of a key that was replaced, which a stream that is open notices, too',
    inWorld(async (world) => {
      const accountId = await newAccount(world)
      const elsewhere = world.rulesOver({ nodeId: 'another', keys: await openServerKeys(world) })
      const { accessToken } = await world.rules.sessions.open(accountId, undefined)
      for (const { sessions } of [world.rules, elsewhere]) {
        const caller = await sessions.authenticate(accessToken)
        assert.ok(!isRefusal(caller))
      }
      const caller = await elsewhere.sessions.authenticate(accessToken)
      assert.ok(!isRefusal(caller))
      await rotateSigningKey(world)
      // The clock stands still: no time has to pass.
      assert.deepEqual(await elsewhere.sessions.authenticate(accessToken), { refused: 'token_unreadable' })
      assert.equal(await elsewhere.sessions.isSigned(caller), false)
      assert.deepEqual(await world.rules.sessions.authenticate(accessToken), { refused: 'token_unreadable' })
    }),
  )

  it(
    'a capability, which all list as revoked from its revocation on; also when its account is deleted',
    inWorld(async (world) => {
      const { accountId, albumId } = await newAlbumOwner(world)
      const elsewhere = world.rulesOver({ nodeId: 'another', keys: await openServerKeys(world) })
      const mint = async () => {
        const expiresAt = addSeconds(world.clock.now(), 3600)
        const minted = await world.rules.capabilities.mint(accountId, {
          albumId,
          peer: 'https://peer.example',
          expiresAt,
        })
        assert.ok(!isRefusal(minted))
        return minted.jti
      }
      const [one, two] = [await mint(), await mint()]
      const listed = async () => {
        const each = await Promise.all([world.rules, elsewhere].map(({ discovery }) => discovery.revocations()))
        return each.map(({ revoked }) => revoked.map(({ jti }) => jti))
      }
      assert.deepEqual(await listed(), [[], []])
      await world.rules.capabilities.revoke(accountId, albumId, one)
      assert.deepEqual(await listed(), [[one], [one]])
      await beginDeletion(world, accountId)
      const both = [one, two].toSorted()
      assert.deepEqual(await listed(), [both, both])
    }),
  )
})

describe('a process whose keys another process has replaced', () => {
  it(
    'publishes the new keys at once, and accepts what the other process signs with them',
    inWorld(async (world) => {
      const accountId = await newAccount(world)
      const elsewhere = world.rulesOver({ nodeId: 'another', keys: await openServerKeys(world) })
      // Both processes have the old keys in memory.
      for (const rules of [world.rules, elsewhere]) {
        const { accessToken } = await rules.sessions.open(accountId, undefined)
        assert.equal(isRefusal(await rules.sessions.authenticate(accessToken)), false)
        await rules.discovery.attestationKeys()
        await rules.discovery.serverInfo()
      }
      const publicKey = await rotateSigningKey(world)
      const { active } = await rotateAttestationKey(world)
      assert.deepEqual((await elsewhere.discovery.serverInfo()).signingKey, publicKey)
      assert.ok((await elsewhere.discovery.attestationKeys()).keys.some(({ keyId }) => keyId === active))
      const { accessToken } = await world.rules.sessions.open(accountId, undefined)
      assert.equal(isRefusal(await elsewhere.sessions.authenticate(accessToken)), false)
    }),
  )
})
