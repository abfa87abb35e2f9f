/** What locks keep apart (ports/store.ts). Each race also runs without them, and must go wrong then. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type AccountId, addSeconds } from '@blindkeep/protocol/ids'
import { creation } from '../testing/assetSessions.ts'
import { declaredFor, landBlob, newAlbumOwner, newAssetId, newDrop } from '../testing/assets.ts'
import {
  append,
  bytes,
  creation as creationOfDrop,
  land,
  linkRow,
  newLink,
  notRefused,
  openDrop,
  ownerOf,
  provision,
} from '../testing/guest.ts'
import { draft } from '../testing/receipts.ts'
import { keyRules, proved, publicKey } from '../testing/signInKeys.ts'
import { inTwoNodes, type TwoNodes } from '../testing/twoNodes.ts'
import { newAccount, type World } from '../testing/world.ts'
import { createCollector, pauseCollector } from './custody/collect.ts'
import { rotateAttestationKey } from './custody/keys.ts'
import { isLive } from './ground/liveSession.ts'
import { isRefusal } from './ground/refusals.ts'

/** Runs a race, and answers what is wrong afterwards. */
type Race = (nodes: TwoNodes) => Promise<string | undefined>

const logIn = (world: World, accountId: AccountId) =>
  keyRules(world).accounts.logIn({
    email: `${accountId}@example.org`,
    provedKey: proved(),
    deviceId: undefined,
    source: undefined,
  })

const NEW_KEY = {
  provedKey: proved(),
  signInKey: publicKey('another key'),
  kdfVersion: undefined,
  salt: bytes(16),
  sealedAccountKey: bytes(60),
  code: undefined,
  source: undefined,
}

const signInDuringChange: Race = async ({ here, there, race }) => {
  const accountId = await keyRules(here).newAccount()
  const caller = await callerOf(here, accountId)
  const [, signIn] = await race(
    (node) => keyRules(node).changePassword(caller, NEW_KEY),
    (node) => logIn(node, accountId),
  )
  assert.equal(signIn.status, 'fulfilled')
  const live = await there.rules.sessions.list(accountId)
  return live.length === 1 ? undefined : 'a session that began with the old key lives'
}

const changeDuringSignIn: Race = async ({ here, there, race }) => {
  const accountId = await keyRules(here).newAccount()
  const caller = await callerOf(here, accountId)
  await race(
    (node) => logIn(node, accountId),
    (node) => keyRules(node).changePassword(caller, NEW_KEY),
  )
  const live = await there.rules.sessions.list(accountId)
  return live.length === 1 ? undefined : 'a session that began with the old key lives'
}

async function callerOf(world: World, accountId: AccountId) {
  const { accessToken } = await world.rules.sessions.open(accountId, undefined)
  return notRefused(await world.rules.sessions.authenticate(accessToken))
}

const sessionDuringDeletion: Race = async ({ here, there, race }) => {
  const accountId = await keyRules(here).newAccount()
  await race(
    (node) => keyRules(node).deleteAccount(accountId),
    (node) => logIn(node, accountId),
  )
  const live = await there.rules.sessions.list(accountId)
  return live.some((session) => isLive(session, there.clock.now())) ? 'a deleted account has a session' : undefined
}

const linkDuringDeletion: Race = async ({ here, there, race }) => {
  const accountId = await keyRules(here).newAccount()
  await race(
    (node) => keyRules(node).deleteAccount(accountId),
    (node) => node.rules.links.provision(accountId, provision()),
  )
  const live = (await there.rules.links.list(accountId)).filter(({ state }) => state === 'live')
  return live.length === 0 ? undefined : 'a deleted account has a live link'
}

const twoOriginals: Race = async ({ here, race }) => {
  const owner = await newAlbumOwner(here)
  const assetId = newAssetId()
  const declared = () => declaredFor(here, owner, bytes(100), { assetId })
  const answers = await race(
    (node) => creation(node, owner, declared()),
    (node) => creation(node, owner, declared()),
  )
  const opened = answers.filter((answer) => answer.status === 'fulfilled' && answer.value === 'opened')
  return opened.length === 1 ? undefined : `${opened.length} originals have the slot`
}

