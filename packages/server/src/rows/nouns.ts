import { accountDeletionReads, accountDeletionWrites } from './accountDeletions.ts'
import { accountReads, accountWrites } from './accounts.ts'
import { albumReads, albumWrites } from './albums.ts'
import { assetReads, assetWrites } from './assets.ts'
import { auditReads, auditWrites } from './audit.ts'
import { binReads, binWrites } from './bin.ts'
import { capabilityReads, capabilityWrites } from './capabilities.ts'
import { censusReads } from './census.ts'
import { challengeReads, challengeWrites } from './challenges.ts'
import { changeReads, changeWrites } from './changes.ts'
import { channelReads, channelWrites } from './channels.ts'
import type { Db } from './db.ts'
import { deprecationReads, deprecationWrites } from './deprecations.ts'
import { deviceReads, deviceWrites } from './devices.ts'
import { dropReads, dropWrites } from './drops.ts'
import { holdReads, holdWrites } from './holds.ts'
import { inviteReads, inviteWrites } from './invites.ts'
import { keyReads, keyWrites } from './keys.ts'
import { linkReads, linkWrites } from './links.ts'
import { movingReads, movingWrites } from './moving.ts'
import { objectReads, objectWrites } from './objects.ts'
import { partReads, partWrites } from './parts.ts'
import { passkeyReads, passkeyWrites } from './passkeys.ts'
import { pauseReads, pauseWrites } from './pauses.ts'
import { receiptReads, receiptWrites } from './receipts.ts'
import { secondFactorReads, secondFactorWrites } from './secondFactors.ts'
import { serverReads, serverWrites } from './server.ts'
import { sessionReads, sessionWrites } from './sessions.ts'
import { shareReads, shareWrites } from './shares.ts'
import { statusReads } from './status.ts'
import { uploadReads, uploadWrites } from './uploads.ts'

/** What each noun of the store answers, and how it changes. A noun has its file. */
const nouns = {
  accounts: { reads: accountReads, writes: accountWrites },
  secondFactors: { reads: secondFactorReads, writes: secondFactorWrites },
  challenges: { reads: challengeReads, writes: challengeWrites },
  sessions: { reads: sessionReads, writes: sessionWrites },
  invites: { reads: inviteReads, writes: inviteWrites },
  devices: { reads: deviceReads, writes: deviceWrites },
  passkeys: { reads: passkeyReads, writes: passkeyWrites },
  albums: { reads: albumReads, writes: albumWrites },
  assets: { reads: assetReads, writes: assetWrites },
  links: { reads: linkReads, writes: linkWrites },
  uploads: { reads: uploadReads, writes: uploadWrites },
  drops: { reads: dropReads, writes: dropWrites },
  bin: { reads: binReads, writes: binWrites },
  objects: { reads: objectReads, writes: objectWrites },
  parts: { reads: partReads, writes: partWrites },
  holds: { reads: holdReads, writes: holdWrites },
  pauses: { reads: pauseReads, writes: pauseWrites },
  changes: { reads: changeReads, writes: changeWrites },
  channels: { reads: channelReads, writes: channelWrites },
  receipts: { reads: receiptReads, writes: receiptWrites },
  accountDeletions: { reads: accountDeletionReads, writes: accountDeletionWrites },
  deprecations: { reads: deprecationReads, writes: deprecationWrites },
  capabilities: { reads: capabilityReads, writes: capabilityWrites },
  shares: { reads: shareReads, writes: shareWrites },
  keys: { reads: keyReads, writes: keyWrites },
  server: { reads: serverReads, writes: serverWrites },
  moving: { reads: movingReads, writes: movingWrites },
  census: { reads: censusReads, writes: {} },
  status: { reads: statusReads, writes: {} },
  audit: { reads: auditReads, writes: auditWrites },
}

type Nouns = typeof nouns

/** The same functions without the database, which a transaction gives them. */
type Bound<Functions> = {
  readonly [Name in keyof Functions]: Functions[Name] extends (
    db: Db,
    ...given: infer Given extends readonly unknown[]
  ) => infer Result
    ? (...given: Given) => Result
    : never
}

/** Holds nothing that changes a row. */
export type ReadTx = { readonly [Noun in keyof Nouns]: Bound<Nouns[Noun]['reads']> }

type Changes = { readonly [Noun in keyof Nouns]: Bound<Nouns[Noun]['reads'] & Nouns[Noun]['writes']> }

export type WriteTx = Changes & { afterCommit(step: () => void): void }

const DB = Symbol('db')

class OverDatabase {
  readonly [DB]: Db
  constructor(db: Db) {
    this[DB] = db
  }
}

/** Offers nothing that changes a row. */
export const createReadTx: (db: Db) => ReadTx = createTxOf(({ reads }) => reads)

const createChanges: (db: Db) => Changes = createTxOf(({ reads, writes }) => ({ ...reads, ...writes }))

export function createWriteTx(db: Db, afterCommit: WriteTx['afterCommit']): WriteTx {
  return Object.assign(createChanges(db), { afterCommit })
}

type Functions = Readonly<Record<string, (db: Db, ...given: never[]) => unknown>>

/** A transaction makes the nouns that it uses: most use three of them. */
function createTxOf<Tx>(functionsOf: (noun: Nouns[keyof Nouns]) => object): (db: Db) => Tx {
  class LazyTx extends OverDatabase {}
  for (const [noun, each] of Object.entries(nouns)) {
    const Noun = boundTo(functionsOf(each) as Functions)
    Object.defineProperty(LazyTx.prototype, noun, {
      get(this: LazyTx) {
        const value = new Noun(this[DB])
        Object.defineProperty(this, noun, { value })
        return value
      },
    })
  }
  // TypeScript does not follow a mapping over all keys; `ReadTx` and `Changes` are mapped from the same list.
  return (db) => new LazyTx(db) as Tx
}

function boundTo(functions: Functions): typeof OverDatabase {
  class Noun extends OverDatabase {}
  for (const [name, ask] of Object.entries(functions)) {
    Object.defineProperty(Noun.prototype, name, {
      value(this: Noun, ...given: never[]) {
        return ask(this[DB], ...given)
      },
    })
  }
  return Noun
}
