import type { Sha256Hex } from './ids.ts'
import type { ReceiptPayload } from './receipt.ts'

export type ChainFault =
  | 'other_server'
  | 'sequence_not_rising'
  | 'time_went_back'
  | 'prior_hash_absent'
  | 'prior_hash_differs'

/** What places a receipt in its server's log: part of a `DecodedReceipt`. */
export interface ChainLink {
  readonly payload: Pick<ReceiptPayload, 'server_id' | 'receipt_seq' | 'received_at' | 'prior_receipt_hash'>
  /** SHA-256 of the whole receipt, lowercase hex. */
  readonly hash: Sha256Hex
}

/** The first receipt that does not continue from the ones before it, by its index in the list. */
interface ChainBreak {
  readonly index: number
  readonly fault: ChainFault
}

/** A change of the server's name in its log. */
export interface NameChange {
  readonly from: string
  readonly to: string
  /** The number of the last receipt under `from`, or of one before it; 0 if there was none. */
  readonly lastReceiptSeq: number
}

interface ChainOptions {
  /** The list is an unbroken part of the log. */
  readonly whole?: boolean
  /** All moves of the server, oldest first. */
  readonly moves?: readonly NameChange[]
}

/**
 * Checks that receipts of one server, in `receipt_seq` order, can belong to one chain; returns the first break.
 * An asset's list has gaps in its numbers, so hashes are compared only between neighbours.
 * With `whole`, the list is an unbroken part of the log, and all hashes are compared. The name of the server changes
 * exactly where `moves` say so.
 */
export function checkChain(receipts: readonly ChainLink[], options: ChainOptions = {}): ChainBreak | undefined {
  for (const [index, receipt] of receipts.entries()) {
    const before = receipts[index - 1]
    const fault = before === undefined ? undefined : faultBetween(before, receipt, options)
    if (fault !== undefined) return { index, fault }
  }
  return undefined
}

function faultBetween(
  before: ChainLink,
  after: ChainLink,
  { whole = false, moves = [] }: ChainOptions,
): ChainFault | undefined {
  const [earlier, later] = [before.payload, after.payload]
  if (!leads(moves, earlier, later)) return 'other_server'
  if (earlier.receipt_seq >= later.receipt_seq) return 'sequence_not_rising'
  // Both are UTC with milliseconds, so they compare as text.
  if (earlier.received_at > later.received_at) return 'time_went_back'
  if (later.prior_receipt_hash === undefined) return 'prior_hash_absent'
  const neighbours = whole || earlier.receipt_seq + 1 === later.receipt_seq
  return neighbours && later.prior_receipt_hash !== before.hash ? 'prior_hash_differs' : undefined
}

type Place = ChainLink['payload']

/** Whether the moves between the two numbers lead from the one name to the other. */
function leads(moves: readonly NameChange[], earlier: Place, later: Place): boolean {
  let name = earlier.server_id
  for (const { from, to, lastReceiptSeq } of moves) {
    if (lastReceiptSeq < earlier.receipt_seq || lastReceiptSeq >= later.receipt_seq) continue
    if (name !== from) return false
    name = to
  }
  return name === later.server_id
}
