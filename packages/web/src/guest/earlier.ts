/** What earlier visits, and other tabs, have left of this link's files: what landed, and what can be gone on with. */
import type { Environment } from '@blindkeep/client/environment'
import { askSend, forNewSession, type Landed } from '@blindkeep/client/guest'
import { mapBounded } from '@blindkeep/client/mapBounded'
import type { Entries } from './entries.ts'
import type { Keep, KeptUpload, LandedFile } from './keep.ts'
import type { Unfinished } from './messages.ts'
import { signedFactsOf } from './receipts.ts'
import { shown } from './snapshot.ts'
import type { TabLocks } from './tabLocks.ts'

const MAX_ASKING = 3

export interface Earlier {
  /** Reads again what is kept, of which other tabs may have changed something. */
  refresh(): Promise<void>
  /**
   * Asks the server about what was not finished, without any file: what landed while nobody looked is there at once, and what it has thrown away is not
   * promised to go on. Where it does not answer, all stays as it was kept.
   */
  ask(): Promise<void>
  unfinished(): readonly Unfinished[]
  /** As they are to be gone on with. */
  uploads(): readonly KeptUpload[]
  /** From now on it is a file of this visit. */
  leave(id: string): void
  /** Takes it out of those that can be gone on with; nothing when another tab has it. */
  take(id: string): Promise<KeptUpload | undefined>
  /** Once that tab is gone, or done, there is something else to show. */
  awaitOtherTab(id: string): void
}

export interface EarlierOptions {
  readonly linkId: string
  readonly entries: Entries
  readonly environment: Environment
  readonly keep: Keep
  readonly locks: TabLocks
  /** Whether this tab may now go on with it. */
  readonly takeOver: (id: string) => Promise<boolean>
  /** Something waits that did not before. */
  readonly onReady: () => void
  readonly onLandedEarlier: (file: LandedFile) => void
  readonly onChange: () => void
}

type Left = KeptUpload & { readonly isInOtherTab: boolean }

export function createEarlier(options: EarlierOptions): Earlier {
  const { linkId, entries, environment, keep, locks, onChange } = options
  let left: readonly Left[] = []
  const awaited = new Set<string>()
  /** The server has nothing of these any more. */
  const gone = new Set<string>()

  async function refresh(): Promise<void> {
    const kept = await keep.uploads(linkId)
    const seen = await Promise.all(
      kept.map(async (upload) => ({ ...upload, isInOtherTab: await locks.isTaken(upload.id) })),
    )
    // At the end, as one may have been chosen again meanwhile.
    left = seen.filter(({ id }) => entries.get(id) === undefined)
    for (const { id, isInOtherTab } of left) if (isInOtherTab) awaitOtherTab(id)
    for (const file of await keep.landed(linkId)) addLanded(file)
    onChange()
  }

  async function ask(): Promise<void> {
    const asked = left.filter(({ state, isInOtherTab }) => state.uploadId !== undefined && !isInOtherTab)
    await mapBounded(asked, MAX_ASKING, askOne)
  }

  async function askOne(upload: KeptUpload): Promise<void> {
    const { id, state } = upload
    const standing = await askSend(state, environment).catch(() => undefined)
    // Chosen again or given up meanwhile: then whoever sends or cancels it learns it too.
    if (standing === undefined || !left.some((one) => one.id === id)) return
    if (standing.is === 'landed') return land(upload, standing.landed)
    if (standing.is === 'gone') gone.add(id)
    const reached = standing.is === 'gone' ? 0 : standing.reached
    left = left.map((one) => (one.id === id ? { ...one, reached } : one))
    onChange()
    await keep.putReached(id, reached)
  }

  async function land(upload: KeptUpload, landed: Landed): Promise<void> {
    const { id, name, folder, size, lastModified, state } = upload
    const custody = { ...landed, baseUrl: state.baseUrl, opaqueId: state.opaqueId }
    const landedAt = Number(environment.now())
    const file = { id, linkId, name, folder, size, lastModified, landedAt, custody }
    leave(id)
    const kept = keep.land(file)
    addLanded(file)
    await kept
  }

  function addLanded(file: LandedFile): void {
    const { id, name, folder, size, lastModified, custody, receipt } = file
    const before = entries.get(id)
    if (before !== undefined && before.failure !== 'other_tab') return
    if (before !== undefined) entries.remove(id)
    entries.add({
      ...{ id, name, folder, size, lastModified, of: custody.size, sent: custody.size, phase: 'landed' },
      landed: file,
      landedAt: receipt?.received_at ?? new Date(file.landedAt).toISOString(),
      receipt: receipt === undefined ? { is: 'fetching' } : { is: 'checked', signed: signedFactsOf(receipt) },
    })
    if (receipt === undefined) options.onLandedEarlier(file)
  }

  function awaitOtherTab(id: string): void {
    if (awaited.has(id)) return
    awaited.add(id)
    void locks.free(id).then(async () => {
      awaited.delete(id)
      await refresh()
      await goOnAfterOtherTab(id)
    })
  }

  /** Chosen here while that tab was at it: what it left is gone on with, unless it has landed it or given it up. */
  async function goOnAfterOtherTab(id: string): Promise<void> {
    if (entries.get(id)?.failure !== 'other_tab') return
    const kept = (await keep.uploads(linkId)).find((upload) => upload.id === id)
    if (kept === undefined) return entries.change(id, { phase: 'cancelled', failure: undefined, state: undefined })
    if (!(await options.takeOver(id))) return awaitOtherTab(id)
    entries.change(id, { phase: 'waiting', failure: undefined, state: kept.state, sent: kept.reached })
    options.onReady()
  }

  function leave(id: string): void {
    left = left.filter((upload) => upload.id !== id)
  }

  return {
    refresh,
    ask,
    unfinished: () => left.map((upload) => unfinishedOf(upload, gone.has(upload.id))),
    uploads: () =>
      left.map((upload) =>
        gone.has(upload.id) ? { ...upload, state: forNewSession(upload.state, environment), reached: 0 } : upload,
      ),
    leave,
    async take(id) {
      const upload = left.find((one) => one.id === id)
      if (upload === undefined || !(await options.takeOver(id))) return undefined
      leave(id)
      return upload
    },
    awaitOtherTab,
  }
}

function unfinishedOf({ id, name, folder, size, reached, state, isInOtherTab }: Left, isGone: boolean): Unfinished {
  const bytes = isGone ? 0 : reached
  return { id, name: shown(name), folder: shown(folder), size, bytes, of: state.size, isInOtherTab, isGone }
}
