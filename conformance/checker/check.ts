/**
 * An independent checker of custody receipts and their chain. It is written from the formats alone: it shares no code
 * with the server or its clients, and uses other libraries for CBOR and signatures.
 */
import { type ChainFault, checkChain, type Link } from './chain.ts'
import type { Fault, LocatedFault } from './fault.ts'
import type { Item } from './input.ts'
import { type PublishedKeys, readKeys } from './keys.ts'
import { denials, type Moves, readMoves } from './moves.ts'
import { type Pins, pinFaults, readPins } from './pins.ts'
import { type Judgement, judgeReceipt } from './receipt.ts'
import { openVerify, type Verify } from './signatures.ts'

/** Most faults that a report lists, so that it stays readable and bounded. It counts them all. */
const MAX_FAULTS = 10_000

export interface CheckOptions {
  /** The parsed AttestationKeysResponse. Without it no signature is verified. */
  readonly keys?: unknown
  /** Earlier keys: an older response, or the keys that a client has pinned. */
  readonly pins?: unknown
  /** The parsed answer of `moves`. Only together with `keys`. */
  readonly moves?: unknown
  /** The receipts are the server's complete log from its first receipt on. */
  readonly whole?: boolean
  /** The receipts are in the order of the log, each once. */
  readonly log?: boolean
}

export interface Report {
  /** From the keys document, or else from the first receipt. */
  readonly server_id?: string
  readonly receipts: number
  readonly first_receipt_seq?: number
  readonly last_receipt_seq?: number
  /** How many published keys there were to verify with; absent without a keys document. */
  readonly keys?: number
  readonly pins: boolean
  /** Published keys after the pinned ones. Only `moves` says whether they follow from these. */
  readonly new_keys?: number
  readonly moves: boolean
  /** Former names of the server, as it says itself, of which there were receipts. */
  readonly claimed_former_names?: readonly FormerName[]
  readonly whole: boolean
  readonly log: boolean
  /** First those of the keys, then those of each receipt in input order, then those of the chain. */
  readonly faults: readonly LocatedFault[]
  /** All faults, including those that are not listed. */
  readonly fault_count: number
}

export interface FormerName {
  readonly claimed_server_id: string
  /** When it gave up the name, as it says itself. */
  readonly claimed_until: string
  readonly receipts: number
}

export interface Checker {
  take(item: Item): void
  finish(): Report
}

class NotAKeysDocument extends Error {
  override readonly name = 'NotAKeysDocument'
}

/** Throws `NotAKeysDocument` when the keys or pins have another form. */
export async function openChecker(options: CheckOptions): Promise<Checker> {
  const { whole = false, log = false } = options
  const keys = options.keys === undefined ? undefined : parsed(options.keys, readKeys, 'the keys')
  const pins = options.pins === undefined ? undefined : parsed(options.pins, readPins, 'the pins')
  const verify = await openVerify()
  const moves = movesOf(options.moves, keys, verify)
  const faults = collectFaults()
  faults.add(...keyFaults(options.keys, keys, pins, moves?.eras ?? new Map()), ...(moves?.faults ?? []))
  const names = followNames(keys, moves)
  const links: Link[] = []
  const order = followOrder(log)
  let serverId = keys?.serverId
  let receipts = 0

  function take(item: Item): void {
    receipts += 1
    const position = receipts
    const judgement = judgeReceipt(item, { keys, verify })
    const { receiptSeq } = judgement
    const place = receiptSeq === undefined ? { position } : { position, receipt_seq: receiptSeq }
    serverId ??= judgement.serverId
    const { serverId: named } = judgement
    const wanted = names.expected(judgement, serverId)
    const isForeign = named !== undefined && named !== wanted
    const found = [...judgement.faults, ...order(item, receiptSeq)]
    if (isForeign) found.push({ kind: 'server', where: 'field server_id', what: `it is ${named}, not ${wanted}` })
    else found.push(...names.take(judgement))
    faults.add(...found.map((fault) => ({ ...place, ...fault })))
    // A receipt of another server is not part of this chain.
    if (judgement.link !== undefined && !isForeign) links.push({ ...judgement.link, position })
  }

  function finish(): Report {
    faults.add(...checkChain(links, { whole }).map(located))
    const seqs = links.reduce(
      ([first, last], { receiptSeq }) => [Math.min(first, receiptSeq), Math.max(last, receiptSeq)] as const,
      [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY] as const,
    )
    return {
      ...(serverId === undefined ? {} : { server_id: serverId }),
      receipts,
      ...(links.length === 0 ? {} : { first_receipt_seq: seqs[0], last_receipt_seq: seqs[1] }),
      ...(keys === undefined ? {} : { keys: keys.keys.length }),
      pins: pins !== undefined,
      ...(pins !== undefined && keys !== undefined && keys.keys.length > pins.keys.length
        ? { new_keys: keys.keys.length - pins.keys.length }
        : {}),
      moves: moves !== undefined,
      ...(names.former().length === 0 ? {} : { claimed_former_names: names.former() }),
      whole,
      log,
      faults: faults.listed,
      fault_count: faults.count(),
    }
  }

  return { take, finish }
}

