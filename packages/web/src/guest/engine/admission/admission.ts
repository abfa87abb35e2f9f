/** What happens to a chosen file: it is known, continues a stored upload, is new, or is refused. */
import { misfitsOf, type Used } from '@blindkeep/client/fit'
import { batchOf, type SendState } from '@blindkeep/client/guest'
import { usualSealedBytes } from '@blindkeep/client/sizes'
import { sourceOfBlob } from '@blindkeep/client/source'
import type { ChosenFile, FailureReason, Limits, LinkStatus, Message, NotFiles } from '../../ground/messages.ts'
import type { Entries, Entry } from '../entries/entries.ts'
import { become } from '../entries/phases.ts'
import type { Remarks } from '../entries/remarks.ts'
import { type FileIdentity, identityKey, identityOf, inPathOrder, isOneChosenElsewhere } from '../files/fileIdentity.ts'
import { sealedMessageOf } from '../files/sentMessages.ts'
import { matchOf } from '../files/uploadMatch.ts'
import type { Requirements } from '../link/requirements.ts'
import type { StoredUpload } from '../store/guestStore.ts'
import type { LockedUploads } from '../store/lockedUploads.ts'
import type { EarlierUploads } from './earlierUploads.ts'
import type { PlannedFiles } from './plannedFiles.ts'

export interface Admission {
  add(files: readonly ChosenFile[], others?: NotFiles): Promise<void>
  /** Adds the files of the last remark each by itself, although name, size and time are known. */
  addAnyway(): Promise<void>
  /** Marks each chosen file as fitting or not, by the last answer about the link. */
  judge(): void
  /** Files of this visit use up the number of files that the last answer has left. */
  isFilled(): boolean
}

interface AdmissionOptions {
  readonly entries: Entries
  readonly uploads: LockedUploads
  readonly earlier: EarlierUploads
  readonly planned: Pick<PlannedFiles, 'named' | 'remove'>
  readonly remarks: Remarks
  readonly requirements: Pick<Requirements, 'look' | 'misfitOf'>
  readonly linkStatus: () => LinkStatus
  readonly newId: () => string
  /** The guest goes on with this upload of an earlier visit. */
  readonly onGoingOn: (state: SendState) => void
  readonly onChange: () => void
}

type Refusal = 'already_there' | 'already_landed' | 'not_taken'

