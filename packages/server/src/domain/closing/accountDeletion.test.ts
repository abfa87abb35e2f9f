import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { addSeconds, formatInstant, type UploadId } from '@blindkeep/protocol/ids'
import { landProvenance, leaveBlobFinishing, openDeclared, provenanceFor } from '../../testing/assetSessions.ts'
import {
  type AlbumOwner,
  declaredFor,
  landBlob,
  newAlbumOwner,
  newAssetId,
  type Overrides,
} from '../../testing/assets.ts'
import {
  accountRow,
  append,
  bytes,
  land,
  leaveFinishing,
  newLink,
  notRefused,
  openDrop,
  provision,
} from '../../testing/guest.ts'
import { deskOf, WRONG as FALSE_CODE, guarded, reasonOf } from '../../testing/secondFactor.ts'
import { KEY, keyRules, proved, publicKey } from '../../testing/signInKeys.ts'
import { defined, inWorld, newOpaqueId, type World } from '../../testing/world.ts'

const WRONG = { refused: 'credentials_wrong' }
const OVER = { refused: 'session_over' }

const RETAINED = { refused: 'asset_retained' }

async function landRetained(world: World, albumOwner: AlbumOwner, envelope: Overrides['envelope'] = {}) {
  const [assetId, original] = [newAssetId(), bytes(30)]
  await landBlob(world, albumOwner, original, { assetId, envelope })
  await landProvenance(world, albumOwner, { assetId, original, envelope })
}

