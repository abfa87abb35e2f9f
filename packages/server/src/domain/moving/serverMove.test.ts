import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { type AccountId, addSeconds, parseChannelId, parsePasskeyId, parseSessionId } from '@blindkeep/protocol/ids'
import type { ChannelKind } from '@blindkeep/protocol/schemas/channels'
import { openKeyring } from '../../adapters/keyring/keyring.ts'
import { systemRandom } from '../../adapters/system/random.ts'
import { WrongMasterSecret } from '../../ports/keyring.ts'
import { draft } from '../../testing/receipts.ts'
import { defined, inWorld, newAccount, type World } from '../../testing/world.ts'
import { rotateAttestationKey } from '../custody/keys.ts'
import { announcedMoveFact, formerUrls, publicUrlIn, recordPublicUrl } from '../discovery/publicUrls.ts'
import { recordedServerId, ServerMoved } from '../discovery/serverId.ts'
import { moveOutlook, moveServer } from './serverMove.ts'

const FROM = 'https://keep.example'
const TO = 'https://drop.example.org'
const planned = { from: FROM, to: TO, publicUrl: `${TO}/in` }
const PASSKEY = defined(parsePasskeyId(systemRandom.uuid()))
const SESSION = defined(parseSessionId(systemRandom.uuid()))

/** An account with a session, a passkey, and a channel of each kind. */
async function populated(world: World): Promise<AccountId> {
  const { store, clock, keyring } = world
  const accountId = await newAccount(world)
  const createdAt = clock.now()
  const expiresAt = addSeconds(createdAt, 900)
  const here = { serverId: FROM, moves: 0 }
  await store.write([`account ${accountId}`, 'server'], async (tx) => {
    await tx.sessions.insert({
      ...{ sessionId: SESSION, accountId, createdAt, expiresAt, lastUsedAt: createdAt, deviceId: undefined },
      ...{ endedAt: undefined, passkeyId: undefined },
    })
    await tx.challenges.insert({
      ...{ tokenHash: '0'.repeat(64), accountId, deviceId: undefined, recovery: undefined, createdAt, expiresAt },
    })
    await tx.passkeys.insert({
      ...{ passkeyId: PASSKEY, accountId, credentialId: randomBytes(16), keyHash: randomBytes(32), createdAt },
      ...{ sealedPasskeyKey: randomBytes(60), sealedName: undefined },
    })
    for (const kind of ['webhook', 'push'] satisfies ChannelKind[]) {
      const channelId = defined(parseChannelId(systemRandom.uuid()))
      const sealedTarget = randomBytes(40)
      await tx.channels.insert({ channelId, accountId, kind, state: 'active', sealedTarget, createdAt })
    }
    await tx.server.setFact('moves_to', announcedMoveFact({ serverId: TO, on: clock.now() }, keyring, here))
  })
  return accountId
}

const eventsOf = (world: World, accountId: AccountId) =>
  world.store.read(async (tx) =>
    (await tx.changes.eventsAfter({ accountId, changeSeq: 0, max: 9 })).map(({ change }) => change),
  )

const tokenKey = ({ store }: World) => store.read((tx) => tx.server.fact('token_key'))

describe('a move of the server', () => {
  it(
    'changes name and keys, and ends sessions, challenges, passkeys, push channels and the announcement',
    inWorld(async (world) => {
      const { store, clock } = world
      const accountId = await populated(world)
      await recordPublicUrl(store, `${FROM}/blind`)
      await world.rules.receiptLog.append(draft())
      const before = await tokenKey(world)
      clock.advance(60)
      const { number, retired, active, at, told } = await moveServer(world, planned)
      assert.deepEqual([number, at, told], [1, clock.now(), 1])
      assert.equal(await recordedServerId(store), TO)
      assert.notDeepEqual(await tokenKey(world), before)
      await store.read(async (tx) => {
        const keys = await tx.keys.attestationKeys()
        assert.deepEqual(
          keys.map(({ keyId, activeFrom, activeTo }) => [keyId, activeFrom === at, activeTo]),
          [
            [retired, false, at],
            [active, true, undefined],
          ],
        )
        assert.equal((await tx.sessions.find(SESSION))?.endedAt, at)
        assert.equal(await tx.challenges.find('0'.repeat(64)), undefined)
        assert.equal(await tx.passkeys.find(PASSKEY), undefined)
        assert.deepEqual(
          (await tx.channels.listOf(accountId)).map(({ kind }) => kind),
          ['webhook'],
        )
        assert.equal(await tx.server.fact('moves_to'), undefined)
        assert.deepEqual(await formerUrls(tx), [`${FROM}/blind`])
        assert.equal(await publicUrlIn(tx), planned.publicUrl)
      })
      assert.deepEqual(await eventsOf(world, accountId), [{ name: 'server.moved', from: FROM, to: TO }])
    }),
  )

  it(
    'leaves passkeys where the host stays, and is announced to no account without a channel',
    inWorld(async (world) => {
      await populated(world)
      const other = await newAccount(world)
      await moveServer(world, { from: FROM, to: `${FROM}:8443`, publicUrl: `${FROM}:8443` })
      assert.ok(await world.store.read((tx) => tx.passkeys.find(PASSKEY)))
      assert.deepEqual(await eventsOf(world, other), [])
    }),
  )

  it(
    'remembers each address that it leaves, and that the path of one is not known',
    inWorld(async (world) => {
      await newAccount(world)
      const third = { from: TO, to: FROM, publicUrl: FROM }
      // Noted before it had a name.
      await recordPublicUrl(world.store, 'https://other.example/in')
      assert.equal((await moveOutlook(world, planned)).leaves, undefined)
      await moveServer(world, planned)
      await moveServer(world, third)
      assert.deepEqual(await world.store.read(formerUrls), [`${FROM}/*`, planned.publicUrl])
      assert.equal((await moveOutlook(world, { ...planned, publicUrl: TO })).leaves, FROM)
    }),
  )

  it(
    'is not dated before the last receipt, or the key that it ends',
    inWorld(async (world) => {
      const { clock } = world
      await world.rules.receiptLog.append(draft())
      const received = clock.now()
      clock.advance(-60)
      assert.equal((await moveOutlook(world, planned)).notBefore, received)
      clock.advance(120)
      await rotateAttestationKey(world)
      const rotated = clock.now()
      clock.advance(-60)
      assert.equal((await moveOutlook(world, planned)).notBefore, rotated)
      assert.equal((await moveServer(world, planned)).at, rotated)
    }),
  )

  it(
    'changes nothing from another name, or with a keyring of another master secret',
    inWorld(async (world) => {
      await newAccount(world)
      const kept = async () => [await recordedServerId(world.store), await tokenKey(world)]
      const before = await kept()
      await assert.rejects(moveServer(world, { ...planned, from: 'https://other.example' }))
      const masterSecretFile = `${world.blobsDirectory}/${systemRandom.uuid()}`
      const ports = { ...world, keyring: await openKeyring({ masterSecretFile, createIfMissing: true }) }
      await assert.rejects(moveOutlook(ports, planned), WrongMasterSecret)
      await assert.rejects(moveServer(ports, planned), WrongMasterSecret)
      assert.deepEqual(await kept(), before)
    }),
  )

  it(
    'stops a process of the old name from signing another receipt',
    inWorld(async (world) => {
      await world.rules.receiptLog.append(draft())
      await moveServer(world, planned)
      await assert.rejects(world.rules.receiptLog.append(draft()), ServerMoved)
    }),
  )
})