export function createAdmission(options: AdmissionOptions): Admission {
  const { entries, uploads, earlier, planned, remarks, requirements, linkStatus, onChange } = options

  async function add(files: readonly ChosenFile[], others: NotFiles = {}): Promise<void> {
    await earlier.refresh()
    const goes = messagesOfGoes(entries, earlier.uploads())
    if (files.length > 0) forgetReplaced(entries, linkStatus())
    const known = new Map([...entries.all()].map((entry) => [identityKey(entry), entry]))
    const chosenElsewhere = elsewhereIn(entries, files)
    const refused: Record<Refusal, ChosenFile[]> = { already_there: [], already_landed: [], not_taken: [] }
    const empty: string[] = []
    for (const chosen of inPathOrder(files)) {
      const file = identityOf(chosen)
      const before = chosen.isNew ? undefined : known.get(identityKey(file))
      const entry =
        before === undefined ? await admit(file, chosen, chosenElsewhere) : chooseAgain(entries, before, chosen)
      if (typeof entry === 'string') refused[entry].push(chosen)
      else known.set(identityKey(file), entry)
      if (typeof entry !== 'string' && file.size === 0) empty.push(file.name)
    }
    sayRemarks(remarks, { refused, empty, others, isNothing: files.length === 0 })
    // Before and after: a slow disk must not keep the guest waiting for the list.
    judge()
    onChange()
    await requirements.look()
    judge()
    // The guest has sent these files already, with the others of their go.
    for (const { id, phase, batch } of [...entries.all()]) {
      const message = batch && goes.get(batch.id)
      if (phase === 'chosen' && batch !== undefined && message !== undefined)
        entries.change(id, become.submitted(message, batch))
    }
    onChange()
  }

  async function addAnyway(): Promise<void> {
    const files = remarks.takeFiles().map((chosen) => ({ ...chosen, isNew: true }))
    if (files.length > 0) await add(files)
  }

  async function admit(
    file: FileIdentity,
    { file: blob, isNew }: ChosenFile,
    chosenElsewhere: ReturnType<typeof elsewhereIn>,
  ): Promise<Entry | Refusal> {
    const common = { ...file, source: sourceOfBlob(blob), type: blob.type }
    const match = isNew ? undefined : matchOf(file, earlier.uploads())
    const other = isNew || match?.is === 'same' ? undefined : chosenElsewhere(file)
    if (other !== undefined) return other.phase === 'landed' ? 'already_landed' : 'already_there'
    if (match === undefined) {
      const link = linkStatus()
      if (link.is === 'refused' && !link.isRetrying) return 'not_taken'
      // Whatever its size is now: nothing of it was sent.
      const asked = isNew ? undefined : matchOf(file, planned.named(file.name))?.upload
      const entry = entries.add({
        ...common,
        id: options.newId(),
        batch: asked?.batch,
        totalBytes: usualSealedBytes(file.size),
      })
      if (asked !== undefined) planned.remove(asked.id)
      return entry
    }
    const { id, state } = match.upload
    earlier.remove(id)
    options.onGoingOn(state)
    const known = { ...common, ...storedFactsOf(match.upload), mustCompare: match.is === 'perhaps' }
    if (!(await uploads.lock(id))) {
      earlier.awaitOtherTab(id)
      return entries.add({ ...known, phase: 'failed', failure: 'other_tab' })
    }
    if (match.is === 'changed') return entries.add({ ...known, phase: 'failed', failure: 'file_changed' })
    return entries.add({ ...known, phase: 'waiting' })
  }

  const judge = () => judgeChosen(entries, linkStatus(), requirements)

  return { add, addAnyway, judge, isFilled: () => isFilled(entries, linkStatus()) }
}

/** A failed or cancelled file starts again with the bytes that were chosen now. */
function chooseAgain(entries: Entries, entry: Entry, { file }: ChosenFile): Entry | Refusal {
  const { id, phase, state } = entry
  if (phase === 'landed') return 'already_landed'
  if (phase !== 'failed' && phase !== 'cancelled') return 'already_there'
  entries.change(id, become.chosenAgain(sourceOfBlob(file), phase === 'failed' && state !== undefined))
  return entry
}

/**
 * Finds what was chosen before this choice, from another folder up or down. The files of one choice all differ: where
 * two of them could be it, at most one is, so both are added.
 */
function elsewhereIn(entries: Entries, files: readonly ChosenFile[]): (file: FileIdentity) => Entry | undefined {
  const before = byName([...entries.all()].filter(({ phase }) => phase !== 'failed' && phase !== 'cancelled'))
  const now = byName(files.map(identityOf))
  return (file) => {
    const found = before.get(file.name)?.find((entry) => isOneChosenElsewhere(entry, file))
    if (found === undefined) return undefined
    const claims = now.get(file.name)?.filter((other) => isOneChosenElsewhere(found, other)) ?? []
    return claims.length === 1 ? found : undefined
  }
}

function byName<File extends FileIdentity>(files: readonly File[]): ReadonlyMap<string, readonly File[]> {
  const named = new Map<string, File[]>()
  for (const file of files) {
    const others = named.get(file.name)
    if (others === undefined) named.set(file.name, [file])
    else others.push(file)
  }
  return named
}

