import { channel } from '../contracts/store/channels.ts'
import { capability, deprecation } from '../contracts/store/discovery.ts'
import { invite } from '../contracts/store/invites.ts'
import { challenge, codeHash } from '../contracts/store/secondFactors.ts'
import { share, visits } from '../contracts/store/shares.ts'
import {
  account,
  accountId,
  adoptedDrop,
  asset,
  assetBlob,
  assetId,
  assetUpload,
  at,
  binnedDrop,
  bytes,
  device,
  deviceId,
  drop,
  event,
  hash,
  keyId,
  link,
  object,
  opaqueId,
  passkey,
  passkeyId,
  receipt,
  seedWithAlbums,
  session,
  sessionId,
  upload,
  uploadId,
} from '../contracts/store/world.ts'
import type { Store } from '../ports/store.ts'

/** Every byte there is, so that no encoding hides in it. */
const EVERY_BYTE = Uint8Array.from({ length: 1984 }, (_, index) => index % 256)

/** Rows of every noun with all kinds of values: absent, the largest number, other scripts, every byte. */
export async function fillWithEverything(store: Store): Promise<void> {
  await seedWithAlbums(store)
  await store.write([], async (tx) => {
    await tx.accounts.insert(account(3, { email: 'jürgen+"\\\'@例え.jp', salt: EVERY_BYTE.slice(0, 16) }))
    await tx.accounts.setLimits(accountId(1), { softLimitBytes: 0, hardLimitBytes: Number.MAX_SAFE_INTEGER })
    await tx.secondFactors.enroll(accountId(1), EVERY_BYTE)
    await tx.secondFactors.setBackupCodes(accountId(1), [codeHash(1), codeHash(2)])
    await tx.challenges.insert(challenge(1))
    await tx.invites.insert(invite(1))
    const sealedPasskeyKey = EVERY_BYTE.slice(0, 300)
    await tx.passkeys.insert(passkey(1, { sealedPasskeyKey, credentialId: EVERY_BYTE.slice(0, 256) }))
    await tx.passkeys.insert(passkey(2, { sealedName: EVERY_BYTE.slice(0, 90) }))
    await tx.passkeys.noteUse(passkeyId(2), at(2))
    await tx.sessions.insert(session(1, { passkeyId: passkeyId(2) }))
    await tx.sessions.setName(sessionId(1), EVERY_BYTE.slice(0, 80))
    const token = { tokenHash: EVERY_BYTE.slice(100, 132), sessionId: sessionId(1), issuedAt: at(0), usedAt: undefined }
    await tx.sessions.insertRefreshToken(token)
    for (const number of [1, 2, 3]) await tx.devices.insert(device(number, { publicKey: EVERY_BYTE }))
    await tx.devices.setName(deviceId(2), EVERY_BYTE.slice(0, 90))
    await tx.links.insert(
      link(3, { singleUse: true, sealedLabel: EVERY_BYTE.slice(0, 40), sealedTitle: EVERY_BYTE, maxFileCount: 0 }),
    )
    await tx.assets.reserve(asset(1))
    await tx.assets.reserve(asset(2))
    await tx.changes.insertEvent(event(1))
    await tx.capabilities.insert(capability(1))
    await tx.channels.insert(channel(1, { sealedTarget: EVERY_BYTE.slice(0, 60) }))
    await tx.shares.insert(
      share(1, {
        sealedName: EVERY_BYTE.slice(0, 70),
        sealedRecord: EVERY_BYTE,
        verifierHash: EVERY_BYTE.slice(0, 32),
      }),
    )
    await tx.shares.setVisits(opaqueId(1), visits({ openers: EVERY_BYTE, downloaders: EVERY_BYTE.slice(0, 16) }))
    await tx.shares.insert(share(2))
    await tx.shares.end(opaqueId(2), accountId(1), at(5))
    await tx.holds.add({ ciphertextHash: hash(7), reason: 'Gericht: „Az. 7“ 😀', createdAt: at(0) })
    await tx.deprecations.append(deprecation('2026-11-01'))
    await tx.server.setFact('server_id', new TextEncoder().encode('https://keep.example'))
  })
  await fillCustody(store)
}

async function fillCustody(store: Store): Promise<void> {
  await store.write([], async (tx) => {
    await tx.keys.insertAttestationKey({
      keyId: keyId(1),
      publicKey: EVERY_BYTE,
      sealedPrivateKey: bytes(49),
      activeFrom: at(0),
      activeTo: undefined,
    })
    for (const number of [1, 2, 3, 4, 5])
      await tx.objects.insert(object(number, { state: number < 3 ? 'staged' : 'kept' }))
    await tx.uploads.insert(upload(1, { suggestedFilename: 'Überblick\n\u{1f4f7}.jpg', idempotencyKey: 'one' }))
    await tx.drops.insert(drop(3))
    await tx.bin.insert(
      binnedDrop(9, { removed: { drop: drop(9, { suggestedFilename: 'Ü\n😀', kemCt: EVERY_BYTE }) } }),
    )
    await tx.uploads.append(uploadId(1), { offset: 0, length: 60, checksum: hash(1) }, at(1))
    await tx.uploads.insert(assetUpload(2))
    await tx.assets.addBlob(assetBlob(4, { contentType: 'text/plain; charset="ü"' }))
    await tx.assets.addBlob(assetBlob(5, { role: 'metadata', pendingAfter: hash(4) }))
    await tx.assets.touch(assetId(1), at(4))
    await tx.assets.setDrop(assetId(1), adoptedDrop(9))
    await tx.receipts.append(undefined, [
      receipt(1),
      receipt(2, { receiptSeq: Number.MAX_SAFE_INTEGER, receiptCbor: EVERY_BYTE, receivedAt: at(3) }),
    ])
  })
}
