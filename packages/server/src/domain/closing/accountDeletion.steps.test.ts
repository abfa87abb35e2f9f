import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import {
  type AccountId,
  addSeconds,
  parseAlbumId,
  parseDeviceId,
  parsePasskeyId,
  parseSessionId,
} from '@blindkeep/protocol/ids'
import fc from 'fast-check'
import type { Store } from '../../ports/store.ts'
import { openBlob } from '../../testing/assetSessions.ts'
import { adopt, declaredFor, landBlob, newAlbumOwner, newDrop, uploadBlob } from '../../testing/assets.ts'
import { FILLED_BYTES, type Filled, fill, findingsIn } from '../../testing/fsck.ts'
import {
  accountRow,
  append,
  bytes,
  creation,
  land,
  newLink,
  notRefused,
  openDrop,
  provision,
} from '../../testing/guest.ts'
import { createMortal } from '../../testing/mortal.ts'
import { keyRules, proved } from '../../testing/signInKeys.ts'
import { defined, inWorld, newOpaqueId, type World } from '../../testing/world.ts'
import type { Finding } from '../fsck/finding.ts'
import { newMemory } from '../fsck/options.ts'

/** Whether the account is deleted, holds nothing, and is noted as emptied. */
async function isEmptied(world: World, accountId: AccountId): Promise<boolean> {
  const { deletedAt, usedBytes } = await accountRow(world, accountId)
  const waiting = await world.store.read((tx) => tx.accountDeletions.listUnfinished(99))
  return deletedAt !== undefined && usedBytes === 0 && !waiting.includes(accountId)
}

/** More than one step frees. */
const MANY = 55

