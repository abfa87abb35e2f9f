/** What happens to a file when it is chosen: whether it is there already, goes on with what an earlier visit began, has room, or is not taken. */
import { usualSealedBytes } from '@blindkeep/client/largestPlaintext'
import { sourceOfBlob } from '@blindkeep/client/source'
import type { Entries, Entry, FileIdentity } from './entries.ts'
import { fitting } from './fit.ts'
import type { Keep, KeptUpload, LandedFile } from './keep.ts'
import type { ChosenFile, LinkStanding, Remark, Unfinished } from './messages.ts'
import { signedFactsOf } from './receipts.ts'
import { identityOf, matchOf } from './resume.ts'
import { shown } from './snapshot.ts'
import type { TabLocks } from './tabLocks.ts'

export interface Admission {
  /** `unread`: names of what was chosen with them and could not be read. */
  add(files: readonly ChosenFile[], unread: readonly string[]): Promise<void>
  /** Says of each chosen file whether it fits, by the last answer about the link. */
  judge(): void
  /** Reads again what is kept, of which other tabs may have changed something. */
  refresh(): Promise<void>
  unfinished(): readonly Unfinished[]
  /** Takes it out of those that can be gone on with; nothing when another tab has it. */
  take(id: string): Promise<KeptUpload | undefined>
  remark(): Remark | undefined
}

interface AdmissionOptions {
  readonly linkId: string
  readonly entries: Entries
  readonly keep: Keep
  readonly locks: TabLocks
  readonly standing: () => LinkStanding
  readonly newId: () => string
  /** Whether this tab may now go on with it. */
  readonly takeOver: (id: string) => Promise<boolean>
  /** Something waits that did not before. */
  readonly onReady: () => void
  readonly onLandedEarlier: (file: LandedFile) => void
  readonly onChange: () => void
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { linkId, entries, keep, locks, standing, onChange } = options
  let unfinished: readonly (KeptUpload & { readonly isInOtherTab: boolean })[] = []
  let remark: Remark | undefined
  const awaited = new Set<string>()

  function say(about: Remark['about'], names: readonly string[]): void {
    const [name] = names
    if (name === undefined) return
    remark = { serial: (remark?.serial ?? 0) + 1, about, count: names.length, name: shown(name) }
  }

  async function add(files: readonly ChosenFile[], unread: readonly string[]): Promise<void> {
    if (files.length === 0) say('nothing_chosen', [''])
    await refresh()
    const known = new Map([...entries.all()].map((entry) => [identityOf(entry), entry]))
    const names = { already_there: [] as string[], already_landed: [] as string[], not_taken: [] as string[] }
    for (const chosen of files) {
      const file = identityOfFile(chosen)
      const before = known.get(identityOf(file))
      const entry = before === undefined ? await admit(file, chosen) : chosenAgain(before, chosen)
      if (typeof entry === 'string') names[entry].push(file.name)
      else known.set(identityOf(file), entry)
    }
    say('already_landed', names.already_landed)
    say('already_there', names.already_there)
    say('not_taken', names.not_taken)
    say('not_read', unread)
    judge()
    onChange()
  }

  /** One that failed or was taken out is read anew; any other is there already. */
  function chosenAgain(entry: Entry, { file }: ChosenFile): Entry | 'already_there' | 'already_landed' {
    const { id, phase, state } = entry
    if (phase === 'landed') return 'already_landed'
    if (phase !== 'failed' && phase !== 'cancelled') return 'already_there'
    const goesOn = phase === 'failed' && state !== undefined
    entries.change(id, { source: sourceOfBlob(file), phase: goesOn ? 'waiting' : 'chosen', failure: undefined })
    return entry
  }

