import { utf8 } from '@blindkeep/protocol/bytes'
import {
  type AssetId,
  type DropId,
  formatInstant,
  instantOf,
  type Sha256Hex,
  type UploadId,
} from '@blindkeep/protocol/ids'
import { assembleReceipt, type ReceiptPayload, receiptHash, receiptToBeSigned } from '@blindkeep/protocol/receipt'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { Clock } from '../../ports/clock.ts'
import type { AttestationSigner } from '../../ports/keyring.ts'
import type { AttestationKey, LogHead, ReadTx, ReceiptRow, Store, WriteTx } from '../../ports/store.ts'
import type { SignerOf } from './keys.ts'

/**
 * The one place where the receipt log grows: one strictly rising chain per server, over all accounts.
 * What a receipt is asked for is in a state that nothing else can leave; then the log is locked, a batch is signed, and one transaction commits
 * the receipts together with what they vouch for, if the chain's head is still the one that the first of them continues, and the key that signed them
 * still the active one: a rotation, also by another process, may come at any moment, and then the batch is signed again.
 */
export interface ReceiptDraft {
  readonly subject: {
    readonly uploadId: UploadId
    /** Of a landing. */
    readonly dropId?: DropId
    /** Of a blob that an asset takes: exactly one of the two is given. */
    readonly assetId?: AssetId
    readonly blobRole: BlobRole
    readonly ciphertextHash: Sha256Hex
    readonly size: number
    /** SHA-256 of the signed manifest: with a provenance blob alone. */
    readonly envelopeHash?: Sha256Hex
  }
  /** Writes what the receipt vouches for, in the transaction that appends it. May be run again. Throws, and there is no receipt, when it may not be. */
  readonly commit: (tx: WriteTx, receipt: ReceiptRow) => Promise<void>
}

interface ReceiptLogPorts {
  readonly store: Store
  readonly clock: Clock
  readonly serverId: string
  readonly signerOf: SignerOf
}

/** What the next receipt continues, and what it is signed with. */
interface Standing {
  readonly head: LogHead | undefined
  /** Every receipt_seq from now on is above it. */
  readonly floor: number
  readonly key: AttestationKey
}

interface Waiting {
  readonly draft: ReceiptDraft
  readonly resolve: (row: ReceiptRow) => void
  readonly reject: (error: unknown) => void
}

const MAX_BATCH = 64
/** A rotation takes far longer than a batch does to be signed: so many in a row mean that something is wrong. */
const MAX_SIGNINGS = 5

export type ReceiptLog = ReturnType<typeof createReceiptLog>

