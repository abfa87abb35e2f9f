/** Signs and commits one batch of receipts, each chained to the one before it. The caller has locked the log. */
import {
  type AccountId,
  type AssetId,
  type DropId,
  formatInstant,
  type Instant,
  instantOf,
  type KeyId,
  type Sha256Hex,
  type UploadId,
} from '@blindkeep/protocol/ids'
import type { ReceiptPayload } from '@blindkeep/protocol/receipt'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import { StorageUnavailable } from '../../ground/storageErrors.ts'
import type { Clock } from '../../ports/clock.ts'
import type { AttestationSigner } from '../../ports/keyring.ts'
import {
  type AttestationKey,
  accountLock,
  type LogHead,
  type ReceiptRow,
  type Store,
  type WriteTx,
} from '../../ports/store.ts'
import { recordServerId, requireOwnName } from '../discovery/serverId.ts'
import { countOf, type HeadWatch } from './headWatch.ts'

interface Draft {
  /** Whose file it is. */
  readonly accountId: AccountId
  readonly subject: ReceiptSubject
}

/** A receipt for something that lands together with what other receipts of its batch vouch for: see `LandTogether`. */
export interface LandingDraft<Landing> extends Draft {
  readonly landing: Landing
}

/** A receipt for something that is written alone. */
export interface CommitDraft extends Draft {
  /**
   * Writes what the receipt vouches for, in the transaction that appends it, under the lock of its account. May run
   * more than once, and beside the drafts of other accounts. When it throws, there is no receipt.
   */
  commit(tx: WriteTx, receivedAt: Instant): Promise<void>
}

export type ReceiptDraft<Landing> = LandingDraft<Landing> | CommitDraft

/**
 * Writes what the landing drafts of a batch vouch for, as `commit` does for one. When it throws, none of the batch has
 * a receipt. With `LandingsRefused` the others are tried again together, with any other error one by one.
 */
export type LandTogether<Landing> = (tx: WriteTx, landings: readonly Landing[], receivedAt: Instant) => Promise<void>

interface ReceiptSubject {
  readonly uploadId: UploadId
  /** For a landed drop. Exactly one of `dropId` and `assetId` is given. */
  readonly dropId?: DropId
  /** For a blob of an asset. */
  readonly assetId?: AssetId
  readonly blobRole: BlobRole
  readonly ciphertextHash: Sha256Hex
  readonly size: number
  /** SHA-256 of the signed manifest; given for a provenance blob only. */
  readonly envelopeHash?: Sha256Hex
}

/** What the next receipt continues, and the key that signs it. */
interface LogState {
  readonly head: LogHead | undefined
  /** Every receipt_seq from now on is above what this fact says. */
  readonly floor: Uint8Array | undefined
  readonly key: AttestationKey
}

/** Throws `WrongMasterSecret`. */
export type SignerOf = (key: AttestationKey) => Pick<AttestationSigner, 'receipts'>

export interface ReceiptPorts<Landing> {
  readonly store: Store
  readonly clock: Clock
  readonly serverId: string
  readonly signerOf: SignerOf
  readonly headWatch: HeadWatch
  readonly landTogether: LandTogether<Landing>
}

type Drafts<Landing> = readonly ReceiptDraft<Landing>[]

/** How often a batch is signed before its transaction. A rotation takes longer; lone receipts may come between. */
const MAX_SIGNINGS = 5

/** What these drafts vouch for could not be written, and nothing was committed. The cause is what writing it threw. */
export class DraftsFailed extends Error {
  readonly drafts: Drafts<unknown>
  constructor(drafts: Drafts<unknown>, cause: unknown) {
    super('what receipts vouch for could not be written', { cause })
    this.drafts = drafts
  }
}

/** What `LandTogether` throws if only these are the reason. */
export class LandingsRefused extends Error {
  readonly landings: readonly unknown[]
  constructor(landings: readonly unknown[]) {
    super('some of what was to land cannot land')
    this.landings = landings
  }
}

/** Receipts that continue `state`. */
export interface Signed {
  readonly rows: readonly ReceiptRow[]
  readonly state: LogState
}