describe('the holdings of a deleted account', () => {
  let filled: Filled | undefined
  let commits = 0
  const found: Finding[] = []
  const memory = newMemory()
  const watched = (real: Store): Store => ({
    ...real,
    async write(locks, work) {
      const result = await real.write(locks, work)
      if (filled === undefined) return result
      commits += 1
      found.push(...(await findingsIn(real, { filled, memory })))
      return result
    },
  })
  it(
    'are freed in steps, with consistent rows after each one, and other accounts lose nothing',
    inWorld(
      async (world) => {
        const { accountDeletion, deleteAccount, newAccount } = keyRules(world)
        const [accountId, other] = [await newAccount(), await newAccount()]
        const whole = await fill(world, accountId)
        const [link, othersLink] = [await newLink(world, {}, accountId), await newLink(world, {}, other)]
        for (let count = 0; count < MANY; count += 1) await land(world, link, bytes(1))
        await land(world, othersLink, bytes(7))
        filled = whole
        assert.equal(await deleteAccount(accountId), undefined)
        const ofOpen = 2 * FILLED_BYTES
        // What is in the bin is freed, too.
        assert.equal((await accountRow(world, accountId)).usedBytes, 6 * FILLED_BYTES + MANY - ofOpen)
        await accountDeletion.resume()
        filled = undefined
        assert.deepEqual(found, [])
        assert.ok(commits >= 8, `${commits} commits`)
        assert.ok(await isEmptied(world, accountId))
        assert.equal((await accountRow(world, other)).usedBytes, 7)
        world.clock.advance(3 * 86_400)
        for (let turn = 0; turn < 3; turn += 1) {
          await world.rules.sweep.sweep()
          world.clock.advance(2 * 86_400)
        }
        const object = await world.store.read((tx) => tx.objects.find(whole.pending.location))
        assert.equal(object, undefined)
        assert.deepEqual(await findingsIn(world.store, { filled: whole }), [])
      },
      { around: { store: watched } },
    ),
  )

  const mortal = createMortal()
  it(
    'are freed by the next start, wherever the process died',
    inWorld(
      async (world) => {
        const { accountDeletion, deleteAccount, newAccount } = keyRules(world)
        let hasDied = true
        for (let calls = 0; hasDied; calls += 1) {
          const accountId = await newAccount()
          const albumOwner = await newAlbumOwner(world, accountId)
          await newDrop(world, albumOwner, bytes(20))
          await landBlob(world, albumOwner, bytes(30))
          await openBlob(world, albumOwner, bytes(40))
          const account = await accountRow(world, accountId)
          mortal.dieAfter(calls)
          await accountDeletion
            .begin(account, { provedKey: proved(), code: undefined, source: undefined })
            .then(accountDeletion.resume)
            .catch(() => undefined)
          hasDied = mortal.revive()
          const isDeleted = (await accountRow(world, accountId)).deletedAt !== undefined
          assert.equal(isDeleted, calls > 0)
          await world.restarted().sweep.sweep()
          assert.equal(await isEmptied(world, accountId), isDeleted, `after ${calls} calls`)
          if (isDeleted) continue
          assert.equal((await accountRow(world, accountId)).usedBytes, 90)
          assert.equal(await deleteAccount(accountId), undefined)
        }
      },
      { around: mortal.around },
    ),
  )

  it(
    'are all freed, whatever lands, is adopted, uploaded or dropped meanwhile',
    inWorld(async (world) => {
      const { accountDeletion, deleteAccount, newAccount } = keyRules(world)
      const { rules } = world
      const acts = ['land', 'adopt', 'upload', 'finish', 'create', 'discard', 'delete', 'provision'] as const
      const late = fc.nat(40)
      const property = fc.asyncProperty(late, fc.tuple(...acts.map(() => late)), async (deletesAt, actsAt) => {
        const accountId = await newAccount()
        const albumOwner = await newAlbumOwner(world, accountId)
        const link = await newLink(world, {}, accountId)
        const [landing, adopted, upload, kept] = [bytes(10), bytes(20), bytes(30), bytes(40)]
        const [dropSession, pending, discarded] = [
          await openDrop(world, link, landing),
          await newDrop(world, albumOwner, adopted),
          await newDrop(world, albumOwner, bytes(60)),
        ]
        const blobSession = await openBlob(world, albumOwner, upload)
        const ofKept = declaredFor(world, albumOwner, kept)
        notRefused((await uploadBlob(world, ofKept, kept, albumOwner)).answer)
        const work: { readonly [Act in (typeof acts)[number]]: () => Promise<unknown> } = {
          land: () => append(world, dropSession, { offset: 0, bytes: landing }),
          adopt: () => adopt(world, albumOwner, pending, declaredFor(world, albumOwner, adopted)),
          finish: () => append(world, blobSession, { offset: 0, bytes: upload }),
          upload: async () =>
            rules.uploads.create(await accountRow(world, accountId), declaredFor(world, albumOwner, kept)),
          create: () => rules.drops.create(creation(link, bytes(50))),
          discard: () => rules.inbox.discard(accountId, discarded.dropId),
          delete: () => rules.assets.remove(accountId, ofKept.assetId),
          provision: () => rules.links.provision(accountId, provision()),
        }
        const [refused] = await Promise.all([
          turns(deletesAt).then(() => deleteAccount(accountId)),
          turns(deletesAt + 3).then(accountDeletion.resume),
          ...acts.map((act, at) => turns(actsAt[at] ?? 0).then(work[act])),
        ])
        assert.equal(refused, undefined)
        await accountDeletion.resume()
        assert.ok(await isEmptied(world, accountId))
        assert.deepEqual(await findingsIn(world.store, { filled: { world, locations: new Map() } }), [])
      })
      await fc.assert(property, { numRuns: 10 })
    }),
  )
})

/** Lets other work run `count` times. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate)
}

/** Every text and every run of bytes in every table. */
function everyCell(databasePath: string): readonly Buffer[] {
  const database = new DatabaseSync(databasePath, { readOnly: true })
  try {
    const tables = database.prepare(`select name from sqlite_schema where type = 'table'`).all()
    const rows = tables.flatMap(({ name }) => database.prepare(`select * from "${name}"`).all())
    return rows
      .flatMap((row) => Object.values(row))
      .flatMap((cell) => (typeof cell === 'string' || cell instanceof Uint8Array ? [Buffer.from(cell)] : []))
  } finally {
    database.close()
  }
}

describe('a deleted account', () => {
  it(
    'leaves no personal data in any table',
    inWorld(
      async (world) => {
        const { accountDeletion, deleteAccount } = keyRules(world)
        const { accountId, traces } = await newPerson(world)
        const found = () => {
          const cells = everyCell(defined(world.databasePath))
          return traces.filter((trace) => cells.some((cell) => cell.includes(trace)))
        }
        assert.deepEqual(found(), traces)
        assert.equal(await deleteAccount(accountId), undefined)
        await accountDeletion.resume()
        assert.deepEqual(found(), [])
        assert.ok(await isEmptied(world, accountId))
      },
      { isOnDisk: true },
    ),
  )
})

