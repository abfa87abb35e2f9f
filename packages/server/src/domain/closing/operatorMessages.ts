/** Messages to the operator about alarms, and about their end: by the ways that owners' messages go. */

import type { GiveUpAfter } from '../../ground/pause.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Messenger, Target } from '../../ports/messenger.ts'
import type { Random } from '../../ports/random.ts'
import type { SentAlarm, SentAlarms } from '../../ports/sentAlarms.ts'
import { askedInTime } from '../ground/askedInTime.ts'
import { ALARMS, type Alarm, type AlarmKind } from './alarms.ts'

/** From one message that a kind has begun to the next. */
export const PAUSE_MS = 3_600_000
/** A frozen disk answers no sooner. */
const FILE_MS = 10_000

export interface Look {
  readonly alarms: readonly Alarm[]
  /** Whether this look could see such an alarm: what cannot be seen is not over. */
  readonly isSeen: (kind: AlarmKind) => boolean
}

interface OperatorMessagePorts {
  /** Answers in a bounded time, also if nothing else does. */
  readonly look: () => Promise<Look>
  readonly sent: SentAlarms
  /** May send to every address: only the operator's settings name targets. */
  readonly messenger: Pick<Messenger, 'send'>
  readonly targets: readonly Target[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Pick<Log, 'warn'>
  readonly giveUpAfter: GiveUpAfter
}

export type OperatorMessages = ReturnType<typeof createOperatorMessages>

export function createOperatorMessages(ports: OperatorMessagePorts) {
  const { look, clock, random, messenger, targets, log, giveUpAfter } = ports
  const limit = { ms: FILE_MS, giveUpAfter }
  /** Of this process, and of those before it once the file could be read. */
  const sent = new Map<string, SentAlarm>()
  let isRead = false
  let before: ReadonlySet<AlarmKind> = new Set()
  /** How often `sent` was changed, and how many of these changes are in the file. */
  let changes = 0
  let written = 0

  const read = askedInTime(ports.sent.read, limit)
  const write = askedInTime(async () => {
    const upTo = changes
    await ports.sent.write(sent)
    written = upTo
  }, limit)

  /** Until the file could be read, at worst a message comes twice. */
  async function recall(): Promise<void> {
    if (isRead) return
    const earlier = await read().catch(() => undefined)
    if (earlier === undefined) return
    for (const [kind, alarm] of earlier) if (!sent.has(kind)) sent.set(kind, alarm)
    isRead = true
  }

  function isNews({ kind }: Alarm): boolean {
    const last = sent.get(kind)
    if (last === undefined) return true
    // A clock that was set back must not silence a kind.
    return last.isOver && Math.abs(clock.now() - last.at) >= PAUSE_MS
  }

  /** Whether one of the receivers has it. */
  async function send(begun: readonly Alarm[], over: readonly AlarmKind[], signal: AbortSignal): Promise<boolean> {
    const message = {
      messageId: `msg_${random.uuid()}`,
      about: 'alarms',
      begun: begun.map(({ kind, what }) => ({ kind, what, ...ALARMS[kind] })),
      over: over.map((kind) => ({ kind, name: ALARMS[kind].name })),
    } as const
    let isSent = false
    for (const target of targets) {
      const delivery = await messenger.send(target, message, signal)
      if (delivery === 'sent') isSent = true
      else log.warn('a message to the operator failed', { kind: target.kind, ...delivery })
    }
    return isSent
  }

  return {
    /** A look. What no receiver has got is tried again with the next one. */
    async tend(signal: AbortSignal): Promise<void> {
      await recall()
      const { alarms, isSeen } = await look()
      const urgent = alarms.filter(({ kind }) => ALARMS[kind].severity !== 'note')
      const now = new Set(urgent.map(({ kind }) => kind))
      // What two looks have seen: a restart, or a suspicion that ends by itself, is none.
      const begun = urgent.filter((alarm) => before.has(alarm.kind) && isNews(alarm))
      before = now
      const over = kindsIn(sent).filter((kind) => sent.get(kind)?.isOver === false && isSeen(kind) && !now.has(kind))
      if (begun.length + over.length > 0 && (await send(begun, over, signal))) {
        for (const { kind } of begun) sent.set(kind, { at: clock.now(), isOver: false })
        for (const kind of over) sent.set(kind, { at: sent.get(kind)?.at ?? clock.now(), isOver: true })
        changes += 1
      }
      // A full disk takes it later. What is not read yet is not replaced.
      if (isRead && written !== changes) await write()
    },
  }
}

/** A release may have had others. */
function kindsIn(sent: ReadonlyMap<string, SentAlarm>): readonly AlarmKind[] {
  return (Object.keys(ALARMS) as AlarmKind[]).filter((kind) => sent.has(kind))
}