const companionDuringRemoval: Race = async ({ here, there, race }) => {
  const owner = await newAlbumOwner(here)
  const assetId = newAssetId()
  await landBlob(here, owner, bytes(100), { assetId })
  await race(
    (node) => node.rules.assets.remove(owner.accountId, assetId),
    (node) => creation(node, owner, declaredFor(node, owner, bytes(50), { assetId, role: 'derivative' })),
  )
  const unclosed = await there.store.read((tx) => tx.uploads.unclosedOfAsset(assetId))
  return unclosed.length === 0 ? undefined : 'a session fills an asset that is deleted'
}

const collectorOf = ({ store, blobs, clock, settings }: World) =>
  createCollector({ store, objects: blobs, clock }, settings)

/** An object whose grace window has passed. */
async function dueObject(here: World) {
  const owner = await newAlbumOwner(here)
  const drop = await newDrop(here, owner, bytes(100))
  notRefused((await here.rules.inbox.discard(owner.accountId, drop.dropId)) ?? {})
  await collectorOf(here).mark()
  here.clock.advance(2 * 86_400)
  return drop
}

const stateOf = async ({ store }: World, location: string) =>
  (await store.read((tx) => tx.objects.find(location)))?.state

const removalDuringHold: Race = async ({ here, there, race }) => {
  const { ciphertextHash, location } = await dueObject(here)
  const hold = { ciphertextHash, reason: 'a court asked', createdAt: here.clock.now() }
  await race(
    (node) => node.store.write(['removal'], (tx) => tx.holds.add(hold)),
    (node) => collectorOf(node).startDeleting(),
  )
  return (await stateOf(there, location)) === 'marked' ? undefined : 'a content on hold is deleted'
}

const removalDuringPause: Race = async ({ here, there, race }) => {
  const { location } = await dueObject(here)
  const until = addSeconds(here.clock.now(), 600)
  await race(
    (node) => node.store.write(['removal'], (tx) => pauseCollector(tx, 'a backup', { at: here.clock.now(), until })),
    (node) => collectorOf(node).startDeleting(),
  )
  return (await stateOf(there, location)) === 'marked' ? undefined : 'an object is deleted during a pause'
}

const receiptDuringRotation: Race = async ({ here, there, race }) => {
  await here.rules.receiptLog.append(draft())
  const [, receipt] = await race(
    (node) => rotateAttestationKey(node),
    (node) => {
      node.clock.advance(1)
      return node.rules.receiptLog.append(draft())
    },
  )
  if (receipt.status === 'rejected') throw receipt.reason
  const keys = await there.store.read((tx) => tx.keys.attestationKeys())
  const key = keys.find(({ keyId }) => keyId === receipt.value.keyId)
  return key?.activeTo !== undefined && receipt.value.receivedAt > key.activeTo
    ? 'a receipt is dated after its key'
    : undefined
}

const capDuringCreation: Race = async ({ here, there, race }) => {
  const opaqueId = await newLink(here)
  const owner = await ownerOf(here, opaqueId)
  await race(
    (node) => openDrop(node, opaqueId, bytes(100)),
    (node) => node.rules.links.change(owner, opaqueId, { maxFileCount: 0 }),
  )
  const { maxFileCount, openSessions } = await linkRow(there, opaqueId)
  return (maxFileCount ?? 1) >= openSessions ? undefined : 'a cap is below what the link has used'
}

const RACES: Readonly<Record<string, Race>> = {
  'a sign-in during a change of the password': signInDuringChange,
  'a change of the password during a sign-in': changeDuringSignIn,
  'a sign-in during the deletion of its account': sessionDuringDeletion,
  'a link during the deletion of its account': linkDuringDeletion,
  'two originals of one asset': twoOriginals,
  'a companion during the removal of its asset': companionDuringRemoval,
  'a removal during a hold': removalDuringHold,
  'a removal during a pause': removalDuringPause,
  'a receipt during a rotation of its key': receiptDuringRotation,
  'a change of a cap during a new session': capDuringCreation,
}

