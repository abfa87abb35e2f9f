import { sizeText } from '@blindkeep/protocol/byteSizes'
import { MAX_BEHIND_SECONDS } from '../domain/closing/alarms.ts'
import { errorText } from '../ground/errorText.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Presence } from '../ports/objects.ts'
import type { Store } from '../ports/store.ts'

export interface ConditionWatch {
  /** Of the start: a sentence for people for each condition. */
  readonly warnings: readonly string[]
  /** Of the last look: a word for each condition that has one. */
  words(): readonly string[]
  /** Says in the log what lasts or has ended. Never rejects. */
  look(): Promise<unknown>
}

interface ConditionWatchPorts {
  readonly disk: Presence
  readonly store: Pick<Store, 'read'>
  readonly clock: Clock
  readonly floorBytes: number
  readonly log: Log
}

interface Seen {
  readonly isBad: boolean
  readonly facts: Readonly<Record<string, number | string>>
  /** For people. */
  readonly warning: string
}

interface Condition {
  see(): Promise<Seen>
  /** Events of the log. */
  readonly begun: string
  readonly ended: string
  /** In `warnings` of /readyz. The room on the disk has none here: it is seen more often (`presence.ts`). */
  readonly word?: string
}

/** Warns at the start, and at each look: disk below its floor, a directory without room, a clock set back. */
export async function openConditionWatch({ log, ...ports }: ConditionWatchPorts): Promise<ConditionWatch> {
  const lookers = [diskBelowFloor(ports), ...placesNotWritable(ports), clockBehind(ports)].map((condition) =>
    lookerAt(condition, log),
  )
  // What does not answer is said by each request that needs it, and by /readyz.
  const lookAtAll = () => Promise.all(lookers.map(({ look }) => look().catch(() => undefined)))
  const warnings = await lookAtAll()
  return {
    warnings: warnings.filter((warning) => warning !== undefined),
    words: () => lookers.flatMap(({ word }) => word() ?? []),
    look: lookAtAll,
  }
}

interface Looker {
  look(): Promise<string | undefined>
  /** While the condition lasts. */
  word(): string | undefined
}

function lookerAt({ see, begun, ended, word }: Condition, log: Log): Looker {
  let wasBad = false
  return {
    async look() {
      const { isBad, facts, warning } = await see()
      if (isBad) log.warn(begun, facts)
      else if (wasBad) log.info(ended, facts)
      wasBad = isBad
      return isBad ? warning : undefined
    },
    word: () => (wasBad ? word : undefined),
  }
}

/** Without room no upload begins or goes on; all else works. */
function diskBelowFloor({ disk, floorBytes }: Pick<ConditionWatchPorts, 'disk' | 'floorBytes'>): Condition {
  return {
    begun: 'the disk is below its floor: uploads are refused',
    ended: 'the disk is above its floor again',
    async see() {
      const freeBytes = await disk.check()
      return {
        isBad: freeBytes <= floorBytes,
        facts: { freeBytes, floorBytes },
        warning: `The disk has ${sizeText(freeBytes)} of free space, below FREE_SPACE_FLOOR_BYTES (${sizeText(floorBytes)}). Uploads are refused until there is room.`,
      }
    },
  }
}

/** Uploads fail whose objects belong there; all else works. A server does not start so. */
function placesNotWritable({ disk }: Pick<ConditionWatchPorts, 'disk'>): readonly Condition[] {
  if (disk.checkPlaces === undefined) return []
  const { checkPlaces } = disk
  const condition: Condition = {
    begun: 'a directory of objects cannot be written: uploads into it fail',
    ended: 'all directories of objects can be written again',
    word: 'blobs_not_writable',
    async see() {
      // Throws if the whole disk is away.
      await disk.check()
      const reason = await checkPlaces().then(() => undefined, errorText)
      return {
        isBad: reason !== undefined,
        facts: reason === undefined ? {} : { reason },
        warning: `A directory of objects cannot be written, and uploads into it fail: ${reason}`,
      }
    },
  }
  return [condition]
}

/** The dates of receipts never go back, and what expires by the clock does so late. */
function clockBehind({ store, clock }: Pick<ConditionWatchPorts, 'store' | 'clock'>): Condition {
  return {
    begun: 'the clock is behind the last receipt: new receipts have the date of that one',
    ended: 'the clock is no longer behind the last receipt',
    async see() {
      const head = await store.read((tx) => tx.receipts.head())
      const behindSeconds = Math.max(0, Math.round(((head?.receivedAt ?? 0) - clock.now()) / 1000))
      return {
        isBad: behindSeconds > MAX_BEHIND_SECONDS,
        facts: { behindSeconds },
        warning: `The clock is ${behindSeconds} s behind the last receipt. Until it is set right, receipts have the date of that one, and what expires does so late.`,
      }
    },
  }
}