/** An account with personal data in every table that can hold some; `traces` are those data. */
async function newPerson(world: World) {
  const { rules, store, clock } = world
  const [salt, sealedAccountKey, sealedRecoveryKey, recoveryKey] = [bytes(16), bytes(60), bytes(61), bytes(32)]
  const registered = { provedKey: proved(), kdfVersion: 1, salt, sealedAccountKey, sealedRecoveryKey, recoveryKey }
  const email = 'ada.lovelace@example.org'
  const request = { ...registered, email, invite: undefined, isForwarded: false, source: undefined }
  const { accountId } = notRefused(await keyRules(world).accounts.register(request))
  const { albumOwner } = await fill(world, accountId)
  const [dropPublicKey, sealedLabel, sealedName, publicKey] = [bytes(62), bytes(63), bytes(64), bytes(1984)]
  const sealedTitle = bytes(67)
  const link = provision({ dropPublicKey, sealedLabel, sealedTitle, passphraseVerifier: bytes(40) })
  notRefused(await rules.links.provision(accountId, link))
  const albumId = defined(parseAlbumId(randomUUID()))
  notRefused(await rules.albums.create(accountId, { albumId, sealedName }))
  const deviceId = defined(parseDeviceId(randomUUID()))
  notRefused(await rules.devices.add(accountId, { deviceId, publicKey, mac: undefined }))
  const [totp, sealedIndex] = [bytes(65), bytes(66)]
  const notes = { sealedName: bytes(68), sealedRecord: bytes(69), verifierHash: bytes(32) }
  const [deviceName, sessionName] = [bytes(70), bytes(71)]
  const passkeyId = defined(parsePasskeyId(randomUUID()))
  const ofPasskey = {
    credentialId: bytes(72),
    keyHash: bytes(32),
    sealedPasskeyKey: bytes(73),
    sealedName: bytes(74),
  }
  const session = { sessionId: defined(parseSessionId(randomUUID())), deviceId, passkeyId, endedAt: undefined }
  const [code, tokenHash, recovery] = ['c0de'.repeat(16), 'cafe'.repeat(16), '{"sets":"this"}']
  await store.write([], async (tx) => {
    const createdAt = clock.now()
    await tx.secondFactors.enroll(accountId, totp)
    await tx.secondFactors.setBackupCodes(accountId, [code])
    const expiresAt = addSeconds(createdAt, 300)
    await tx.challenges.insert({ tokenHash, accountId, deviceId, recovery, createdAt, expiresAt })
    const share = { opaqueId: newOpaqueId(), accountId, sealedIndex, blobHashes: [], expiresAt: undefined }
    await tx.shares.insert({ ...share, createdAt, ...notes })
    await tx.devices.setName(deviceId, deviceName)
    await tx.passkeys.insert({ passkeyId, accountId, ...ofPasskey, createdAt })
    await tx.sessions.insert({ ...session, accountId, createdAt, lastUsedAt: createdAt, expiresAt })
    await tx.sessions.setName(session.sessionId, sessionName)
  })
  const { signInKeyHash, recoveryKeyHash } = await accountRow(world, accountId)
  const verifierHash = (await store.read((tx) => tx.links.find(link.opaqueId)))?.verifierHash
  const sealed = [
    salt,
    sealedAccountKey,
    sealedRecoveryKey,
    dropPublicKey,
    sealedLabel,
    sealedTitle,
    sealedName,
    totp,
    sealedIndex,
    ...Object.values(notes),
    ...Object.values(ofPasskey),
    deviceName,
    sessionName,
  ]
  const keys = [
    publicKey,
    albumOwner.keys.publicKey,
    defined(recoveryKeyHash),
    defined(signInKeyHash),
    defined(verifierHash),
  ]
  const texts = [email, code, tokenHash, recovery, passkeyId]
  return { accountId, traces: [...sealed, ...keys, ...texts].map((trace) => Buffer.from(trace)) }
}