/** Checks receipts that are already in memory. */
export async function checkReceipts(values: readonly unknown[], options: CheckOptions): Promise<Report> {
  const checker = await openChecker(options)
  for (const value of values) checker.take({ value })
  return checker.finish()
}

function parsed<Parsed>(document: unknown, read: (document: unknown) => Parsed | undefined, name: string): Parsed {
  const result = read(document)
  if (result === undefined) throw new NotAKeysDocument(`${name} are not such a document of a server`)
  return result
}

function keyFaults(
  document: unknown,
  keys: PublishedKeys | undefined,
  pins: Pins | undefined,
  eras: Moves['eras'],
): readonly Fault[] {
  if (keys === undefined) return []
  return [...keys.faults, ...(pins === undefined ? [] : pinFaults(pins, document, eras))]
}

function movesOf(document: unknown, keys: PublishedKeys | undefined, verify: Verify): Moves | undefined {
  if (document === undefined) return undefined
  if (keys === undefined) throw new NotAKeysDocument('moves cannot be checked without keys')
  return parsed(document, (given) => readMoves(given, keys, verify), 'the moves')
}

/** Which name a receipt must have: that of its key's era, on a server that has moved. */
function followNames(keys: PublishedKeys | undefined, moves: Moves | undefined) {
  const former = new Map<string, FormerName>()
  const eraOf = ({ link }: Judgement) => moves?.eras.get(keys?.keys[link?.sound?.keyIndex ?? -1]?.keyId ?? '')
  return {
    former: () => [...former.values()],
    expected: (judgement: Judgement, serverId: string | undefined) => eraOf(judgement)?.serverId ?? serverId,
    take(judgement: Judgement): readonly Fault[] {
      const [era, sound] = [eraOf(judgement), judgement.link?.sound]
      if (era === undefined || sound === undefined || judgement.receiptSeq === undefined) return []
      const { serverId: name, until } = era
      if (until !== undefined) {
        const receipts = (former.get(`${name} ${until}`)?.receipts ?? 0) + 1
        former.set(`${name} ${until}`, { claimed_server_id: name, claimed_until: until, receipts })
      }
      return denials({ receiptSeq: judgement.receiptSeq, ...sound }, era)
    },
  }
}

function collectFaults() {
  const listed: LocatedFault[] = []
  let all = 0
  return {
    listed,
    count: () => all,
    add(...found: readonly LocatedFault[]): void {
      all += found.length
      listed.push(...found.slice(0, Math.max(0, MAX_FAULTS - listed.length)))
    },
  }
}

const located = ({ position, receiptSeq, kind, where, what }: ChainFault): LocatedFault => ({
  position,
  receipt_seq: receiptSeq,
  kind,
  where,
  what,
})

/** In a log, and in an answer that lists an asset's receipts, receipt_seq rises from each to the next. */
function followOrder(log: boolean) {
  let last: { readonly answer: Item['answer']; readonly receiptSeq: number } | undefined
  return ({ answer }: Item, receiptSeq: number | undefined): readonly Fault[] => {
    if (receiptSeq === undefined) return []
    const before =
      last !== undefined && (log || (answer !== undefined && last.answer === answer)) ? last.receiptSeq : undefined
    last = { answer, receiptSeq }
    if (before === undefined || before < receiptSeq) return []
    const what = before === receiptSeq ? 'it occurs twice in a row' : `it comes after receipt ${before}`
    return [{ kind: 'order', where: 'its position', what }]
  }
}
