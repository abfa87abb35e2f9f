import assert from 'node:assert/strict'
import { linkCapsOf } from '@blindkeep/protocol/schemas/links'
import type { PageQuestion, Place, WriteTx } from '../../ports/store.ts'
import { channel } from './channels.ts'
import { capability, deprecation, jti } from './discovery.ts'
import { invite } from './invites.ts'
import { joinedPart, keepPart, part } from './parts.ts'
import { challenge, codeHash } from './secondFactors.ts'
import { share, visits } from './shares.ts'
import {
  account,
  accountId,
  adoptedDrop,
  album,
  albumId,
  asset,
  assetBlob,
  assetId,
  assetUpload,
  at,
  binnedDrop,
  bytes,
  channelId,
  claim,
  device,
  deviceId,
  drop,
  dropId,
  event,
  hash,
  keyId,
  link,
  object,
  opaqueId,
  passkey,
  passkeyId,
  receipt,
  session,
  sessionId,
  upload,
  uploadId,
} from './world.ts'

type Noun = Exclude<keyof WriteTx, 'afterCommit'>

/** Calls every method of the port once, on rows that let it succeed. */
export const questions: { readonly [Each in Noun]: { readonly [Name in keyof WriteTx[Each]]: Ask } } = {
  accounts: {
    find: (tx) => tx.accounts.find(accountId(1)),
    standing: (tx) => tx.accounts.standing(accountId(1)),
    refusals: (tx) => tx.accounts.refusals(accountId(1)),
    noteRefusal: (tx) => tx.accounts.noteRefusal(accountId(1), { why: 'inbox_full', at: at(9), since: at(1) }),
    findByEmail: (tx) => tx.accounts.findByEmail('owner@example.org'),
    insert: (tx) => tx.accounts.insert(account(2)),
    changeSignInKey: (tx) => tx.accounts.changeSignInKey(accountId(1), account(1).signInKeyHash, account(2)),
    changeRecoveryKey: (tx) =>
      tx.accounts.changeRecoveryKey(accountId(1), { sealedRecoveryKey: bytes(80), recoveryKeyHash: bytes(32) }),
    confirmRecoveryKey: (tx) => tx.accounts.confirmRecoveryKey(accountId(1), bytes(32), at(1)),
    charge: (tx) => tx.accounts.charge(accountId(1), 1, 10),
    refund: async (tx) => {
      await tx.accounts.charge(accountId(1), 1, 10)
      await tx.accounts.refund(accountId(1), 1)
    },
    setExceededSince: (tx) => tx.accounts.setExceededSince(accountId(1), at(1)),
    list: (tx) => tx.accounts.list({ afterEmail: 'owner@example.org', max: 5 }),
    setLimits: (tx) => tx.accounts.setLimits(accountId(1), { softLimitBytes: 1, hardLimitBytes: 2 }),
    setSuspended: async (tx) => {
      await tx.accounts.setSuspended(accountId(1), at(1))
      await tx.accounts.setSuspended(accountId(1), undefined)
    },
  },
  secondFactors: {
    find: (tx) => tx.secondFactors.find(accountId(1)),
    enroll: (tx) => tx.secondFactors.enroll(accountId(1), bytes(49)),
    confirm: (tx) => tx.secondFactors.confirm(accountId(1), at(1)),
    useStep: (tx) => tx.secondFactors.useStep(accountId(1), 1),
    remove: (tx) => tx.secondFactors.remove(accountId(1)),
    forgetSteps: (tx) => tx.secondFactors.forgetSteps(accountId(1)),
    setBackupCodes: (tx) => tx.secondFactors.setBackupCodes(accountId(1), [codeHash(1)]),
    useBackupCode: (tx) => tx.secondFactors.useBackupCode(accountId(1), codeHash(1), at(1)),
  },
  challenges: {
    find: (tx) => tx.challenges.find(codeHash(1)),
    insert: (tx) => tx.challenges.insert(challenge(1)),
    countAttempt: (tx) => tx.challenges.countAttempt(codeHash(1), { at: at(1), attemptsMax: 5 }),
    consume: (tx) => tx.challenges.consume(codeHash(1), at(1)),
    removeOf: (tx) => tx.challenges.removeOf(accountId(1)),
    removeOlderSignInsOf: (tx) => tx.challenges.removeOlderSignInsOf(accountId(1), 3),
    removeOlderRecoveriesOf: (tx) => tx.challenges.removeOlderRecoveriesOf(accountId(1), 3),
    prune: (tx) => tx.challenges.prune(at(1), 5),
  },
  channels: {
    find: (tx) => tx.channels.find(channelId(1)),
    listOf: (tx) => tx.channels.listOf(accountId(1)),
    newsOf: (tx) => tx.channels.newsOf([accountId(1), accountId(2)]),
    withNews: (tx) => tx.channels.withNews({ at: at(1), after: 0, max: 5 }),
    landings: (tx) => tx.channels.landings(accountId(1), { after: 0, upTo: 5 }),
    firstMove: (tx) => tx.channels.firstMove(accountId(1), { after: 0, upTo: 5 }),
    insert: (tx) => tx.channels.insert(channel(2)),
    remove: (tx) => tx.channels.remove(channelId(1), accountId(1)),
    confirm: (tx) => tx.channels.confirm(channelId(1), { from: bytes(40), to: bytes(41) }),
    resume: (tx) => tx.channels.resume(channelId(1), at(1)),
    skip: (tx) => tx.channels.skip(channelId(1), { after: 0, upTo: 1, at: at(1) }),
    claim: (tx) => tx.channels.claim(channelId(1), { claimId: 'one', after: 0, upTo: 1, at: at(1), until: at(2) }),
    settle: (tx) => tx.channels.settle(channelId(1), { claimId: 'one', at: at(1), dueAt: at(2) }),
    fail: (tx) =>
      tx.channels.fail(channelId(1), {
        claimId: 'one',
        at: at(1),
        fault: 'timed_out',
        state: 'active',
        dueAt: at(2),
      }),
  },
  sessions: {
    find: (tx) => tx.sessions.find(sessionId(1)),
    findWithAccount: (tx) => tx.sessions.findWithAccount(sessionId(1)),
    findRefreshToken: (tx) => tx.sessions.findRefreshToken(bytes(32)),
    listLive: (tx) => tx.sessions.listLive(accountId(1), at(1)),
    insert: (tx) => tx.sessions.insert(session(1)),
    bind: (tx) => tx.sessions.bind(sessionId(1), deviceId(1)),
    pruneRefreshTokens: (tx) => tx.sessions.pruneRefreshTokens(sessionId(1), 5),
    insertRefreshToken: async (tx) => {
      await tx.sessions.insert(session(2))
      await tx.sessions.insertRefreshToken({
        tokenHash: bytes(32),
        sessionId: sessionId(2),
        issuedAt: at(0),
        usedAt: undefined,
      })
    },
    useRefreshToken: (tx) => tx.sessions.useRefreshToken(bytes(32), at(1)),
    prolong: (tx) => tx.sessions.prolong(sessionId(1), at(1), at(2)),
    setName: (tx) => tx.sessions.setName(sessionId(1), bytes(9)),
    endAllOfPasskey: (tx) =>
      tx.sessions.endAllOfPasskey({ accountId: accountId(1), passkeyId: passkeyId(1) }, at(1), sessionId(2)),
    end: (tx) => tx.sessions.end(sessionId(1), at(1)),
    endAllOf: async (tx) => {
      await tx.sessions.endAllOf(accountId(1), at(1), sessionId(1))
      await tx.sessions.endAllOf(accountId(1), at(1))
    },
    prune: (tx) => tx.sessions.prune(at(1)),
  },
  invites: {
    find: (tx) => tx.invites.find(hash(1)),
    list: (tx) => tx.invites.list(5),
    hasLive: (tx) => tx.invites.hasLive(at(1)),
    insert: (tx) => tx.invites.insert(invite(2)),
    use: (tx) => tx.invites.use(hash(1), accountId(1), at(1)),
    revoke: (tx) => tx.invites.revoke(hash(1)),
    prune: (tx) => tx.invites.prune(at(1), 5),
  },
  devices: {
    find: (tx) => tx.devices.find(deviceId(1)),
    page: pagesAsked((tx, question) => tx.devices.page(accountId(1), question)),
    placeOf: (tx) => tx.devices.placeOf(accountId(1), deviceId(1)),
    count: (tx) => tx.devices.count(accountId(1)),
    countLive: (tx) => tx.devices.countLive(accountId(1)),
    insert: (tx) => tx.devices.insert(device(2)),
    revokedBefore: (tx) => tx.devices.revokedBefore(accountId(1), 1),
    signersOf: async (tx) => {
      for (const after of [undefined, { ciphertextHash: hash(1), blobSeq: 1 }])
        await tx.devices.signersOf(accountId(1), { after, max: 5 })
    },
    remove: (tx) => tx.devices.remove(accountId(1), [deviceId(1)]),
    setName: (tx) => tx.devices.setName(deviceId(1), bytes(9)),
    revoke: (tx) => tx.devices.revoke(deviceId(1), accountId(1), at(1)),
  },
  passkeys: {
    find: (tx) => tx.passkeys.find(passkeyId(1)),
    listOf: (tx) => tx.passkeys.listOf(accountId(1)),
    insert: (tx) => tx.passkeys.insert(passkey(2)),
    setName: (tx) => tx.passkeys.setName(passkeyId(1), bytes(9)),
    noteUse: (tx) => tx.passkeys.noteUse(passkeyId(1), at(1)),
    remove: (tx) => tx.passkeys.remove(passkeyId(1), accountId(1)),
    removeOf: (tx) => tx.passkeys.removeOf(accountId(1)),
  },
  albums: {
    find: (tx) => tx.albums.find(albumId(1)),
    page: pagesAsked((tx, question) => tx.albums.page(accountId(1), question)),
    placeOf: (tx) => tx.albums.placeOf(accountId(1), albumId(1)),
    count: (tx) => tx.albums.count(accountId(1)),
    isEmpty: (tx) => tx.albums.isEmpty(albumId(1)),
    end: (tx) => tx.albums.end(albumId(1), at(1)),
    revive: (tx) => tx.albums.revive(albumId(1)),
    forgetName: (tx) => tx.albums.forgetName(albumId(1)),
    insert: (tx) => tx.albums.insert(album(2)),
    setName: (tx) => tx.albums.setName(albumId(1), accountId(1), bytes(9)),
  },
  assets: {
    find: (tx) => tx.assets.find(assetId(1)),
    blobsOf: (tx) => tx.assets.blobsOf(assetId(1)),
    liveBlobsOf: (tx) => tx.assets.liveBlobsOf(accountId(1), assetId(1)),
    objectsOf: (tx) => tx.assets.objectsOf(accountId(1), hash(1)),
    retainedUntil: (tx) => tx.assets.retainedUntil(accountId(1)),
    someWithBlobs: (tx) => tx.assets.someWithBlobs(accountId(1), 5),
    pendingBefore: (tx) => tx.assets.pendingBefore(at(1), 5),
    reserve: (tx) => tx.assets.reserve(asset(2)),
    giveUp: (tx) => tx.assets.giveUp(assetId(1)),
    addBlob: (tx) => tx.assets.addBlob(assetBlob(2)),
    retain: (tx) => tx.assets.retain(assetBlob(1).location, at(9)),
    showPending: async (tx) => {
      await tx.assets.addBlob(assetBlob(3, { role: 'metadata', pendingAfter: hash(1) }))
      await tx.assets.showPending(assetBlob(3).location)
    },
    removeBlob: (tx) => tx.assets.removeBlob(assetBlob(1).location),
    touch: (tx) => tx.assets.touch(assetId(1), at(1)),
    setDrop: (tx) => tx.assets.setDrop(assetId(1), adoptedDrop(1)),
    bury: async (tx) => {
      await tx.assets.removeBlob(assetBlob(1).location)
      await tx.assets.touch(assetId(1), at(1))
      await tx.assets.bury(assetId(1), at(1))
    },
    exhume: async (tx) => {
      await tx.assets.removeBlob(assetBlob(1).location)
      await tx.assets.touch(assetId(1), at(1))
      await tx.assets.bury(assetId(1), at(1))
      await tx.assets.exhume(assetId(1), at(2))
    },
  },
  links: {
    find: (tx) => tx.links.find(opaqueId(1)),
    findWithOwner: (tx) => tx.links.findWithOwner(opaqueId(1)),
    sealedTitle: (tx) => tx.links.sealedTitle(opaqueId(1)),
    takers: (tx) => tx.links.takers([opaqueId(1), opaqueId(2)]),
    findOwn: (tx) => tx.links.findOwn(opaqueId(1), accountId(1)),
    page: pagesAsked((tx, question) => tx.links.page(accountId(1), question)),
    placeOf: (tx) => tx.links.placeOf(accountId(1), opaqueId(1)),
    countListed: (tx) => tx.links.countListed(accountId(1)),
    countLive: (tx) => tx.links.countLive(accountId(1), at(1)),
    heldPlaces: (tx) => tx.links.heldPlaces(accountId(1), at(1)),
    bury: (tx) => tx.links.bury(accountId(1), at(1), 5),
    insert: (tx) => tx.links.insert(link(2)),
    reserve: (tx) => tx.links.reserve(opaqueId(1), { size: 1, at: at(1), maxOpenSessions: 64 }),
    release: async (tx) => {
      await tx.links.reserve(opaqueId(1), { size: 1, at: at(1), maxOpenSessions: 64 })
      await tx.links.release(opaqueId(1), 1)
    },
    land: async (tx) => {
      await tx.links.reserve(opaqueId(1), { size: 1, at: at(1), maxOpenSessions: 64 })
      await tx.links.land([{ opaqueId: opaqueId(1), files: 1, bytes: 1 }], at(1))
    },
    claim: (tx) => tx.links.claim(opaqueId(1), uploadId(1)),
    unclaim: (tx) => tx.links.unclaim(opaqueId(1), uploadId(1)),
    setRefusals: (tx) =>
      tx.links.setRefusals(opaqueId(1), { counts: { too_large: 1 }, firstAt: at(1), lastAt: at(2), notedAt: at(3) }),
    setTerms: (tx) =>
      tx.links.setTerms(opaqueId(1), {
        expiresAt: at(9),
        sealedLabel: undefined,
        sealedTitle: undefined,
        ...linkCapsOf({}),
      }),
    revoke: (tx) => tx.links.revoke(opaqueId(1), accountId(1), at(1)),
  },
  uploads: {
    find: (tx) => tx.uploads.find(uploadId(1)),
    findAt: (tx) => tx.uploads.findAt(uploadId(1), 0),
    findByIdempotencyKey: (tx) => tx.uploads.findByIdempotencyKey(opaqueId(1), 'key'),
    chunkAt: (tx) => tx.uploads.chunkAt(uploadId(1), 0),
    chunks: (tx) => tx.uploads.chunks(uploadId(1)),
    openOf: (tx) => tx.uploads.openOf(opaqueId(1)),
    unclosedOfAsset: (tx) => tx.uploads.unclosedOfAsset(assetId(1)),
    finishingOfAccount: (tx) => tx.uploads.finishingOfAccount(accountId(1)),
    openOfAccount: (tx) => tx.uploads.openOfAccount(accountId(1), 50),
    page: pagesAsked((tx, question) => tx.uploads.page(accountId(1), question), uploadId(1)),
    placeOf: (tx) => tx.uploads.placeOf(accountId(1), uploadId(1)),
    countLanding: (tx) => tx.uploads.countLanding(accountId(1)),
    countUnclosedOwn: (tx) => tx.uploads.countUnclosedOwn(accountId(1)),
    finishing: (tx) => tx.uploads.finishing({ by: 'one process', at: at(1) }),
    expired: (tx) => tx.uploads.expired({ noChunkBefore: at(1), idleBefore: at(1), createdBefore: at(1), max: 5 }),
    claims: (tx) => tx.uploads.claims({ accountId: accountId(1), activeSince: at(1), accountBytesMax: 40 }),
    insert: async (tx) => {
      await tx.uploads.insert(upload(2))
      await tx.uploads.insert(assetUpload(3))
    },
    append: async (tx) => {
      const chunk = { offset: 0, length: 1, checksum: hash(1) }
      await tx.uploads.append(uploadId(1), chunk, at(1))
      await tx.uploads.append(uploadId(1), { ...chunk, offset: 1 }, at(1), { by: 'one process', until: at(2) })
    },
    landWhole: (tx) => tx.uploads.landWhole([{ ...upload(1), key: undefined }], at(1)),
    markWriting: (tx) => tx.uploads.markWriting(uploadId(1), at(1)),
    lease: (tx) => tx.uploads.lease(uploadId(1), { by: 'one process', at: at(1), until: at(2) }),
    removeChunksFrom: (tx) => tx.uploads.removeChunksFrom(uploadId(1), 0),
    redeclare: async (tx) => {
      await tx.uploads.insert(assetUpload(8))
      await tx.uploads.redeclare(uploadId(8), assetUpload(8))
    },
    move: async (tx) => {
      const lease = { by: 'one process', until: at(2) }
      await tx.uploads.move(uploadId(1), { from: 'open', to: 'ended', at: at(1), receivedBytes: 9 })
      await tx.uploads.move(uploadId(1), { from: 'open', to: 'finishing', at: at(1), lease })
    },
    prune: (tx) => tx.uploads.prune({ closedBefore: at(1), unlandedBefore: at(0), max: 5 }),
  },
  drops: {
    find: (tx) => tx.drops.find(dropId(1)),
    page: pagesAsked((tx, question) => tx.drops.page(accountId(1), question)),
    placeOf: (tx) => tx.drops.placeOf(accountId(1), dropId(1)),
    withheldBetween: (tx) => tx.drops.withheldBetween(accountId(1), { from: at(1), to: at(2) }),
    isClaimedFor: (tx) => tx.drops.isClaimedFor(dropId(1), hash(1), at(1)),
    countPending: (tx) => tx.drops.countPending(accountId(1)),
    insert: (tx) => tx.drops.insert(drop(2)),
    claim: (tx) => tx.drops.claim(claim(1)),
    settle: async (tx) => {
      await tx.drops.claim(claim(1))
      await tx.drops.settle(dropId(1), claim(1).claimId)
    },
    unclaim: (tx) => tx.drops.unclaim(dropId(1), claim(1).claimId),
    remove: (tx) => tx.drops.remove(dropId(1), accountId(1), at(1)),
    removeOfLink: (tx) => tx.drops.removeOfLink(opaqueId(1), accountId(1), at(1), 5),
    removeSome: (tx) => tx.drops.removeSome(accountId(1), at(1), 5),
  },
  bin: {
    find: (tx) => tx.bin.find(accountId(1), dropId(9)),
    page: pagesAsked((tx, question) => tx.bin.page(accountId(1), question)),
    placeOf: (tx) => tx.bin.placeOf(accountId(1), dropId(9)),
    bytesOf: (tx) => tx.bin.bytesOf(accountId(1)),
    accountsWith: (tx) => tx.bin.accountsWith(at(1), 5),
    insert: (tx) => tx.bin.insert(binnedDrop(8)),
    remove: (tx) => tx.bin.remove(accountId(1), dropId(9)),
    removeUntil: (tx) => tx.bin.removeUntil(accountId(1), at(1), 5),
  },
  objects: {
    find: (tx) => tx.objects.find(object(1).location),
    listIn: (tx) => tx.objects.listIn('deleting', at(1), 5),
    insert: (tx) => tx.objects.insert(object(2)),
    move: (tx) => tx.objects.move(object(1).location, { from: 'staged', to: 'deleting', at: at(1) }),
    mark: (tx) => tx.objects.mark(object(1).location, at(1), at(2)),
    restore: (tx) => tx.objects.restore(object(1).location, at(1)),
    keep: (tx) => tx.objects.keep([object(1).location], at(1)),
    statusOf: (tx) => tx.objects.statusOf(object(1).location, hash(1)),
    listToScrub: (tx) => tx.objects.listToScrub({ before: at(9), after: undefined, max: 5 }),
    listSuspected: (tx) => tx.objects.listSuspected({ at: at(1), mostSeconds: 1, max: 5 }),
    listDamaged: (tx) => tx.objects.listDamaged({ at: at(1), leastSeconds: 1, max: 5 }),
    ownerOf: (tx) => tx.objects.ownerOf('nowhere', uploadId(1)),
    startDeleting: (tx) =>
      tx.objects.startDeleting({
        location: object(1).location,
        uploadId: uploadId(1),
        ciphertextHash: hash(1),
        before: at(5),
        at: at(9),
      }),
    suspect: (tx) => tx.objects.suspect(object(1).location, at(1)),
    markDamaged: (tx) => tx.objects.markDamaged(object(1).location, at(1)),
    noteUnread: (tx) => tx.objects.noteUnread(object(1).location, at(1)),
    noteIntact: (tx) => tx.objects.noteIntact(object(1).location, { readAt: at(1), at: at(1) }),
    remove: (tx) => tx.objects.remove(object(1).location),
  },
  parts: {
    keptOf: (tx) => tx.parts.keptOf(uploadId(1)),
    due: (tx) => tx.parts.due(at(1), 5),
    toJoin: (tx) => tx.parts.toJoin(uploadId(1), 5),
    isKnown: (tx) => tx.parts.isKnown(part(1).key),
    begin: (tx) => tx.parts.begin(part(1), 4),
    beginJoining: (tx) => tx.parts.beginJoining({ ...part(1), location: object(1).location }),
    beginReplacing: (tx) => tx.parts.beginReplacing({ ...part(1), location: object(1).location }),
    extend: (tx) => tx.parts.extend(part(1).key, at(9)),
    join: async (tx) => {
      await keepPart(tx, 1, 0)
      await tx.parts.begin(part(2), 4)
      await tx.parts.join(joinedPart(2, [1]))
    },
    giveUp: (tx) => tx.parts.giveUp(part(1).key, at(1)),
    releaseKept: (tx) => tx.parts.releaseKept(uploadId(1), at(1)),
    noteRemoved: (tx) => tx.parts.noteRemoved(part(1).key, at(1)),
    remove: (tx) => tx.parts.remove(part(1).key),
  },
  holds: {
    contentsOf: async (tx) => {
      await tx.holds.contentsOf({ opaqueId: opaqueId(1) })
      await tx.holds.contentsOf({ dropId: dropId(1) })
    },
    find: (tx) => tx.holds.find(hash(1)),
    list: (tx) => tx.holds.list(),
    add: (tx) => tx.holds.add({ ciphertextHash: hash(1), reason: 'asked for', createdAt: at(1) }),
    remove: (tx) => tx.holds.remove(hash(1)),
  },
  pauses: {
    lastEnd: (tx) => tx.pauses.lastEnd(),
    set: (tx) => tx.pauses.set('a backup', { at: at(1), until: at(2) }),
    end: (tx) => tx.pauses.end('a backup'),
  },
  changes: {
    lastSeq: (tx) => tx.changes.lastSeq(accountId(1)),
    assetsAfter: async (tx) => {
      await tx.changes.numberAsset(assetId(1), 1)
      assert.equal((await tx.changes.assetsAfter({ accountId: accountId(1), changeSeq: 0, max: 5 })).length, 1)
    },
    eventsAfter: (tx) => tx.changes.eventsAfter({ accountId: accountId(1), changeSeq: 0, max: 5 }),
    nextSeq: (tx) => tx.changes.nextSeq(accountId(1)),
    insertEvent: (tx) => tx.changes.insertEvent(event(1)),
    insertNextEvents: (tx) => tx.changes.insertNextEvents([event(1), event(2), event(3)]),
    numberAsset: (tx) => tx.changes.numberAsset(assetId(1), 1),
    pruneEvents: (tx) => tx.changes.pruneEvents(at(1), 5),
  },
  receipts: {
    end: (tx) => tx.receipts.end(1),
    head: (tx) => tx.receipts.head(),
    hashOf: (tx) => tx.receipts.hashOf(1),
    ofUpload: (tx) => tx.receipts.ofUpload(uploadId(1)),
    ofDrop: (tx) => tx.receipts.ofDrop({ uploadId: uploadId(1), opaqueId: opaqueId(1) }),
    ofAsset: (tx) => tx.receipts.ofAsset(assetId(1)),
    countOfAsset: (tx) => tx.receipts.countOfAsset(assetId(1)),
    append: async (tx) => {
      await tx.receipts.append(undefined, [receipt(1)])
      await tx.receipts.append(await tx.receipts.head(), [receipt(2)])
    },
  },
  accountDeletions: {
    listUnfinished: (tx) => tx.accountDeletions.listUnfinished(5),
    begin: (tx) =>
      tx.accountDeletions.begin({ accountId: accountId(1), signInKeyHash: account(1).signInKeyHash, at: at(1) }),
    finish: (tx) => tx.accountDeletions.finish(accountId(1), at(1)),
  },
  deprecations: {
    list: (tx) => tx.deprecations.list(),
    append: (tx) => tx.deprecations.append(deprecation('2026-06-01')),
  },
  capabilities: {
    page: pagesAsked((tx, question) => tx.capabilities.page({ albumId: albumId(1), at: at(1) }, question)),
    placeOf: (tx) => tx.capabilities.placeOf({ albumId: albumId(1), at: at(1) }, jti(1)),
    count: (tx) => tx.capabilities.count(accountId(1), at(1)),
    countAll: (tx) => tx.capabilities.countAll(at(1), 5),
    revokeOf: (tx) => tx.capabilities.revokeOf(albumId(1), at(1)),
    revoked: async (tx) => {
      for (const after of [undefined, { jti: jti(1), expiresAt: at(1) }])
        await tx.capabilities.revoked(at(1), { after, max: 5 })
    },
    revokedMark: (tx) => tx.capabilities.revokedMark(at(1)),
    insert: (tx) => tx.capabilities.insert(capability(1)),
    revoke: (tx) => tx.capabilities.revoke(jti(1), albumId(1), at(1)),
    revokeAll: (tx) => tx.capabilities.revokeAll(at(1)),
    prune: (tx) => tx.capabilities.prune(at(1), 5),
  },
  shares: {
    bytesOf: (tx) => tx.shares.bytesOf(accountId(1)),
    find: (tx) => tx.shares.find(opaqueId(1)),
    findWithOwner: (tx) => tx.shares.findWithOwner(opaqueId(1)),
    contentsOf: async (tx) => {
      await tx.shares.insert(share(1))
      await tx.shares.contentsOf(opaqueId(1))
    },
    notesOf: (tx) => tx.shares.notesOf(opaqueId(1)),
    visitsOf: (tx) => tx.shares.visitsOf(opaqueId(1)),
    setContents: async (tx) => {
      await tx.shares.insert(share(1))
      await tx.shares.setContents(opaqueId(1), {
        sealedIndex: bytes(9),
        blobHashes: [hash(2)],
        sealedRecord: bytes(8),
      })
    },
    setVisits: async (tx) => {
      await tx.shares.insert(share(1))
      await tx.shares.setVisits(opaqueId(1), visits())
    },
    names: (tx) => tx.shares.names(opaqueId(1), hash(1)),
    page: pagesAsked((tx, question) => tx.shares.page(accountId(1), question)),
    placeOf: (tx) => tx.shares.placeOf(accountId(1), opaqueId(1)),
    count: (tx) => tx.shares.count(accountId(1)),
    insert: (tx) =>
      tx.shares.insert(share(1, { blobHashes: Array.from({ length: 101 }, () => hash(1)), sealedName: bytes(9) })),
    setName: async (tx) => {
      await tx.shares.insert(share(1))
      await tx.shares.setName(opaqueId(1), accountId(1), bytes(9))
    },
    end: async (tx) => {
      await tx.shares.insert(share(1))
      await tx.shares.end(opaqueId(1), accountId(1), at(1))
    },
    endSomeOf: async (tx) => {
      await tx.shares.insert(share(1))
      await tx.shares.endSomeOf(accountId(1), at(1), 5)
    },
    endExpired: async (tx) => {
      await tx.shares.insert(share(1, { expiresAt: at(1) }))
      await tx.shares.endExpired(at(2), at(2), 5)
    },
  },
  keys: {
    attestationKeys: (tx) => tx.keys.attestationKeys(),
    activeAttestationKey: (tx) => tx.keys.activeAttestationKey(),
    insertAttestationKey: (tx) =>
      tx.keys.insertAttestationKey({
        keyId: keyId(1),
        publicKey: bytes(1984),
        sealedPrivateKey: bytes(9),
        activeFrom: at(0),
        activeTo: undefined,
      }),
    retireAttestationKey: (tx) => tx.keys.retireAttestationKey(keyId(1), at(1)),
    removeUnusedKey: (tx) => tx.keys.removeUnusedKey(keyId(9)),
    keyChanges: (tx) => tx.keys.keyChanges(),
    insertKeyChange: async (tx) => {
      await tx.keys.insertAttestationKey({
        keyId: keyId(1),
        publicKey: bytes(1984),
        sealedPrivateKey: bytes(9),
        activeFrom: at(0),
        activeTo: undefined,
      })
      await tx.keys.insertKeyChange({ keyId: keyId(1), leave: bytes(9), arrive: bytes(9) })
    },
  },
  server: {
    fact: (tx) => tx.server.fact('server_id'),
    setFact: (tx) => tx.server.setFact('server_id', bytes(1)),
    removeFact: (tx) => tx.server.removeFact('moves_to'),
  },
  moving: {
    concerns: (tx) => tx.moving.concerns(at(1)),
    accountsToTell: (tx) => tx.moving.accountsToTell(),
    endSessions: (tx) => tx.moving.endSessions(at(1)),
    removeChallenges: (tx) => tx.moving.removeChallenges(),
    removePasskeys: (tx) => tx.moving.removePasskeys(),
    removePushChannels: (tx) => tx.moving.removePushChannels(),
  },
  census: { take: (tx) => tx.census.take() },
  status: {
    accounts: (tx) => tx.status.accounts('', at(1), 5),
    arrived: (tx) => tx.status.arrived({ since: at(1), location: '' }, 5),
    originals: async (tx) => {
      await tx.status.originals('', 1)
      await tx.status.originals('', 5)
    },
    channels: (tx) => tx.status.channels(0, 5),
  },
  audit: {
    damage: (tx) => tx.audit.damage(true, 1),
    accounts: (tx) => tx.audit.accounts('', 5),
    links: (tx) => tx.audit.links(0, 5),
    uploads: (tx) => tx.audit.uploads('', 5),
    drops: (tx) => tx.audit.drops(0, 5),
    assets: (tx) => tx.audit.assets('', 5),
    blobs: (tx) => tx.audit.blobs(0, 5),
    bin: (tx) => tx.audit.bin(0, 5),
    objects: (tx) => tx.audit.objects('', 5),
    object: (tx) => tx.audit.object(object(1).location),
    looseParts: (tx) => tx.audit.looseParts(5),
    receipts: (tx) => tx.audit.receipts(-1, 5),
    recountUse: (tx) => tx.audit.recountUse(accountId(1)),
    recountOpen: (tx) => tx.audit.recountOpen(1),
  },
}

export type Ask = (tx: WriteTx) => Promise<unknown>

/** Every statement of a list: both orders, the first page and a later one. */
function pagesAsked(
  page: (tx: WriteTx, question: PageQuestion) => Promise<unknown>,
  placeSeq: Place['placeSeq'] = 1,
): Ask {
  return async (tx) => {
    for (const order of ['oldest', 'newest'] as const)
      for (const after of [undefined, { placeAt: at(1), placeSeq }]) await page(tx, { after, max: 5, order })
  }
}