export function createReceiptLog({ store, clock, serverId, signerOf }: ReceiptLogPorts) {
  const queue: Waiting[] = []
  let isDraining = false

  async function drain(): Promise<void> {
    if (isDraining) return
    isDraining = true
    while (queue.length > 0) await settleBatch(queue.splice(0, MAX_BATCH))
    isDraining = false
  }

  /** A batch that fails is tried one by one, so that one draft cannot fail its neighbours. */
  async function settleBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const rows = await store.withReceiptLogLock(() => append(batch.map(({ draft }) => draft)))
      batch.forEach(({ resolve }, at) => {
        const row = rows[at]
        if (row !== undefined) resolve(row)
      })
    } catch (error) {
      if (batch.length > 1) for (const waiting of batch) await settleBatch([waiting])
      else for (const { reject } of batch) reject(error)
    }
  }

  async function append(drafts: readonly ReceiptDraft[]): Promise<readonly ReceiptRow[]> {
    for (let signings = 0; signings < MAX_SIGNINGS; signings++) {
      const standing = await store.read(readStanding)
      const rows = await signAll(drafts, standing)
      if (await commit(drafts, rows, standing)) return rows
    }
    throw new Error(`the attestation key was rotated ${MAX_SIGNINGS} times while a batch was signed`)
  }

  async function signAll(drafts: readonly ReceiptDraft[], standing: Standing): Promise<readonly ReceiptRow[]> {
    const signer = signerOf(standing.key)
    const rows: ReceiptRow[] = []
    for (const draft of drafts)
      rows.push(await sign(draft, { ...standing, signer, prior: rows.at(-1) ?? standing.head }))
    return rows
  }

  /** False, and nothing committed, when the key is no longer the active one: no receipt is dated after its key's end. */
  async function commit(
    drafts: readonly ReceiptDraft[],
    rows: readonly ReceiptRow[],
    { head, key }: Standing,
  ): Promise<boolean> {
    const done = await store.write(async (tx) => {
      if ((await tx.keys.activeAttestationKey())?.keyId !== key.keyId) return { refused: 'key_rotated' as const }
      if (head === undefined) await tx.server.setFact('server_id', utf8(serverId))
      if (!(await tx.receipts.append(head, rows))) throw new Error('the receipt log has grown beside its lock')
      for (const [at, draft] of drafts.entries()) {
        const row = rows[at]
        if (row !== undefined) await draft.commit(tx, row)
      }
      return 'committed'
    })
    return done === 'committed'
  }

  async function sign(
    { subject }: ReceiptDraft,
    {
      key,
      signer,
      prior,
      floor,
    }: Standing & { readonly signer: AttestationSigner; readonly prior: LogHead | undefined },
  ): Promise<ReceiptRow> {
    const { keyId, activeFrom } = key
    const receiptSeq = Math.max(prior?.receiptSeq ?? 0, floor) + 1
    // A clock that was set back must not date a receipt before the one it follows, or before its key began to sign.
    const receivedAt = instantOf(Math.max(clock.now(), activeFrom, prior?.receivedAt ?? 0))
    const payload: ReceiptPayload = {
      server_id: serverId,
      receipt_seq: receiptSeq,
      ...(prior && { prior_receipt_hash: prior.receiptHash }),
      upload_id: subject.uploadId,
      ...(subject.dropId && { drop_id: subject.dropId }),
      ...(subject.assetId && { asset_id: subject.assetId }),
      blob_role: subject.blobRole,
      ciphertext_hash: subject.ciphertextHash,
      size: subject.size,
      ...(subject.envelopeHash && { envelope_hash: subject.envelopeHash }),
      received_at: formatInstant(receivedAt),
    }
    const toBeSigned = receiptToBeSigned(payload, keyId)
    const [ed25519, mlDsa65] = await Promise.all([
      signer.ed25519(toBeSigned.ed25519),
      signer.mlDsa65(toBeSigned.mlDsa65),
    ])
    const receiptCbor = assembleReceipt(toBeSigned, { ed25519, mlDsa65 })
    const { uploadId, dropId, assetId } = subject
    return {
      receiptSeq,
      receiptHash: receiptHash(receiptCbor),
      receiptCbor,
      keyId,
      uploadId,
      dropId,
      assetId,
      receivedAt,
    }
  }

  return {
    /** Resolves when the receipt, and what it vouches for, is durable. */
    append(draft: ReceiptDraft): Promise<ReceiptRow> {
      return new Promise((resolve, reject) => {
        queue.push({ draft, resolve, reject })
        void drain()
      })
    },
  }
}

async function readStanding(tx: ReadTx): Promise<Standing> {
  const key = await tx.keys.activeAttestationKey()
  if (key === undefined) throw new Error('no attestation key is active')
  return { head: await tx.receipts.head(), floor: await receiptSeqFloor(tx), key }
}

/**
 * Every receipt from now on has a receipt_seq above `floor`, a whole number. For a log that was restored from a backup: the server may have given out
 * receipts after it, and no number stands for two of them (specification, AssetReceipt, receipt_seq). A floor is never lowered.
 */
export async function raiseReceiptSeqFloor(tx: WriteTx, floor: number): Promise<void> {
  if (!Number.isSafeInteger(floor) || floor < 0) throw new RangeError(`${floor} is no receipt_seq`)
  const raised = Math.max(floor, await receiptSeqFloor(tx))
  await tx.server.setFact('receipt_seq_floor', utf8(String(raised)))
}

/** 0 when none was ever raised. Throws when the fact cannot be read: no number is given out on a guess. */
export async function receiptSeqFloor({ server }: Pick<ReadTx, 'server'>): Promise<number> {
  const written = await server.fact('receipt_seq_floor')
  if (written === undefined) return 0
  const text = new TextDecoder().decode(written)
  const floor = Number(text)
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(floor))
    throw new Error('the fact receipt_seq_floor is no receipt_seq')
  return floor
}
