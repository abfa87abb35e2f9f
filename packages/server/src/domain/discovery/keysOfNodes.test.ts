import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inWorld, newAccount } from '../../testing/world.ts'
import { openServerKeys, rotateAttestationKey } from '../custody/keys.ts'
import { isRefusal } from '../refusals.ts'
import { rotateSigningKey } from './signingKey.ts'

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
