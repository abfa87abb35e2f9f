/**
 * Compares receipts with each other: each server issues one strictly rising chain (specification, AssetReceipt,
 * receipt_seq and prior_receipt_hash). A user holds only a part of the log, so a gap in the numbers is no fault. The
 * receipts must still fit into one chain.
 */
import type { Fault } from './fault.ts'

export interface Link {
  readonly position: number
  readonly receiptSeq: number
  /** Absent when the receipt itself is faulty: it keeps its position, but nothing follows from it. */
  readonly sound?: Sound
}

interface Sound {
  /** SHA-256 of the whole receipt, lowercase hex. */
  readonly receiptHash: string
  /** Absent for the first receipt that the server ever issued. */
  readonly priorReceiptHash: string | undefined
  /** UTC with milliseconds, so that text order is time order. */
  readonly receivedAt: string
  /** Index of its key in the published list, oldest first. */
  readonly keyIndex: number | undefined
}

export interface ChainFault extends Fault {
  readonly position: number
  readonly receiptSeq: number
}

type SoundLink = Link & { readonly sound: Sound }

/** All sound receipts with one receipt_seq: exactly one in a valid chain. */
interface Step {
  readonly receiptSeq: number
  readonly links: readonly SoundLink[]
}

/** With `whole`, the receipts claim to be the complete log from the first receipt on. */
export function checkChain(links: readonly Link[], { whole }: { readonly whole: boolean }): readonly ChainFault[] {
  const steps = stepsOf(links)
  const holders = new Map(
    steps.flatMap(({ links: held }) => held.map((link) => [link.sound.receiptHash, link] as const)),
  )
  const siblings = new Map<string, SoundLink>()
  let before: Step | undefined
  let lastSound: SoundLink | undefined
  const faults: ChainFault[] = []
  for (const step of steps) {
    for (const link of step.links) {
      const found = [
        ...duplicateFaults(link, step),
        ...orderFaults(link, lastSound),
        ...priorFaults(link, { before, lastSound, holders, siblings, whole }),
      ]
      faults.push(...found.map((fault) => ({ ...fault, position: link.position, receiptSeq: link.receiptSeq })))
      const prior = link.sound.priorReceiptHash
      if (prior !== undefined && !siblings.has(prior)) siblings.set(prior, link)
    }
    before = step
    lastSound = step.links[0] ?? lastSound
  }
  return faults
}

function stepsOf(links: readonly Link[]): readonly Step[] {
  const sorted = links.toSorted((one, two) => one.receiptSeq - two.receiptSeq || one.position - two.position)
  const steps: { receiptSeq: number; links: SoundLink[] }[] = []
  for (const link of sorted) {
    const last = steps.at(-1)
    const step = last?.receiptSeq === link.receiptSeq ? last : { receiptSeq: link.receiptSeq, links: [] }
    if (step !== last) steps.push(step)
    // The same receipt may occur twice: from the guest and from the owner.
    if (isSound(link) && !step.links.some(({ sound }) => sound.receiptHash === link.sound.receiptHash))
      step.links.push(link)
  }
  return steps
}

const isSound = (link: Link): link is SoundLink => link.sound !== undefined
const fault = (where: string, what: string): Fault => ({ kind: 'chain', where, what })

function duplicateFaults(link: SoundLink, { links: [first] }: Step): readonly Fault[] {
  if (first === undefined || first === link) return []
  return [
    fault('field receipt_seq', `item ${first.position} of the input is another receipt with the same receipt_seq`),
  ]
}

function orderFaults({ sound }: SoundLink, last: SoundLink | undefined): readonly Fault[] {
  if (last === undefined) return []
  const isEarlier = sound.receivedAt < last.sound.receivedAt
  const isOldKey = (sound.keyIndex ?? 0) < (last.sound.keyIndex ?? 0)
  return [
    ...(isEarlier
      ? [
          fault(
            'field received_at',
            `the clock went back: receipt ${last.receiptSeq} has ${last.sound.receivedAt}, this has ${sound.receivedAt}`,
          ),
        ]
      : []),
    ...(isOldKey ? [fault('key id', `it is signed by an older key than receipt ${last.receiptSeq}`)] : []),
  ]
}

interface Known {
  readonly before: Step | undefined
  readonly lastSound: SoundLink | undefined
  readonly holders: ReadonlyMap<string, SoundLink>
  /** By prior hash: the earlier receipt that names it. */
  readonly siblings: ReadonlyMap<string, SoundLink>
  readonly whole: boolean
}

function priorFaults({ receiptSeq, sound }: SoundLink, known: Known): readonly Fault[] {
  const what =
    sound.priorReceiptHash === undefined
      ? beginningFault(known)
      : continuationFault({ receiptSeq, prior: sound.priorReceiptHash }, known)
  return what === undefined ? [] : [fault('field prior_receipt_hash', what)]
}

/** Only the first receipt that the server ever issued names no other. */
function beginningFault({ lastSound }: Known): string | undefined {
  return lastSound === undefined
    ? undefined
    : `it is missing, but receipt ${lastSound.receiptSeq} comes before this one`
}

function continuationFault(
  { receiptSeq, prior }: { readonly receiptSeq: number; readonly prior: string },
  { before, holders, siblings, whole }: Known,
): string | undefined {
  if (receiptSeq === 1) return 'it is present, but no receipt comes before the first'
  if (before === undefined) return whole ? 'it is present, so earlier receipts are missing' : undefined
  if (before.links.some(({ sound }) => sound.receiptHash === prior)) return undefined
  const sibling = siblings.get(prior)
  const fork = sibling === undefined ? '' : `; receipt ${sibling.receiptSeq} names the same, so the chain forks`
  const holder = holders.get(prior)
  if (holder !== undefined)
    return `it names receipt ${holder.receiptSeq}, although receipt ${before.receiptSeq} is between them${fork}`
  if (sibling !== undefined) return `receipt ${sibling.receiptSeq} names the same: the chain forks`
  // Nothing follows from a receipt that is itself faulty.
  if (before.links.length === 0) return undefined
  if (before.receiptSeq + 1 === receiptSeq)
    return `it is not the hash of receipt ${before.receiptSeq}, the one right before`
  return whole ? `it is not the hash of receipt ${before.receiptSeq}, so receipts between them are missing` : undefined
}
