/** Alters a valid log in one place at a time. The independent checker must report each with its position. */
import { checkReceipts } from '../../conformance/checker/check.ts'
import type { FaultKind, LocatedFault } from '../../conformance/checker/fault.ts'
import { newFields, newServerKeys, receiptHash, signReceipt } from '../../conformance/receiptWriter.ts'
import type { Random } from '../harness/random.ts'
import { describeFaults, type KeysDocument, type LogEntry, type PublishedKey } from './log.ts'

/** Receipts checked on each side of the altered one: an altered byte shows in its own receipt or in the next ones. */
const NEIGHBOURS = 2
/** Alterations of the chain are checked on at most so many first receipts, or so many after the first rotation. */
const MAX_BEGINNING = 200
const AFTER_ROTATION = 20
/** For this many altered bytes, every other alteration is made once. */
const BYTES_A_ROUND = 20

interface Trial {
  readonly what: string
  readonly receipts: readonly string[]
  readonly keys?: KeysDocument
  readonly isWhole: boolean
  /** The receipt at which the checker must report the fault, counted from 1. */
  readonly position: number
  readonly kind?: FaultKind
}

interface Log {
  readonly entries: readonly LogEntry[]
  readonly keys: KeysDocument
}

interface Damages {
  readonly faults: readonly string[]
  readonly bytes: number
  /** Receipts dropped, swapped, moved, doubled, foreign, forged; keys missing, or active at other times. */
  readonly others: number
}

export async function damageLog(log: Log, bytes: number, random: Random): Promise<Damages> {
  const faults: string[] = []
  const rounds = Math.ceil(bytes / BYTES_A_ROUND)
  let others = 0
  for (let index = 0; index < bytes; index++) faults.push(...(await tried(alteredByte(log, random), log)))
  for (let round = 0; round < rounds; round++)
    for (const trial of alterations(log, random)) {
      others += 1
      faults.push(...(await tried(trial, log)))
    }
  return { faults, bytes, others }
}

async function tried({ what, receipts, keys, isWhole, position, kind }: Trial, log: Log): Promise<readonly string[]> {
  const report = await checkReceipts(receipts, { keys: keys ?? log.keys, whole: isWhole, log: true })
  const isExpected = (fault: LocatedFault) =>
    fault.position === position && fault.where !== '' && (kind === undefined || fault.kind === kind)
  if (report.faults.some(isExpected)) return []
  const found = describeFaults(report)
  return [`${what}, and the checker ${found.length === 0 ? 'finds nothing' : `finds ${found.join('; ')}`}`]
}

function alteredByte({ entries }: Log, random: Random): Trial {
  const at = random.integer(0, entries.length - 1)
  const first = Math.max(0, at - NEIGHBOURS)
  const around = entries.slice(first, at + NEIGHBOURS + 1).map(({ receiptCbor }) => receiptCbor)
  const [before = ''] = around.slice(at - first)
  const bytes = Buffer.from(before, 'base64')
  const byte = random.integer(0, bytes.length - 1)
  bytes[byte] = (bytes[byte] ?? 0) ^ random.integer(1, 255)
  return {
    what: `byte ${byte} of receipt ${entries[at]?.receiptSeq} was altered`,
    receipts: around.with(at - first, bytes.toString('base64')),
    isWhole: first === 0,
    position: at - first + 1,
  }
}

function alterations({ entries, keys }: Log, random: Random): readonly Trial[] {
  const rotated = entries.findIndex(({ keyId }) => keyId !== entries[0]?.keyId)
  const log = entries.slice(0, rotated < 0 ? MAX_BEGINNING : Math.min(MAX_BEGINNING, rotated + AFTER_ROTATION))
  const receipts = log.map(({ receiptCbor }) => receiptCbor)
  const at = random.integer(1, log.length - 3)
  const [chosen, next] = [log[at], log[at + 1]]
  if (chosen === undefined || next === undefined) throw new Error('a log of fewer than four receipts')
  const whole = { isWhole: true, position: at + 1 }
  const name = `receipt ${chosen.receiptSeq}`
  return [
    { ...whole, what: `${name} was dropped`, receipts: receipts.toSpliced(at, 1) },
    { ...whole, what: 'the first receipt was dropped', receipts: receipts.slice(1), position: 1 },
    {
      ...whole,
      what: `${name} was swapped with the next`,
      receipts: receipts.toSpliced(at, 2, next.receiptCbor, chosen.receiptCbor),
      position: at + 2,
      kind: 'order',
    },
    {
      ...whole,
      what: `${name} was moved to the end`,
      receipts: [...receipts.toSpliced(at, 1), chosen.receiptCbor],
      position: log.length,
      kind: 'order',
    },
    {
      ...whole,
      what: `${name} is there twice`,
      receipts: receipts.toSpliced(at, 0, chosen.receiptCbor),
      position: at + 2,
      kind: 'order',
    },
    { ...whole, what: `${name} is another server’s`, receipts: receipts.with(at, foreign(chosen)) },
    {
      ...whole,
      what: `${name} is signed by a key that is not published`,
      receipts: receipts.with(at, forged(log, at, keys.server_id)),
      kind: 'key',
    },
    ...keyAlterations(chosen, keys).map((altered): Trial => ({ ...whole, ...altered, receipts, kind: 'key' })),
  ]
}

const foreign = ({ receiptSeq }: LogEntry): string =>
  signReceipt(newFields(receiptSeq), newServerKeys()).toString('base64')

/** Correct in everything except the signing key. */
function forged(log: readonly LogEntry[], at: number, serverId: string): string {
  const [before, chosen] = [log[at - 1], log[at]]
  const fields = newFields(chosen?.receiptSeq ?? 0, {
    server_id: serverId,
    prior_receipt_hash: Uint8Array.from(receiptHash(Buffer.from(before?.receiptCbor ?? '', 'base64'))),
    received_at: timeOf(chosen?.receivedAt ?? 0),
  })
  return signReceipt(fields, newServerKeys()).toString('base64')
}

function keyAlterations({ keyId, receivedAt, receiptSeq }: LogEntry, document: KeysDocument) {
  const changed = (change: Partial<PublishedKey>): KeysDocument => ({
    ...document,
    keys: document.keys.map((key) => (key.key_id === keyId ? { ...key, ...change } : key)),
  })
  return [
    {
      what: `the key of receipt ${receiptSeq} has vanished`,
      keys: { ...document, keys: document.keys.filter((key) => key.key_id !== keyId) },
    },
    {
      what: `the key of receipt ${receiptSeq} began after it`,
      keys: changed({ active_from: timeOf(receivedAt + 1) }),
    },
    {
      what: `the key of receipt ${receiptSeq} stopped before it`,
      keys: changed({ active_to: timeOf(receivedAt - 1) }),
    },
  ]
}

const timeOf = (instantMs: number): string => new Date(instantMs).toISOString()
