import type { Kysely } from 'kysely'
import type { ReadTx, WriteTx } from '../../ports/store.ts'
import { accountDeletionReads, accountDeletionWrites } from './accountDeletions.ts'
import { accountReads, accountWrites } from './accounts.ts'
import { albumReads, albumWrites } from './albums.ts'
import { assetReads, assetWrites } from './assets.ts'
import { auditReads, auditWrites } from './audit.ts'
import { capabilityReads, capabilityWrites } from './capabilities.ts'
import { challengeReads, challengeWrites } from './challenges.ts'
import { changeReads, changeWrites } from './changes.ts'
import { deprecationReads, deprecationWrites } from './deprecations.ts'
import { deviceReads, deviceWrites } from './devices.ts'
import { dropReads, dropWrites } from './drops.ts'
import { holdReads, holdWrites } from './holds.ts'
import { inviteReads, inviteWrites } from './invites.ts'
import { keyReads, keyWrites } from './keys.ts'
import { linkReads, linkWrites } from './links.ts'
import { objectReads, objectWrites } from './objects.ts'
import { receiptReads, receiptWrites } from './receipts.ts'
import type { Schema } from './schema.ts'
import { secondFactorReads, secondFactorWrites } from './secondFactors.ts'
import { serverReads, serverWrites } from './server.ts'
import { sessionReads, sessionWrites } from './sessions.ts'
import { shareReads, shareWrites } from './shares.ts'
import { uploadReads, uploadWrites } from './uploads.ts'

/** Holds nothing that changes a row. */
export function createReadTx(db: Kysely<Schema>): ReadTx {
  return {
    accounts: accountReads(db),
    secondFactors: secondFactorReads(db),
    challenges: challengeReads(db),
    sessions: sessionReads(db),
    invites: inviteReads(db),
    devices: deviceReads(db),
    albums: albumReads(db),
    assets: assetReads(db),
    links: linkReads(db),
    uploads: uploadReads(db),
    drops: dropReads(db),
    objects: objectReads(db),
    holds: holdReads(db),
    changes: changeReads(db),
    receipts: receiptReads(db),
    accountDeletions: accountDeletionReads(db),
    deprecations: deprecationReads(db),
    capabilities: capabilityReads(db),
    shares: shareReads(db),
    keys: keyReads(db),
    server: serverReads(db),
    audit: auditReads(db),
  }
}

export function createWriteTx(db: Kysely<Schema>): WriteTx {
  return {
    accounts: { ...accountReads(db), ...accountWrites(db) },
    secondFactors: { ...secondFactorReads(db), ...secondFactorWrites(db) },
    challenges: { ...challengeReads(db), ...challengeWrites(db) },
    sessions: { ...sessionReads(db), ...sessionWrites(db) },
    invites: { ...inviteReads(db), ...inviteWrites(db) },
    devices: { ...deviceReads(db), ...deviceWrites(db) },
    albums: { ...albumReads(db), ...albumWrites(db) },
    assets: { ...assetReads(db), ...assetWrites(db) },
    links: { ...linkReads(db), ...linkWrites(db) },
    uploads: { ...uploadReads(db), ...uploadWrites(db) },
    drops: { ...dropReads(db), ...dropWrites(db) },
    objects: { ...objectReads(db), ...objectWrites(db) },
    holds: { ...holdReads(db), ...holdWrites(db) },
    changes: { ...changeReads(db), ...changeWrites(db) },
    receipts: { ...receiptReads(db), ...receiptWrites(db) },
    accountDeletions: { ...accountDeletionReads(db), ...accountDeletionWrites(db) },
    deprecations: { ...deprecationReads(db), ...deprecationWrites(db) },
    capabilities: { ...capabilityReads(db), ...capabilityWrites(db) },
    shares: { ...shareReads(db), ...shareWrites(db) },
    keys: { ...keyReads(db), ...keyWrites(db) },
    server: { ...serverReads(db), ...serverWrites(db) },
    audit: { ...auditReads(db), ...auditWrites(db) },
  }
}
