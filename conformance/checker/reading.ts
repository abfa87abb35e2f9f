/** An AssetReceipt beside its bytes: all other fields are a reading of them (specification, AssetReceipt, receipt_cbor). */
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
/** The last two are no fields of an AssetReceipt, but of what its bytes say: who tells them has to tell them right. */
const OPTIONAL = ['prior_receipt_hash', 'envelope_hash', 'asset_id', 'drop_id']
const BEYOND = ['asset_id', 'drop_id']

export interface Signed {
  readonly fields: Fields
  readonly keyId: string
  /** The fields are all that the receipt has; otherwise some are left out, as they are not of their form. */
  readonly isComplete: boolean
}

export function readingFaults(reading: Members, { fields, keyId, isComplete }: Signed): readonly Fault[] {
  return [...REQUIRED, ...OPTIONAL].flatMap((name) => {
    // A field typed `string | null` may be absent or null (specification, Resources).
    const told = reading[name] ?? undefined
    const said = name === 'server_key_id' ? keyId : fields.get(name)
    if (said === undefined && !isComplete) return []
    if (told === said || (told === undefined && BEYOND.includes(name))) return []
    const what =
      told === undefined
        ? 'it is missing beside the bytes, which have it'
        : `beside the bytes it is ${JSON.stringify(told)}, in them ${said === undefined ? 'absent' : JSON.stringify(said)}`
    return [{ kind: 'reading', where: `field ${name}`, what }] as const
  })
}

/** The receipt_seq that is told beside the bytes. */
export function toldSeq(reading: Members | undefined): number | undefined {
  const told = reading?.receipt_seq
  return typeof told === 'number' && Number.isSafeInteger(told) ? told : undefined
}
