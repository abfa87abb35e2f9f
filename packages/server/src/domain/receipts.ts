import { utf8 } from '@blindkeep/protocol/bytes'
import {
  type AssetId,
  type DropId,
  formatInstant,
  type Instant,
  instantOf,
  type KeyId,
  type Sha256Hex,
  type UploadId,
} from '@blindkeep/protocol/ids'
import { assembleReceipt, type ReceiptPayload, receiptHash, receiptToBeSigned } from '@blindkeep/protocol/receipt'
import type { BlobRole } from '@blindkeep/protocol/schemas/receipts'
import type { Clock } from '../ports/clock.ts'
import type { AttestationSigner } from '../ports/keyring.ts'
import type { LogHead, ReceiptRow, Store, WriteTx } from '../ports/store.ts'

/**
 * The one place where the receipt log grows: one strictly rising chain per server, over all accounts.
 * What a receipt is asked for is in a state that nothing else can leave; then the log is locked, a batch is signed, and one transaction commits
 * the receipts together with what they vouch for, if the chain's head is still the one that the first of them continues.
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

export interface ActiveAttestationKey {
  readonly keyId: KeyId
  readonly signer: AttestationSigner
  readonly activeFrom: Instant
}

interface ReceiptLogPorts {
  readonly store: Store
  readonly clock: Clock
  readonly serverId: string
  readonly activeKey: () => ActiveAttestationKey
}

interface Waiting {
  readonly draft: ReceiptDraft
  readonly resolve: (row: ReceiptRow) => void
  readonly reject: (error: unknown) => void
}

const BATCH_MOST = 64

export type ReceiptLog = ReturnType<typeof createReceiptLog>

export function createReceiptLog({ store, clock, serverId, activeKey }: ReceiptLogPorts) {
  const queue: Waiting[] = []
  let isDraining = false

  async function drain(): Promise<void> {
    if (isDraining) return
    isDraining = true
    while (queue.length > 0) await settleBatch(queue.splice(0, BATCH_MOST))
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
    const head = await store.read((tx) => tx.receipts.head())
    const rows: ReceiptRow[] = []
    for (const draft of drafts) rows.push(await sign(draft, rows.at(-1) ?? head))
    await store.write(async (tx) => {
      if (head === undefined) await tx.server.setFact('server_id', utf8(serverId))
      if (!(await tx.receipts.append(head, rows))) throw new Error('the receipt log has grown beside its lock')
      for (const [at, draft] of drafts.entries()) {
        const row = rows[at]
        if (row !== undefined) await draft.commit(tx, row)
      }
    })
    return rows
  }

  async function sign({ subject }: ReceiptDraft, prior: LogHead | undefined): Promise<ReceiptRow> {
    const { keyId, signer, activeFrom } = activeKey()
    const receiptSeq = (prior?.receiptSeq ?? 0) + 1
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
