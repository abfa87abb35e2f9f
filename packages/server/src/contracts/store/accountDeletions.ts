import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Store } from '../../ports/store.ts'
import { channel } from './channels.ts'
import { capability, jti } from './discovery.ts'
import { invite } from './invites.ts'
import {
  account,
  accountId,
  album,
  albumId,
  at,
  atOnce,
  bytes,
  claim,
  countTrue,
  device,
  deviceId,
  drop,
  dropId,
  hash,
  type InStore,
  link,
  opaqueId,
  passkey,
  passkeyId,
  pendingDrops,
  seedWithAlbums,
  session,
  sessionId,
  upload,
} from './world.ts'

const { signInKeyHash } = account(1)
const leaving = (number: number) => ({ accountId: accountId(number), signInKeyHash, at: at(500) })

/** Accounts 1 and 2, each with one of everything that names a person or lets a person in. */
async function fill(store: Store): Promise<void> {
  await seedWithAlbums(store)
  await store.write([], async (tx) => {
    for (const number of [1, 2]) {
      const owner = { accountId: accountId(number) }
      const values = { kdfVersion: 1, salt: bytes(16), sealedAccountKey: bytes(80) }
      await tx.accounts.changeSignInKey(owner.accountId, signInKeyHash, { ...values, signInKeyHash })
      const words = { sealedRecoveryKey: bytes(80), recoveryKeyHash: bytes(32) }
      await tx.accounts.changeRecoveryKey(owner.accountId, words)
      await tx.accounts.confirmRecoveryKey(owner.accountId, words.recoveryKeyHash, at(1))
      await tx.accounts.setLimits(owner.accountId, { softLimitBytes: 1, hardLimitBytes: 2 })
      await tx.secondFactors.enroll(owner.accountId, bytes(60))
      await tx.secondFactors.confirm(owner.accountId, at(1))
      await tx.secondFactors.setBackupCodes(owner.accountId, [hash(number)])
      const times = { createdAt: at(0), expiresAt: at(900) }
      await tx.challenges.insert({ tokenHash: hash(number), ...owner, ...times, deviceId: undefined, recovery: '{}' })
      await tx.passkeys.insert(passkey(number, owner))
      const ties = { deviceId: deviceId(number), passkeyId: passkeyId(number) }
      await tx.sessions.insert(session(number, { ...owner, ...ties }))
      await tx.sessions.setName(sessionId(number), bytes(31))
      await tx.sessions.insert(session(number + 20, owner))
      await tx.sessions.setName(sessionId(number + 20), bytes(33))
      await tx.sessions.end(sessionId(number + 20), at(3))
      await tx.sessions.insert(session(number + 10, { ...owner, endedAt: at(3) }))
      await tx.devices.insert(device(number, owner))
      await tx.devices.setName(deviceId(number), bytes(32))
      await tx.albums.insert(album(number + 10, { ...owner, sealedName: bytes(30) }))
      const secrets = { verifierHash: bytes(32), sealedLabel: bytes(40), sealedTitle: bytes(41) }
      await tx.links.insert(link(number + 10, { ...owner, ...secrets }))
      await tx.links.insert(link(number + 20, owner))
      await tx.links.revoke(opaqueId(number + 20), owner.accountId, at(4))
      const refusals = { counts: { revoked: 1 }, firstAt: at(5), lastAt: at(6), notedAt: at(7) }
      await tx.links.setRefusals(opaqueId(number + 20), refusals)
      await tx.uploads.insert(upload(number, { ...owner, opaqueId: opaqueId(number) }))
      await tx.drops.insert(drop(number, { ...owner, opaqueId: opaqueId(number) }))
      await tx.drops.claim(claim(number, { dropId: dropId(number), leasedUntil: at(900) }))
      const ofAlbum = { ...owner, albumId: albumId(number) }
      await tx.channels.insert(channel(number, owner))
      await tx.invites.insert(invite(number, { note: 'Ann, office' }))
      await tx.invites.use(hash(number), owner.accountId, at(0))
      await tx.capabilities.insert({ ...capability(number), ...ofAlbum, issuedAt: at(0), expiresAt: at(900) })
    }
  })
}

/** All rows of an account. */
const rowsOf = (store: Store, number: number) =>
  store.read(async (tx) => ({
    account: await tx.accounts.find(accountId(number)),
    factor: await tx.secondFactors.find(accountId(number)),
    challenge: await tx.challenges.find(hash(number)),
    live: await tx.sessions.listLive(accountId(number), at(500)),
    ended: (await tx.sessions.find(sessionId(number + 10)))?.endedAt,
    devices: (await tx.devices.page(accountId(number), { max: 10 })).rows,
    passkeys: await tx.passkeys.listOf(accountId(number)),
    used: (await tx.sessions.find(sessionId(number)))?.passkeyId,
    albums: (await tx.albums.page(accountId(number), { max: 10 })).rows,
    links: (await tx.links.page(accountId(number), { max: 10 })).rows.map(({ pending: _, ...rest }) => rest),
    capabilities: (await tx.capabilities.page({ albumId: albumId(number), at: at(500) }, { max: 10 })).rows,
    channels: await tx.channels.listOf(accountId(number)),
    invite: await tx.invites.find(hash(number)),
    drops: await pendingDrops(tx, accountId(number)),
  }))

