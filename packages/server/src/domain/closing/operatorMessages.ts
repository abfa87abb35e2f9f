/** Messages to the operator about alarms, and about their end: by the ways that owners' messages go. */
import type { Clock } from '../../ports/clock.ts'
import type { Log } from '../../ports/log.ts'
import type { Messenger, Target } from '../../ports/messenger.ts'
import type { Random } from '../../ports/random.ts'
import type { Told, ToldAlarms } from '../../ports/toldAlarms.ts'
import { ALARMS, type Alarm, type AlarmKind } from './alarms.ts'

/** From one message that a kind has begun to the next. */
export const PAUSE_MS = 3_600_000

export interface Look {
  readonly alarms: readonly Alarm[]
  /** Whether this look could see such an alarm: what cannot be seen is not over. */
  readonly isSeen: (kind: AlarmKind) => boolean
}

interface OperatorMessagePorts {
  readonly look: () => Promise<Look>
  readonly told: ToldAlarms
  /** May send to every address: only the operator's settings name targets. */
  readonly messenger: Pick<Messenger, 'send'>
  readonly targets: readonly Target[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Pick<Log, 'warn'>
}

export type OperatorMessages = ReturnType<typeof createOperatorMessages>

export function createOperatorMessages(ports: OperatorMessagePorts) {
  const { look, clock, random, messenger, targets, log } = ports
  let told: Map<string, Told> | undefined
  let isWritten = true
  let before: ReadonlySet<AlarmKind> = new Set()

  function isNews({ kind }: Alarm, known: ReadonlyMap<string, Told>): boolean {
    const last = known.get(kind)
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
      else log.warn('a message to the operator failed', { kind: target.kind, fault: delivery.fault })
    }
    return isSent
  }

  return {
    /** A look. What no receiver has got is tried again with the next one. */
    async tend(signal: AbortSignal): Promise<void> {
      told ??= new Map(await ports.told.read())
      const known = told
      const { alarms, isSeen } = await look()
      const urgent = alarms.filter(({ kind }) => ALARMS[kind].severity !== 'note')
      const now = new Set(urgent.map(({ kind }) => kind))
      // What two looks have seen: a restart, or a suspicion that ends by itself, is none.
      const begun = urgent.filter((alarm) => before.has(alarm.kind) && isNews(alarm, known))
      before = now
      const over = kindsIn(known).filter((kind) => known.get(kind)?.isOver === false && isSeen(kind) && !now.has(kind))
      if (begun.length + over.length > 0 && (await send(begun, over, signal))) {
        for (const { kind } of begun) known.set(kind, { at: clock.now(), isOver: false })
        for (const kind of over) known.set(kind, { at: known.get(kind)?.at ?? clock.now(), isOver: true })
        isWritten = false
      }
      // A full disk takes it later.
      if (isWritten) return
      await ports.told.write(known)
      isWritten = true
    },
  }
}

/** A release may have had others. */
function kindsIn(known: ReadonlyMap<string, Told>): readonly AlarmKind[] {
  return (Object.keys(ALARMS) as AlarmKind[]).filter((kind) => known.has(kind))
}
