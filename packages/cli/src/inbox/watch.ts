/**
 * `blindkeep inbox watch`: the inbox as a folder, for as long as the process runs. Events only wake it up. What there
 * is to do is read from the inbox: at every connection, at every event that may mean a drop, when a retry is due, and
 * once a minute, so that no lost event costs more.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { isTransient, MovedAway, ProblemError } from '@blindkeep/client/errors'
import { isSessionOver, type SignedIn, signedIn } from '../account/session.ts'
import { followAlbums } from '../changes/followAlbums.ts'
import { EXIT, type Exit, UsageError } from '../ground/exits.ts'
import { Interrupted, interruptible } from '../ground/interrupts.ts'
import { shown } from '../ground/texts.ts'
import { refuseMoved } from '../home/pins.ts'
import { isMoved } from '../outcomes/failures.ts'
import { type Bell, createBell } from './bell.ts'
import { type ProgramFlags, requireProgram } from './exec.ts'
import { select, selectionOf } from './inbox.ts'
import { createNewRefusals } from './newRefusals.ts'
import type { Step } from './saveDrop.ts'
import { type SavedDrops, withSavedDrops } from './savedDrops.ts'
import { openSaving, type SavingFlags } from './saveSteps.ts'
import { createWatchedDrops, waitingFailure } from './watchedDrops.ts'

interface WatchFlags extends SavingFlags, ProgramFlags {
  readonly save: string
}

const NET_MS = 60_000
const BACKOFF_MS = { first: 1000, max: 60_000 }

export async function watch(flags: WatchFlags): Promise<Exit> {
  if (flags.exec === undefined && flags.execArg !== undefined) throw new UsageError('--exec-arg needs --exec.')
  if (flags.exec !== undefined) await requireProgram(flags.exec)
  const signed = await signedIn(flags)
  return await interruptible((signal) =>
    withSavedDrops(signed, flags.save, async (kept) => {
      try {
        return await watchUntilStopped({ signed, flags, kept, signal })
      } catch (error) {
        if (!signal.aborted) throw error
        signed.report.result('Stopped.', { event: 'stopped' })
        return signal.reason instanceof Interrupted && signal.reason.by === 'SIGTERM' ? EXIT.done : EXIT.interrupted
      } finally {
        signed.report.end()
      }
    }),
  )
}

interface Watch {
  readonly signed: SignedIn
  readonly flags: WatchFlags
  readonly kept: SavedDrops
  readonly signal: AbortSignal
}

/** Ends by throwing: the signal's reason, or why it cannot go on. */
async function watchUntilStopped({ signed, flags, kept, signal: outer }: Watch): Promise<never> {
  const { owner, report } = signed
  const stop = new AbortController()
  const { signal } = stop
  outer.addEventListener('abort', () => stop.abort(outer.reason))
  const bell = createBell()
  let hasAdopted = false
  const onStep = (step: Step['is']) => {
    hasAdopted ||= step === 'adopted'
  }
  const patiently = patience({ signed, bell, signal })
  const { saving, selection } = await patiently(isTransient, async () => {
    const saving = await openSaving({ signed, flags, kept, signal, tellsBefore: false, program: flags, onStep })
    return { saving, selection: await selectionOf([], flags, { owner, items: () => saving.inbox.read(signal) }) }
  })
  const { link } = selection
  const drops = createWatchedDrops({ saving, report, signal, onDue: bell.ring })
  // How often a link may have refused a guest, and up to which of them that was said.
  const refusals = { heard: 0, told: 0 }
  const listening = listen(signed, signal, (what) => {
    if (what !== 'drop.landed') refusals.heard += 1
    bell.ring()
  })
  const newRefusals = createNewRefusals()
  const tellNew = async () => {
    const { heard } = refusals
    if (heard === refusals.told) return
    const links = (await owner.listLinks()).filter(({ opaqueId }) => link === undefined || opaqueId === link)
    for (const { text, fact } of newRefusals(links)) report.result(text, { event: 'refused', ...fact })
    refusals.told = heard
  }
  const read = async () => {
    await refuseMoved(signed.profile.home, signed.server)
    // Drops do not need the links: what keeps them from being read is met again by the next reading.
    await tellNew().catch(() => undefined)
    const items = await saving.inbox.read(signal)
    await saving.forgetOthers(new Set([...items.map(({ dropId }) => dropId), ...drops.underWay()]))
    return { items, begun: saving.steps.then instanceof Object ? await saving.adoptions.begun() : [] }
  }
  const goesOn = async (error: unknown) => !(await isOver(signed, error))
  report.result(`Drops are saved into ${shown(kept.folder)}. Ctrl-C ends that.`, {
    event: 'watching',
    folder: kept.folder,
  })
  try {
    for (;;) {
      const { items, begun } = await patiently(goesOn, read)
      drops.take(select(items, selection), select(begun, selection))
      // Once for many drops.
      if (hasAdopted && [...drops.underWay()].length === 0) {
        hasAdopted = false
        await followAlbums(signed, signal)
      }
      await bell.heard(NET_MS, signal)
    }
  } finally {
    // What is under way ends now, also if only the session is over.
    stop.abort(outer.reason)
    await listening
    await drops.ended()
  }
}

type Heard = 'connected' | 'drop.landed' | 'drop.refused' | 'reset'

/** Tells every connection, and every event that may mean a drop or a refusal. */
async function listen({ owner }: SignedIn, signal: AbortSignal, onHeard: (what: Heard) => void): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { name } of owner.events({ onConnected: () => onHeard('connected'), signal }))
        if (name === 'drop.landed' || name === 'drop.refused' || name === 'reset') onHeard(name)
    } catch {
      // The next reading of the inbox meets what is wrong, and says it.
      onHeard('connected')
    }
    await wait(NET_MS, undefined, { signal }).catch(() => undefined)
  }
}

/** Repeats work for as long as its failures let it go on. Tells the first failure, and when it is over. */
function patience({ signed: { report }, bell, signal }: Pick<Watch, 'signed' | 'signal'> & { readonly bell: Bell }) {
  return async <Result>(
    goesOn: (error: unknown) => boolean | Promise<boolean>,
    work: () => Promise<Result>,
  ): Promise<Result> => {
    for (let tries = 0; ; tries += 1) {
      try {
        const result = await work()
        if (tries > 0) report.result('It works again.', { event: 'works_again' })
        return result
      } catch (error) {
        if (signal.aborted || !(await goesOn(error))) throw error
        const { message, reason } = waitingFailure(error)
        if (tries === 0) report.problem(shown(message), { event: 'waiting', reason, message })
        await bell.heard(Math.min(BACKOFF_MS.max, BACKOFF_MS.first * 2 ** Math.min(tries, 10)), signal)
      }
    }
  }
}

/** Signed out, signed in as another account, or at a server that has moved. No retry brings the session back. */
async function isOver({ profile, owner }: SignedIn, error: unknown): Promise<boolean> {
  if (error instanceof MovedAway || isMoved(error)) return true
  if (isSessionOver(error) || (error instanceof ProblemError && error.status === 401)) return true
  return (await profile.account())?.accountId !== owner.accountId
}