describe('deleting an account', () => {
  it(
    'asks for the sign-in key, counts a wrong one like a sign-in, and happens once',
    inWorld(async (world) => {
      const { accountDeletion, deletedCalls, newAccount } = keyRules(world)
      const account = await accountRow(world, await newAccount())
      const begin = (key: string) =>
        accountDeletion.begin(account, { provedKey: proved(key), code: undefined, source: 'a' })
      for (let count = 0; count < 10; count += 1) assert.deepEqual(await begin('wrong'), WRONG)
      assert.equal((await begin(KEY))?.refused, 'attempts_limited')
      world.clock.advance(900)
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => begin(KEY)))
      assert.deepEqual(
        outcomes.filter((outcome) => outcome !== undefined),
        [WRONG, WRONG, WRONG, WRONG],
      )
      assert.equal(deletedCalls(), 1)
    }),
  )

  it(
    'asks for a code where a second factor is on, and uses none up when the account stays',
    inWorld(async (world) => {
      const desk = deskOf(world)
      const { authenticator } = await guarded(desk, world)
      const account = await desk.account()
      const begin = async (code: string | undefined, key = KEY) =>
        reasonOf(
          await keyRules(world).accountDeletion.begin(account, { provedKey: proved(key), code, source: undefined }),
        )
      for (const code of [undefined, FALSE_CODE]) assert.equal(await begin(code), 'totp_code_wrong')
      const code = desk.code(authenticator)
      assert.equal(await begin(code, 'wrong'), 'credentials_wrong')
      const albumOwner = await newAlbumOwner(world, account.accountId)
      const retained = { retention_until: formatInstant(addSeconds(world.clock.now(), 10)) }
      await landRetained(world, albumOwner, retained)
      assert.equal(await begin(code), 'asset_retained')
      world.clock.advance(10)
      assert.equal(await begin(code), 'done', 'the refused deletion has not used it up')
    }),
  )

  it(
    'ends its tokens and links at once, and makes its e-mail unknown; the form that its row has now is no address',
    inWorld(async (world) => {
      const { accounts, deleteAccount, newAccount } = keyRules(world)
      const { sessions, links } = world.rules
      const accountId = await newAccount()
      const { email } = await accountRow(world, accountId)
      const pair = await sessions.open(accountId, undefined)
      const opaqueId = await newLink(world, {}, accountId)
      const { salt } = notRefused(await accounts.kdf(email, undefined))
      assert.equal(await deleteAccount(accountId), undefined)
      assert.deepEqual(await sessions.authenticate(pair.accessToken), OVER)
      assert.deepEqual(await sessions.refresh(pair.refreshToken), OVER)
      assert.deepEqual(await links.asGuestSees(opaqueId), { refused: 'link_not_live' })
      const credentials = (given: string, provedKey: Uint8Array) => ({
        email: given,
        provedKey,
        deviceId: undefined,
        source: undefined,
      })
      for (const key of [proved(), new Uint8Array(32)])
        assert.deepEqual(await accounts.logIn(credentials(email, key)), WRONG)
      const decoy = notRefused(await accounts.kdf(email, undefined)).salt
      assert.deepEqual([decoy.length, Buffer.from(decoy).equals(salt)], [16, false])
      // What its row has now is no plain address, so no request can name it.
      const present = `deleted:${accountId}`
      const malformed = { refused: 'request_malformed', detail: '/email must be a plain e-mail address' }
      assert.deepEqual(await accounts.logIn(credentials(present, proved())), malformed)
      assert.deepEqual(await accounts.kdf(present, undefined), malformed)
    }),
  )

  it(
    'stops requests that were authenticated just before',
    inWorld(async (world) => {
      const { accounts, changePassword, deleteAccount, newAccount } = keyRules(world)
      const { rules } = world
      const accountId = await newAccount()
      const albumOwner = await newAlbumOwner(world, accountId)
      const pair = await rules.sessions.open(accountId, undefined)
      const caller = notRefused(await rules.sessions.authenticate(pair.accessToken))
      const declared = declaredFor(world, albumOwner, bytes(5))
      assert.equal(await deleteAccount(accountId), undefined)
      const nothing = { kdfVersion: undefined, salt: undefined, sealedAccountKey: undefined, source: undefined }
      const change = { ...nothing, code: undefined, provedKey: proved(), signInKey: publicKey('another key') }
      assert.deepEqual(await changePassword(caller, change), WRONG)
      assert.deepEqual(await rules.links.provision(accountId, provision()), OVER)
      const { albumId, deviceId } = albumOwner
      assert.deepEqual(await rules.albums.create(accountId, { albumId, sealedName: undefined }), OVER)
      const device = { deviceId, publicKey: albumOwner.keys.publicKey, mac: undefined }
      assert.deepEqual(await rules.devices.add(accountId, device), OVER)
      const expiresAt = addSeconds(world.clock.now(), 60)
      assert.deepEqual(
        await rules.capabilities.mint(accountId, { albumId, peer: 'https://a.example', expiresAt }),
        OVER,
      )
      const notes = { sealedName: undefined, sealedRecord: undefined, passphraseVerifier: undefined }
      const share = { opaqueId: newOpaqueId(), sealedIndex: bytes(9), blobHashes: [], expiresAt: undefined, ...notes }
      assert.deepEqual(await rules.shares.create(accountId, share), OVER)
      assert.deepEqual(await rules.uploads.create(caller.account, declared), { refused: 'device_not_authorized' })
      assert.equal((await accounts.requireSignInKey(caller.account, proved(), undefined)) ?? 'right', 'right')
      await rules.accountDeletion.resume()
      assert.deepEqual(await world.store.read((tx) => tx.accountDeletions.listUnfinished(5)), [])
    }),
  )

  it(
    'is refused and changes nothing while an asset is retained, or is about to be',
    inWorld(async (world) => {
      const { deleteAccount, newAccount } = keyRules(world)
      const accountId = await newAccount()
      const albumOwner = await newAlbumOwner(world, accountId)
      const retained = (seconds: number) => ({ retention_until: formatInstant(addSeconds(world.clock.now(), seconds)) })
      await landRetained(world, albumOwner, retained(100))
      const opaqueId = await newLink(world, {}, accountId)
      const account = await accountRow(world, accountId)
      assert.deepEqual(await deleteAccount(accountId), RETAINED)
      world.clock.advance(99.999)
      assert.deepEqual(await deleteAccount(accountId), RETAINED)
      assert.deepEqual(await accountRow(world, accountId), account)
      notRefused(await world.rules.links.asGuestSees(opaqueId))
      world.clock.advance(0.001)
      const [assetId, original, envelope] = [newAssetId(), bytes(11), retained(50)]
      await landBlob(world, albumOwner, original, { assetId, envelope })
      const { content, declared } = provenanceFor(world, albumOwner, original, { assetId, envelope })
      await leaveBlobFinishing(world, await openDeclared(world, albumOwner, declared), content)
      assert.deepEqual(await deleteAccount(accountId), RETAINED)
      world.clock.advance(50)
      assert.equal(await deleteAccount(accountId), undefined)
    }),
  )

  it(
    'ends open sessions in steps, and none takes anything meanwhile',
    inWorld(async (world) => {
      const { deleteAccount, newAccount } = keyRules(world)
      const accountId = await newAccount()
      const content = bytes(20)
      for (let count = 0; count < 120; count += 1) await openDrop(world, await newLink(world, {}, accountId), content)
      const openOnes = () => world.store.read((tx) => tx.uploads.openOfAccount(accountId, 999))
      assert.equal(await deleteAccount(accountId), undefined)
      const [still, ...others] = await openOnes()
      assert.equal(others.length, 69)
      const { uploadId } = defined(still)
      assert.deepEqual(await append(world, uploadId, { offset: 0, bytes: content }), { refused: 'upload_not_found' })
      await world.rules.accountDeletion.resume()
      assert.deepEqual(await openOnes(), [])
      assert.equal((await accountRow(world, accountId)).usedBytes, 0)
      assert.deepEqual(await unfinished(world), [])
    }),
  )

  it(
    'keeps the receipts of landed drops, lets a finishing one land, and ends open sessions',
    inWorld(async (world) => {
      const { deleteAccount, newAccount } = keyRules(world)
      const { rules } = world
      const accountId = await newAccount()
      const opaqueId = await newLink(world, {}, accountId)
      const content = bytes(30)
      const landed = await land(world, opaqueId, bytes(10))
      const [open, finishing] = [await openDrop(world, opaqueId, bytes(20)), await openDrop(world, opaqueId, content)]
      await leaveFinishing(world, finishing, content)
      const receiptOf = (uploadId: UploadId) => rules.drops.receipt({ opaqueId, uploadId })
      const receipt = notRefused(await receiptOf(landed))
      assert.equal(await deleteAccount(accountId), undefined)
      const notFound = { refused: 'upload_not_found' }
      assert.deepEqual(await append(world, open, { offset: 0, bytes: bytes(1) }), notFound)
      await rules.accountDeletion.resume()
      assert.equal((await accountRow(world, accountId)).usedBytes, 30)
      assert.deepEqual(await rules.finishing.finish(finishing), { offset: 30 })
      await rules.sweep.sweep()
      assert.deepEqual(await unfinished(world), [])
      assert.deepEqual(notRefused(await receiptOf(landed)), receipt)
      notRefused(await receiptOf(finishing))
      world.clock.advance(30 * 86_400 + 1)
      await rules.sweep.sweep()
      for (const uploadId of [landed, finishing]) assert.deepEqual(await receiptOf(uploadId), notFound)
    }),
  )
})

const unfinished = ({ store }: World) => store.read((tx) => tx.accountDeletions.listUnfinished(5))
