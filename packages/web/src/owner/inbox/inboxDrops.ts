/** The inbox, kept current: listed once in pages, then by events. Names are read only where shown. */
import { type Environment, systemEnvironment } from '@blindkeep/client/environment'
import type { DropFacts, InboxItem, LiveEvent, Owner } from '@blindkeep/client/owner'
import type { DropId, OpaqueId } from '@blindkeep/protocol/ids'
import { createRefresher } from '../../common/work/refresher.ts'
import { createSharedLoads, type Outcome } from '../../common/work/sharedLoads.ts'
import { createBatchReading } from './batchReading.ts'
import { createDropList, type ListedDrop } from './dropList.ts'
import { isTemporary } from './dropTexts.ts'

export interface InboxSnapshot {
  /** Newest first. */
  readonly drops: readonly ListedDrop[]
  /** False until the last page of the first list has arrived. */
  readonly isListed: boolean
  /** Links of which more files of the batches in view are looked for. */
  readonly lookingIn: ReadonlySet<OpaqueId>
  readonly error: unknown
}

export const EMPTY_INBOX: InboxSnapshot = { drops: [], isListed: false, lookingIn: new Set(), error: undefined }

export interface InboxDrops {
  /** Lists all again; names that could not be read are read again. */
  reload(): void
  follow(event: LiveEvent): void
  /** For files that this page has kept or discarded: their events may come late. */
  remove(dropId: DropId): void
  /** Wants the name of this file, until the returned function is called. `onEnd`: it was read, or cannot be. */
  readName(drop: DropFacts, onEnd?: () => void): () => void
  /** Wants the names of all files of this batch (`batchIdOf`), until the returned function is called. */
  readBatch(batchId: string): () => void
  stop(): void
}

interface InboxDropsPorts {
  readonly owner: Pick<Owner, 'pendingDrops' | 'describeDrop'>
  readonly onChange: (snapshot: InboxSnapshot) => void
  readonly environment?: Pick<Environment, 'wait'>
}

/** Browsers send six requests at once: one is the event stream, one is left for the owner. */
const MAX_NAMES_AT_ONCE = 4
/** Between the tries to read a name, unless the file itself is the reason. */
const PAUSES_MS = [500, 1500, 4000]
/** A thousand changes at once must not draw the page a thousand times. */
const PUBLISH_MS = 100

export function createInboxDrops({ owner, onChange, environment = systemEnvironment }: InboxDropsPorts): InboxDrops {
  const [stopped, list] = [new AbortController(), createDropList()]
  const { signal } = stopped
  /** Drops of events that were not looked for yet. */
  const landed = new Set<DropId>()
  let isListed = false
  let isOutdated = true
  let error: unknown
  const publish = soon(() => {
    if (signal.aborted) return
    batches.look()
    onChange({ drops: list.all(), isListed, lookingIn: batches.links(), error })
  })
  const readName = createNameReading({ owner, environment }, (outcome) => {
    if (outcome.value === undefined) error = outcome.error
    else list.show(outcome.value)
    publish()
  })
  // Before the whole list is there, names that are not in view would only delay it.
  const batches = createBatchReading({ drops: () => (isListed ? list.all() : []), read: readName })

  async function listNew(): Promise<void> {
    for await (const page of owner.pendingDrops({ known: list.ids().toReversed(), signal })) list.addNew(page)
  }

  async function listAll(): Promise<void> {
    const listed: DropId[] = []
    for await (const page of owner.pendingDrops({ order: 'newest', signal })) {
      list.add(page)
      listed.push(...page.map(({ dropId }) => dropId))
      publish()
    }
    list.keepOnly(listed)
    isListed = true
  }

  const refresher = createRefresher(async () => {
    const expected = [...landed]
    landed.clear()
    list.beginListing()
    try {
      if (!isOutdated && expected.some(list.isMissing)) await listNew()
      // Its place may be before others that landed earlier, for example by the clock of another node.
      if (isOutdated || expected.some(list.isMissing)) {
        isOutdated = false
        await listAll()
      }
      error = undefined
    } catch (caught) {
      isOutdated = true
      error = caught
    }
    publish()
  })

  function reload(): void {
    isOutdated = true
    refresher.ask()
  }

  function remove(dropId: DropId): void {
    landed.delete(dropId)
    list.remove(dropId)
    publish()
  }

  return {
    reload,
    remove,
    follow({ name, data }) {
      if (name === 'drop.adopted' || name === 'drop.discarded') remove(data.drop_id)
      else if (name === 'reset' || name === 'drop.restored') reload()
      else if (name === 'drop.landed') {
        landed.add(data.drop_id)
        refresher.ask()
      }
    },
    readName,
    readBatch: batches.want,
    stop() {
      stopped.abort()
      refresher.stop()
    },
  }
}

interface NameReadingPorts extends Required<Pick<InboxDropsPorts, 'environment'>> {
  readonly owner: Pick<Owner, 'describeDrop'>
}

/** Reads each name once, for all. A good file may have met a broken connection or busy server: it is tried again. */
function createNameReading({ owner, environment }: NameReadingPorts, onName: (outcome: Outcome<InboxItem>) => void) {
  const names = createSharedLoads<InboxItem>({
    maxAtOnce: MAX_NAMES_AT_ONCE,
    maxUnused: 0,
    maxAgeMs: 0,
    dispose: () => undefined,
  })

  async function read(drop: DropFacts, signal: AbortSignal): Promise<InboxItem> {
    for (const pauseMs of PAUSES_MS) {
      const item = await owner.describeDrop(drop, { signal })
      if (item.fault === undefined || !isTemporary(item.fault)) return item
      await environment.wait(pauseMs, signal)
    }
    return owner.describeDrop(drop, { signal })
  }

  return (drop: DropFacts, onEnd: () => void = () => undefined): (() => void) => {
    return names.use(
      drop.dropId,
      (signal) => read(drop, signal),
      (outcome) => {
        onName(outcome)
        onEnd()
      },
    )
  }
}

/** Runs once for all calls of a short time. */
function soon(run: () => void): () => void {
  let isWaiting = false
  return () => {
    if (isWaiting) return
    isWaiting = true
    setTimeout(() => {
      isWaiting = false
      run()
    }, PUBLISH_MS)
  }
}