function judgeChosen(entries: Entries, link: LinkStatus, requirements: Pick<Requirements, 'misfitOf'>): void {
  if (link.is !== 'open') return
  const { limits } = link
  const decide = ({ id, phase, failure }: Entry, misfit: FailureReason | undefined) => {
    const verdict = become.judged(misfit)
    if (phase !== verdict.phase || failure !== verdict.failure) entries.change(id, verdict)
  }
  const wanted: Entry[] = []
  for (const entry of [...entries.all()].filter(isUndecided)) {
    const misfit = requirements.misfitOf(entry)
    if (misfit === undefined) wanted.push(entry)
    else decide(entry, misfit)
  }
  for (const [entry, misfit] of misfitsOf(wanted, limits, usedBy(entries, limits)))
    decide(entry, misfit === 'too_many' && limits.singleUse === true ? 'only_one' : misfit)
}

interface Found {
  readonly refused: Readonly<Record<Refusal, readonly ChosenFile[]>>
  /** Names of added files without a byte that this browser can read. Some disks say so of full files. */
  readonly empty: readonly string[]
  readonly others: NotFiles
  readonly isNothing: boolean
}

function sayRemarks(remarks: Remarks, { refused, empty, others, isNothing }: Found): void {
  const { unreadable = [], emptyFolders = [] } = others
  const known = (about: Refusal) => ({ about, names: refused[about].map(({ file }) => file.name) })
  remarks.say([
    { about: 'nothing_chosen', names: isNothing && emptyFolders.length === 0 ? [''] : [] },
    known('not_taken'),
    { ...known('already_there'), files: refused.already_there },
    { ...known('already_landed'), files: refused.already_landed },
    { about: 'empty', names: empty },
    { about: 'empty_folders', names: emptyFolders },
    { about: 'not_read', names: unreadable },
  ])
}

/** By batch: what the files say that were sealed before the page was closed. */
function messagesOfGoes(entries: Entries, uploads: readonly StoredUpload[]): ReadonlyMap<string, Message> {
  const goes = new Map<string, Message>()
  const note = (state: SendState | undefined) => {
    const batch = state && batchOf(state.header)
    if (state !== undefined && batch !== undefined) goes.set(batch.id, sealedMessageOf(state))
  }
  for (const { state } of entries.all()) note(state)
  for (const { state } of uploads) note(state)
  return goes
}

function storedFactsOf({ id, state, sentBytes }: StoredUpload) {
  const [batch, message] = [batchOf(state.header), sealedMessageOf(state)]
  return { id, state, totalBytes: state.size, sentBytes, batch, message }
}

/** Through a link that takes one file, the file that is chosen now replaces the one that was chosen before. */
function forgetReplaced(entries: Entries, link: LinkStatus): void {
  if (link.is !== 'open' || link.limits.singleUse !== true) return
  for (const { id } of [...entries.all()].filter(isUndecided)) entries.remove(id)
}

function isFilled(entries: Entries, link: LinkStatus): boolean {
  if (link.is !== 'open' || link.limits.remainingFiles === undefined) return false
  return usedBy(entries, link.limits).files >= link.limits.remainingFiles
}

function usedBy(entries: Entries, { singleUse = false }: Limits): Used {
  const uncounted = [...entries.all()].filter(singleUse ? isTheOneFile : isUncounted)
  return { files: uncounted.length, bytes: uncounted.reduce((sum, { totalBytes }) => sum + totalBytes, 0) }
}

function isUndecided({ phase }: Entry): boolean {
  return phase === 'chosen' || phase === 'unfit'
}

/** Landed, or on its way: a link that takes one file does not count its open sessions. */
function isTheOneFile({ phase }: Entry): boolean {
  return !['chosen', 'unfit', 'failed', 'cancelled'].includes(phase)
}

/** The file uses up some of the link's limits, and the server's last answer does not count it. */
function isUncounted({ phase, state, isReserved }: Entry): boolean {
  if (isReserved) return true
  const willBeSent = phase === 'waiting' || phase === 'preparing' || phase === 'sending' || phase === 'paused'
  return willBeSent && state?.uploadId === undefined
}
