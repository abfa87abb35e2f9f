/** Compares an AssetReceipt with the signed bytes that it repeats (specification, AssetReceipt, receipt_cbor). */
import type { Fault } from './fault.ts'
import type { Members } from './keys.ts'
import type { Fields } from './payload.ts'

const REQUIRED = [
  'receipt_seq',
  'server_id',
  'server_key_id',
  'upload_id',
  'blob_role',
  'ciphertext_hash',
  'size',
  'received_at',
]
/** The last two are not members of an AssetReceipt, but must match the signed fields when JSON has them. */
const OPTIONAL = ['prior_receipt_hash', 'envelope_hash', 'asset_id', 'drop_id']
const BEYOND = ['asset_id', 'drop_id']

export interface Signed {
  readonly fields: Fields
  readonly keyId: string
  /** False when fields are omitted because they have a wrong form. */
  readonly isComplete: boolean
}

export function readingFaults(reading: Members, { fields, keyId, isComplete }: Signed): readonly Fault[] {
  return [...REQUIRED, ...OPTIONAL].flatMap((name) => {
    // A field typed `string | null` may be absent or null (specification, Resources).
    const stated = reading[name] ?? undefined
    const signed = name === 'server_key_id' ? keyId : fields.get(name)
    if (signed === undefined && !isComplete) return []
    if (stated === signed || (stated === undefined && BEYOND.includes(name))) return []
    const what =
      stated === undefined
        ? 'it is missing, but the signed bytes have it'
        : `it is ${JSON.stringify(stated)}, but in the signed bytes ${signed === undefined ? 'it is absent' : JSON.stringify(signed)}`
    return [{ kind: 'reading', where: `field ${name}`, what }] as const
  })
}

/** The receipt_seq of the JSON, which is not signed. */
export function statedSeq(reading: Members | undefined): number | undefined {
  const stated = reading?.receipt_seq
  return typeof stated === 'number' && Number.isSafeInteger(stated) ? stated : undefined
}