export function createReceiptBatches<Landing>(ports: ReceiptPorts<Landing>) {
  const { store, headWatch } = ports
  /** The log as this process has left it. */
  let left: LogState | undefined

  const signerOf = keepingLast(ports.signerOf)
  const signOn = (drafts: Drafts<Landing>, state: LogState) => signAll({ ...ports, signerOf }, drafts, state)

  /** Continues what the log has now. */
  async function sign(drafts: Drafts<Landing>, { ask }: Pick<Store, 'ask'> = store): Promise<Signed> {
    const last = headWatch.last()
    const { key, hash, serverId, ...end } = await ask((tx) => tx.receipts.end(last?.receiptSeq ?? 0))
    if (key === undefined) throw new Error('no attestation key is active')
    // A move changes the key with the name: the commit, which compares the key, needs not compare the name again.
    requireOwnName(serverId, ports.serverId)
    await headWatch.beforeSigning(last === undefined || hash === last.receiptHash)
    return signOn(drafts, { ...end, key })
  }

  function noteCommitted({ rows, state: { floor, key } }: Signed): void {
    left = { head: lastOf(rows), floor, key }
    headWatch.signed(lastOf(rows))
  }

  /** Throws `DraftsFailed`. False, uncommitted: a key rotated, another process appended, or another database. */
  async function commit(drafts: Drafts<Landing>, signed: Signed): Promise<boolean> {
    const locks = [...locksOf(drafts), ...(signed.state.head === undefined ? (['server'] as const) : [])]
    const done = await store.write(locks, async (tx) =>
      // Only now there is a connection, which may lead to another server.
      headWatch.isSure() && (await appendIn(tx, ports, { drafts, signed }))
        ? ('appended' as const)
        : { refused: 'log_moved' as const },
    )
    if (done === 'appended') noteCommitted(signed)
    else left = undefined
    return done === 'appended'
  }

  /** Signs in the committing transaction: it holds the chain, so the log stands still. SQLite cannot wait for that. */
  async function commitHolding(drafts: Drafts<Landing>): Promise<Signed> {
    const signed = await store.write([...locksOf(drafts), 'server'], async (tx) => {
      const fresh = await sign(drafts, { ask: (question) => question(tx) })
      if (!(await appendIn(tx, ports, { drafts, signed: fresh })))
        throw new Error('the log moved while its chain was locked')
      return fresh
    })
    noteCommitted(signed)
    return signed
  }

  return {
    sign,
    commit,

    /** Continues what this process appended last, without asking. Undefined before that. The commit compares. */
    async signOnOwn(drafts: Drafts<Landing>): Promise<Signed | undefined> {
      if (left === undefined) return undefined
      const state = left
      await headWatch.beforeSigning(true)
      return signOn(drafts, state)
    },

    /** Continues uncommitted receipts. If they fail, so do these: the commit compares the head. */
    async signAfter(drafts: Drafts<Landing>, { rows, state }: Signed): Promise<Signed> {
      await headWatch.beforeSigning(true)
      return signOn(drafts, { ...state, head: rows.at(-1) })
    },

    /** Signs again what continued another log, or was signed by another key, until it is committed. */
    async commitAfresh(drafts: Drafts<Landing>): Promise<Signed> {
      for (let signings = 1; signings < MAX_SIGNINGS; signings++) {
        const signed = await sign(drafts)
        if (await commit(drafts, signed)) return signed
      }
      if (store.mayLoseOutcome) return commitHolding(drafts)
      throw new Error(`the log or its key changed ${MAX_SIGNINGS} times while a batch was signed`)
    },
  }
}

const locksOf = (drafts: Drafts<unknown>) => ['chain' as const, ...drafts.map((each) => accountLock(each.accountId))]

function lastOf(rows: readonly ReceiptRow[]): ReceiptRow {
  const last = rows.at(-1)
  if (last === undefined) throw new RangeError('no receipts to commit')
  return last
}

/** Opening a key costs more than signing with it, so the last opened signer is kept: older keys sign no more. */
function keepingLast(open: SignerOf): SignerOf {
  let last: { readonly keyId: KeyId; readonly signer: ReturnType<SignerOf> } | undefined
  return (key) => {
    if (last?.keyId !== key.keyId) last = { keyId: key.keyId, signer: open(key) }
    return last.signer
  }
}