export function describeAccountDeletions(inStore: InStore): void {
  describe('account deletions', () => {
    it(
      'remove what names the person or lets the person in, keep stored data, and change no other account',
      inStore(async (store) => {
        await fill(store)
        const [before, other] = [await rowsOf(store, 1), await rowsOf(store, 2)]
        assert.equal(await store.write([], (tx) => tx.accountDeletions.begin(leaving(1))), true)
        const deleted = await rowsOf(store, 1)
        assert.deepEqual(deleted.account, {
          ...before.account,
          email: `deleted:${accountId(1)}`,
          signInKeyHash: undefined,
          salt: undefined,
          sealedAccountKey: undefined,
          softLimitBytes: undefined,
          hardLimitBytes: undefined,
          sealedRecoveryKey: undefined,
          recoveryKeyHash: undefined,
          recoveryConfirmedAt: undefined,
          totpConfirmedAt: undefined,
          deletedAt: at(500),
        })
        assert.deepEqual(
          deleted.albums,
          before.albums.map((each) => ({ ...each, sealedName: undefined })),
        )
        const bare = {
          dropPublicKey: new Uint8Array(0),
          verifierHash: undefined,
          sealedLabel: undefined,
          sealedTitle: undefined,
          refusals: undefined,
        }
        assert.deepEqual(
          deleted.links,
          before.links.map((each) => ({ ...each, ...bare, revokedAt: each.revokedAt ?? at(500) })),
        )
        assert.deepEqual(
          deleted.drops,
          before.drops.map((each) => ({ ...each, leasedUntil: undefined })),
        )
        assert.deepEqual(deleted.invite, { ...before.invite, note: undefined })
        const { factor, challenge, live, devices, passkeys, used, capabilities, channels, ended } = deleted
        assert.deepEqual(
          [factor, challenge, live, devices, passkeys, used, capabilities, channels, ended],
          [undefined, undefined, [], [], [], undefined, [], [], at(3)],
        )
        await store.write([], async (tx) => {
          assert.equal(await tx.secondFactors.enroll(accountId(1), bytes(60)), false)
          assert.equal(await tx.secondFactors.useBackupCode(accountId(1), hash(1), at(501)), false)
          assert.equal(await tx.drops.settle(dropId(1), claim(1).claimId), false)
        })
        const revoked = await store.read((tx) => tx.capabilities.revoked(at(500), { max: 10 }))
        assert.deepEqual(
          revoked.map((each) => each.jti),
          [jti(1)],
        )
        assert.deepEqual(await rowsOf(store, 2), other)
        const [audited] = await store.read((tx) => tx.audit.accounts('', 1))
        assert.deepEqual([audited?.accountId, audited?.remains], [accountId(1), 0], 'also of an ended session')
      }),
    )

    it(
      'free the e-mail, and hide the account from lookups and lists',
      inStore(async (store) => {
        await fill(store)
        const { email } = account(1)
        await store.write([], (tx) => tx.accountDeletions.begin(leaving(1)))
        for (const each of [email, `deleted:${accountId(1)}`])
          assert.equal(await store.read((tx) => tx.accounts.findByEmail(each)), undefined)
        const listed = await store.read((tx) => tx.accounts.list({ afterEmail: undefined, max: 9 }))
        assert.deepEqual(
          listed.map((each) => each.accountId),
          [accountId(2)],
        )
        assert.equal(await store.write([], (tx) => tx.accounts.insert(account(7, { email }))), true)
      }),
    )

    it(
      'happen once, even if requested simultaneously, and only with the present sign-in key',
      inStore(async (store) => {
        await fill(store)
        const wrong = { ...leaving(1), signInKeyHash: bytes(32, 8) }
        assert.equal(await store.write([], (tx) => tx.accountDeletions.begin(wrong)), false)
        assert.equal((await rowsOf(store, 1)).account?.deletedAt, undefined)
        assert.equal(countTrue(await atOnce(store, 8, (tx) => tx.accountDeletions.begin(leaving(1)))), 1)
        assert.equal(await store.write([], (tx) => tx.accountDeletions.begin(leaving(9))), false)
      }),
    )

    it(
      'are listed in the order of deletion until the account is empty, and refuse charges',
      inStore(async (store) => {
        await seedWithAlbums(store)
        const waiting = () => store.read((tx) => tx.accountDeletions.listUnfinished(5))
        const finish = (number: number) =>
          store.write([], (tx) => tx.accountDeletions.finish(accountId(number), at(600)))
        const share = { opaqueId: opaqueId(50), accountId: accountId(1), sealedIndex: bytes(9), blobHashes: [hash(1)] }
        await store.write([], async (tx) => {
          await tx.accounts.charge(accountId(1), 10, undefined)
          const notes = { sealedName: bytes(20), sealedRecord: undefined, verifierHash: bytes(21) }
          await tx.shares.insert({ ...share, createdAt: at(0), expiresAt: undefined, ...notes })
          assert.equal(await tx.accountDeletions.finish(accountId(1), at(1)), false)
          await tx.accountDeletions.begin(leaving(1))
          await tx.accountDeletions.begin({ ...leaving(2), at: at(400) })
          assert.equal(await tx.accounts.charge(accountId(1), 1, undefined), undefined)
        })
        assert.deepEqual(await waiting(), [accountId(2), accountId(1)])
        assert.deepEqual([await finish(1), await finish(2), await finish(2)], [false, true, false])
        await store.write([], (tx) => tx.accounts.refund(accountId(1), 10))
        assert.equal(await finish(1), false)
        await store.write([], (tx) => tx.shares.endSomeOf(accountId(1), at(600), 5))
        assert.deepEqual(await waiting(), [accountId(1)])
        assert.equal(await finish(1), true)
        assert.deepEqual(await waiting(), [])
      }),
    )
  })
}