describe('with locks, two nodes let nothing go wrong in', () => {
  for (const [name, race] of Object.entries(RACES))
    it(
      name,
      inTwoNodes(async (nodes) => assert.equal(await race(nodes), undefined)),
    )
})

describe('without locks, it goes wrong in', () => {
  for (const [name, race] of Object.entries(RACES))
    it(
      name,
      inTwoNodes(async (nodes) => assert.notEqual(await race(nodes), undefined), { withoutLocks: true }),
    )
})

describe('many transactions of two nodes at once', () => {
  const count = (answers: readonly unknown[]) => answers.filter((answer) => !isRefusal(answer)).length

  it(
    'admit no more than a cap of files, a single use and a quota allow',
    inTwoNodes(async ({ here, there }) => {
      const both = [here, there, here, there, here, there]
      const capped = await newLink(here, { maxFileCount: 4 })
      const creations = await Promise.all(
        both.map(({ rules }) => rules.drops.create(creationOfDrop(capped, bytes(10)))),
      )
      assert.equal(count(creations), 4)
      const single = await newLink(here, { singleUse: true })
      const uploads = await Promise.all(both.map((node) => openDrop(node, single, bytes(10))))
      const content = bytes(10)
      await Promise.all(
        uploads.map((uploadId, at) => append(both[at] ?? here, uploadId, { offset: 0, bytes: content })),
      )
      const accountId = await newAccount(here)
      await here.store.write([], (tx) =>
        tx.accounts.setLimits(accountId, { softLimitBytes: undefined, hardLimitBytes: 35 }),
      )
      const opaqueId = await newLink(here, {}, accountId)
      const charged = await Promise.all(
        both.map(({ rules }) => rules.drops.create(creationOfDrop(opaqueId, bytes(10)))),
      )
      assert.equal(count(charged), 3)
    }),
  )

  it(
    'give one asset id to one account',
    inTwoNodes(async ({ here, there }) => {
      for (let round = 0; round < 5; round += 1) {
        const owners = [await newAlbumOwner(here), await newAlbumOwner(there)] as const
        const assetId = newAssetId()
        const answers = await Promise.all(
          owners.map((owner, at) => {
            const node = at === 0 ? here : there
            return creation(node, owner, declaredFor(node, owner, bytes(100), { assetId }))
          }),
        )
        assert.deepEqual(answers.toSorted(), ['asset_id_taken', 'opened'])
      }
    }),
  )

  it(
    'create and land drops of the same accounts without a deadlock',
    inTwoNodes(async ({ here, there, deadlocks }) => {
      const links = await Promise.all([1, 2, 3, 4].map(() => newLink(here)))
      const landings = [here, there, here, there].flatMap((node) => links.map((link) => land(node, link, bytes(50))))
      await Promise.all(landings)
      assert.equal(await deadlocks(), 0)
    }),
  )

  it(
    'land drops while their link is changed: each accepted file lands, and no cap is below what the link has used',
    inTwoNodes(async ({ here, there, deadlocks }) => {
      const opaqueId = await newLink(here)
      const owner = await ownerOf(here, opaqueId)
      const landings = [here, there, here, there].map((node) => land(node, opaqueId, bytes(50)))
      const changes = [0, 1, 2, 3, 4].map((maxFileCount) =>
        (maxFileCount % 2 === 0 ? here : there).rules.links.change(owner, opaqueId, { maxFileCount }),
      )
      const landed = (await Promise.allSettled(landings)).filter(({ status }) => status === 'fulfilled').length
      await Promise.all(changes)
      const row = await linkRow(here, opaqueId)
      assert.deepEqual([row.landedFiles, row.openSessions], [landed, 0])
      assert.ok((row.maxFileCount ?? landed) >= landed)
      const spent = await newLink(here, { singleUse: true }, owner)
      const [, change] = await Promise.all([
        land(here, spent, bytes(50)),
        there.rules.links.change(owner, spent, { maxFileCount: 7 }),
      ])
      const { spentAt, maxFileCount } = await linkRow(here, spent)
      assert.deepEqual([spentAt === undefined, maxFileCount], [false, isRefusal(change) ? undefined : 7])
      assert.equal(await deadlocks(), 0)
    }),
  )
})