/** Nothing is written. */
async function signAll(
  { clock, serverId, signerOf }: Pick<ReceiptPorts<never>, 'clock' | 'serverId' | 'signerOf'>,
  drafts: Drafts<unknown>,
  state: LogState,
): Promise<Signed> {
  const { head, floor, key } = state
  const firstSeq = Math.max(head?.receiptSeq ?? 0, countOf('receipt_seq_floor', floor) ?? 0) + 1
  // Even with the clock set back, a receipt is not dated before its predecessor or its key's activation.
  const receivedAt = instantOf(Math.max(clock.now(), key.activeFrom, head?.receivedAt ?? 0))
  const payloads = drafts.map(
    ({ subject }, at): ReceiptPayload => ({
      server_id: serverId,
      receipt_seq: firstSeq + at,
      ...(at === 0 && head && { prior_receipt_hash: head.receiptHash }),
      ...payloadOf(subject),
      received_at: formatInstant(receivedAt),
    }),
  )
  const receipts = await signerOf(key).receipts(payloads, key.keyId)
  const rows = drafts.map(({ subject: { uploadId, dropId, assetId } }, at) => {
    const receipt = receipts[at]
    if (receipt === undefined) throw new Error('a receipt was not signed')
    return { ...receipt, receiptSeq: firstSeq + at, keyId: key.keyId, uploadId, dropId, assetId, receivedAt }
  })
  return { rows, state }
}

function payloadOf(subject: ReceiptSubject) {
  return {
    upload_id: subject.uploadId,
    ...(subject.dropId && { drop_id: subject.dropId }),
    ...(subject.assetId && { asset_id: subject.assetId }),
    blob_role: subject.blobRole,
    ciphertext_hash: subject.ciphertextHash,
    size: subject.size,
    ...(subject.envelopeHash && { envelope_hash: subject.envelopeHash }),
  }
}

/** False if the log has grown, or its key or floor is another one: no receipt is dated after the end of its key. */
async function appendIn<Landing>(
  tx: WriteTx,
  ports: ReceiptPorts<Landing>,
  { drafts, signed: { rows, state } }: { readonly drafts: Drafts<Landing>; readonly signed: Signed },
): Promise<boolean> {
  const { head, floor, key } = state
  const { receivedAt } = lastOf(rows)
  const beside = () => commitAll(tx, drafts, { ...ports, receivedAt })
  const [isAppended] = await Promise.all([
    tx.receipts.append(head, rows, { keyId: key.keyId, floor, beside }),
    head === undefined ? recordServerId(tx, ports.serverId) : undefined,
  ])
  return isAppended
}

/** Drafts of one account change the same rows: they are committed together or in turn. A batch has one date. */
async function commitAll<Landing>(
  tx: WriteTx,
  drafts: Drafts<Landing>,
  { receivedAt, landTogether }: Pick<ReceiptPorts<Landing>, 'landTogether'> & { readonly receivedAt: Instant },
): Promise<void> {
  const together = drafts.filter((draft) => 'landing' in draft)
  const landings = together.map(({ landing }) => landing)
  if (landings.length > 0) await blaming(together, () => landTogether(tx, landings, receivedAt))
  const alone = drafts.filter((draft) => 'commit' in draft)
  await Promise.all(
    [...Map.groupBy(alone, ({ accountId }) => accountId).values()].map(async (theirs) => {
      for (const draft of theirs) await blaming([draft], () => draft.commit(tx, receivedAt))
    }),
  )
}

/** Runs what writes for `drafts`. Throws `DraftsFailed` if it fails, and it is known because of which. */
async function blaming(drafts: Drafts<unknown>, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    // No draft is the reason if the store does not answer.
    if (error instanceof StorageUnavailable) throw error
    const failed =
      error instanceof LandingsRefused
        ? drafts.filter((draft) => 'landing' in draft && error.landings.includes(draft.landing))
        : drafts
    // One of several is the reason, and it is unknown which.
    if (failed.length === 0 || (failed === drafts && drafts.length > 1)) throw error
    throw new DraftsFailed(failed, error)
  }
}
