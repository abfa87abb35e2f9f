import type { OperatorMessages } from '../domain/closing/operatorMessages.ts'
import type { Sweep } from '../domain/closing/sweep.ts'
import { CHECK_SECONDS, type HeadWatch } from '../domain/custody/headWatch.ts'
import type { Parts } from '../domain/custody/parts.ts'
import type { Scrubber } from '../domain/custody/scrub.ts'
import type { AcceptedVersions } from '../domain/discovery/protocolWindow.ts'
import type { CountedRefusals } from '../domain/drops/linkRefusals.ts'
import type { Notifier } from '../domain/notify/notifier.ts'
import type { ConditionWatch } from './conditions.ts'
import type { Work } from './periodic.ts'
import type { PresenceWatch } from './presence.ts'

interface Workers {
  readonly sweep: Sweep
  /** Undefined if the store of bytes has no keys. */
  readonly parts?: Pick<Parts, 'tend'> | undefined
  readonly scrub: Pick<Scrubber, 'turn' | 'hasDoubtful' | 'again'>
  readonly notifier: Pick<Notifier, 'tend'>
  readonly linkRefusals: Pick<CountedRefusals, 'tend'>
  /** Undefined if the operator has named no receiver. */
  readonly operatorMessages?: Pick<OperatorMessages, 'tend'> | undefined
  readonly protocolWindow: Pick<AcceptedVersions, 'refresh'>
  /** Throws `ServerMoved` if the server has got another name. */
  readonly requireUnmoved: () => Promise<void>
  readonly headWatch: Pick<HeadWatch, 'check'>
  readonly conditions: Pick<ConditionWatch, 'look'>
  readonly presence: Pick<PresenceWatch, 'askDatabase' | 'askBytes'>
}

export type WorkName =
  | 'sweep'
  | 'remove deleting bytes'
  | 'empty deleted accounts'
  | 'tend parts'
  | 'scrub'
  | 'read again'
  | 'notify owners'
  | 'count refusals'
  | 'notify operator'
  | 'protocol window'
  | 'name'
  | 'witness'
  | 'conditions'
  | 'database'
  | 'store of bytes'

const job = { failure: 'job failed' } as const
const sweeping = { ...job, where: { turn: 'sweep' }, queue: 'sweep' } as const
// What a request of this node left behind, this node cleans up.
const cleaning = { ...job, everyMs: 'on demand', where: 'each node', queue: 'sweep' } as const
const tending = { ...job, where: { turn: 'parts' }, queue: 'parts' } as const
const scrubbing = { ...job, where: { turn: 'scrub' }, queue: 'scrub' } as const
// On each node: an attempt is claimed in the database.
const notifying = { ...job, where: 'each node', queue: 'notify' } as const
const refreshing = { where: 'each node', failure: 'refresh failed' } as const
// What they ask may be away, and the end does not wait for that.
const watching = { where: 'each node', isLeftAtEnd: true } as const

/**
 * What the rules of a server do by the clock. Limiter, connections and PostgreSQL's signs of life have timers of their
 * own. What has no queue goes on until the server has ended.
 */
export function periodicWork(
  workers: Workers,
  { sweepSeconds }: { readonly sweepSeconds: number },
): readonly Work<WorkName>[] {
  const { sweep, parts, scrub, notifier, protocolWindow, requireUnmoved, headWatch, conditions, presence } = workers
  const { linkRefusals, operatorMessages } = workers
  const tell = {
    name: 'notify operator',
    everyMs: 60_000,
    isFirstAtStart: true,
    ...watching,
    failure: 'job failed',
  } as const
  const sweepMs = sweepSeconds * 1000
  const tend = { name: 'tend parts', everyMs: sweepMs, isFirstAtStart: true, ...tending } as const
  return [
    { name: 'sweep', everyMs: sweepMs, isFirstAtStart: true, ...sweeping, run: sweep.sweep },
    { name: 'remove deleting bytes', ...cleaning, run: sweep.removeDeleting },
    { name: 'empty deleted accounts', ...cleaning, run: sweep.resumeAccountDeletions },
    ...(parts === undefined ? [] : [{ ...tend, run: parts.tend }]),
    { name: 'scrub', everyMs: 60_000, isFirstAtStart: true, isCountedFromEnd: true, ...scrubbing, run: scrub.turn },
    // There is nearly never an object whose bytes seemed wrong, and a turn costs more than the question.
    { name: 'read again', everyMs: 3_000, isNeeded: scrub.hasDoubtful, ...scrubbing, run: scrub.again },
    { name: 'notify owners', everyMs: 1_000, isFirstAtStart: true, ...notifying, run: notifier.tend },
    // Nearly always nothing waits.
    { name: 'count refusals', everyMs: 1_000, ...notifying, run: linkRefusals.tend },
    ...(operatorMessages === undefined ? [] : [{ ...tell, run: operatorMessages.tend }]),
    // Answers show an announcement within 5 s of its command: this pause, and the time of a refresh.
    { name: 'protocol window', everyMs: 2_000, ...refreshing, run: protocolWindow.refresh },
    // A node that slept through a move must not go on, even if no client asks it for anything.
    { name: 'name', everyMs: 2_000, ...refreshing, run: requireUnmoved },
    { name: 'witness', everyMs: CHECK_SECONDS * 1000, ...watching, run: headWatch.check },
    { name: 'conditions', everyMs: 60_000, ...watching, run: conditions.look },
    { name: 'database', everyMs: 5_000, ...watching, run: presence.askDatabase },
    { name: 'store of bytes', everyMs: 5_000, ...watching, run: presence.askBytes },
  ]
}