  async function admit(file: FileIdentity, { file: blob, isFromCamera }: ChosenFile): Promise<Entry | 'not_taken'> {
    const common = { ...file, source: sourceOfBlob(blob), type: blob.type }
    const match = isFromCamera ? undefined : matchOf(file, unfinished)
    if (match === undefined) {
      const link = standing()
      if (link.is === 'refused' && !link.isRetrying) return 'not_taken'
      return entries.add({ ...common, id: options.newId(), of: usualSealedBytes(file.size) })
    }
    const { id, state, reached } = match.upload
    unfinished = unfinished.filter((upload) => upload.id !== id)
    const known = { ...common, id, state, of: state.size, sent: reached, mustCompare: match.is === 'perhaps' }
    if (!(await options.takeOver(id))) {
      awaitOtherTab(id)
      return entries.add({ ...known, phase: 'failed', failure: 'other_tab' })
    }
    if (match.is === 'changed') return entries.add({ ...known, phase: 'failed', failure: 'file_changed' })
    return entries.add({ ...known, phase: 'waiting' })
  }

  function judge(): void {
    const link = standing()
    if (link.is !== 'open') return
    const takers = [...entries.all()].filter(takesRoom)
    const taken = { files: takers.length, bytes: takers.reduce((sum, { of }) => sum + of, 0) }
    const open = [...entries.all()].filter(({ phase }) => phase === 'chosen' || phase === 'unfit')
    for (const [id, misfit] of fitting(open, link.limits, taken)) {
      const phase = misfit === undefined ? 'chosen' : 'unfit'
      const before = entries.get(id)
      if (before?.phase !== phase || before.failure !== misfit) entries.change(id, { phase, failure: misfit })
    }
  }

  async function refresh(): Promise<void> {
    const kept = await keep.uploads(linkId)
    const seen = await Promise.all(
      kept.map(async (upload) => ({ ...upload, isInOtherTab: await locks.isTaken(upload.id) })),
    )
    // At the end, as one may have been chosen again meanwhile.
    unfinished = seen.filter(({ id }) => entries.get(id) === undefined)
    for (const { id, isInOtherTab } of unfinished) if (isInOtherTab) awaitOtherTab(id)
    for (const file of await keep.landed(linkId)) addLanded(file)
    onChange()
  }

  /** Once that tab is gone, or done, there is something else to show. */
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

  function addLanded(file: LandedFile): void {
    const { id, name, folder, size, lastModified, custody, receipt } = file
    const before = entries.get(id)
    if (before !== undefined && before.failure !== 'other_tab') return
    if (before !== undefined) entries.remove(id)
    entries.add({
      ...{ id, name, folder, size, lastModified, of: custody.size, sent: custody.size, phase: 'landed' },
      landed: file,
      landedAt: new Date(file.landedAt).toISOString(),
      receipt: receipt === undefined ? { is: 'fetching' } : { is: 'checked', signed: signedFactsOf(receipt) },
    })
    if (receipt === undefined) options.onLandedEarlier(file)
  }

  return {
    add,
    judge,
    refresh,
    remark: () => remark,
    unfinished: () =>
      unfinished.map(({ id, name, folder, size, reached, state, isInOtherTab }) => ({
        ...{ id, name: shown(name), folder: shown(folder), size, bytes: reached, of: state.size, isInOtherTab },
      })),
    async take(id) {
      const upload = unfinished.find((kept) => kept.id === id)
      if (upload === undefined || !(await options.takeOver(id))) return undefined
      unfinished = unfinished.filter((kept) => kept.id !== id)
      return upload
    },
  }
}

/** Of the link's places, and not counted by the server's last answer. */
function takesRoom({ phase, state, isReserved }: Entry): boolean {
  if (isReserved) return true
  const isToCome = phase === 'waiting' || phase === 'preparing' || phase === 'sending' || phase === 'paused'
  return isToCome && state?.uploadId === undefined
}

function identityOfFile({ file, folder }: ChosenFile): FileIdentity {
  return { name: file.name, folder, size: file.size, lastModified: file.lastModified }
}
