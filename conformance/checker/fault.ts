/** Something that a check found wrong, described for people. */
export type FaultKind =
  /** This item of the input is no receipt. */
  | 'unreadable'
  /** The bytes do not have the COSE_Sign form of a receipt. */
  | 'form'
  /** A signed field is missing, unknown or of a wrong form. */
  | 'payload'
  /** The key that the receipt names is not published, or was not active at the time. */
  | 'key'
  | 'signature'
  /** A JSON member differs from the signed field. */
  | 'reading'
  | 'server'
  /** The signatures verify, but a statement of the server says that it has not signed this. */
  | 'denied'
  /** A list is not in its order. */
  | 'order'
  | 'chain'
  /** The attestation keys are faulty, or differ from the pinned ones. */
  | 'keys'

export interface Fault {
  readonly kind: FaultKind
  /** A field, bytes counted from 0, or an entry of a document. */
  readonly where: string
  readonly what: string
}

export interface LocatedFault extends Fault {
  /** The receipt, counted from 1 in input order; absent for a fault of the keys. */
  readonly position?: number
  /** The signed receipt_seq when the signatures verify, else the JSON member, else the unverified field. */
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
