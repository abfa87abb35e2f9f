import { parseSha256Hex, type Sha256Hex } from '@blindkeep/protocol/ids'
import { isCount, isObject, parseJson } from '@blindkeep/protocol/json'

/** How far the receipt log of a server has come. */
export interface WitnessedHead {
  /** Which life of the server's log: rises with each restore. */
  readonly life: number
  readonly receiptSeq: number
  readonly receiptHash: Sha256Hex
}

/**
 * Remembers the log's head beside the bytes, away from the database: setting the database back does not set the witness
 * back. Throws `StorageUnavailable` if the store of bytes is away.
 */
export interface Witness {
  /** Undefined before the first `write`. */
  read(): Promise<WitnessedHead | undefined>
  /** Replaces what was there, durably. */
  write(head: WitnessedHead): Promise<void>
}

export function formatWitness({ life, receiptSeq, receiptHash }: WitnessedHead): string {
  return `${JSON.stringify({ life, receipt_seq: receiptSeq, receipt_hash: receiptHash })}\n`
}

/** Throws for any other text: a witness that cannot be read must not count as none. */
export function parseWitness(text: string): WitnessedHead {
  const json = parseJson(text)
  const { life, receipt_seq: receiptSeq, receipt_hash: hash } = isObject(json) ? json : {}
  const receiptHash = parseSha256Hex(String(hash))
  if (!isCount(life) || !isCount(receiptSeq) || receiptHash === undefined)
    throw new Error('the witness of the receipt log cannot be read')
  return { life, receiptSeq, receiptHash }
}
