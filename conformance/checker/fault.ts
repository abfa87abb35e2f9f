/** What a check has found wrong: where it is, and what it is, in words for people. */
export type FaultKind =
  /** The input holds something here that is no receipt at all. */
  | 'unreadable'
  /** The bytes are not the one form of COSE_Sign that a receipt has. */
  | 'form'
  /** A signed field is missing, unknown, or not of its form. */
  | 'payload'
  /** The key that it names is not published, or was not active at the time. */
  | 'key'
  | 'signature'
  /** A field beside the bytes says something else than they do. */
  | 'reading'
  | 'server'
  /** A list that has an order does not keep it. */
  | 'order'
  | 'chain'
  /** The attestation keys by themselves, or against what was pinned. */
  | 'keys'

export interface Fault {
  readonly kind: FaultKind
  /** A field, bytes by their offset from 0, or an entry of a document. */
  readonly where: string
  readonly what: string
}

export interface LocatedFault extends Fault {
  /** Which receipt, counted from 1 in the order of the input; absent when it is about the keys. */
  readonly position?: number
  /** Its receipt_seq, as far as it can be known: as signed, else as told beside the bytes, else as the bytes have it. */
  readonly receipt_seq?: number
}

/** `receipt 7 (item 3 of the input), byte 41: …` */
export function describeFault({ position, receipt_seq, where, what }: LocatedFault): string {
  if (position === undefined) return `attestation keys, ${where}: ${what}`
  const name =
    receipt_seq === undefined
      ? `item ${position} of the input`
      : `receipt ${receipt_seq} (item ${position} of the input)`
  return `${name}, ${where}: ${what}`
}
