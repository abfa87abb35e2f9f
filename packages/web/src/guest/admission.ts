/** What happens to a file when it is chosen: whether it is there already, goes on with what an earlier visit began, has room, or is not taken. */
import { usualSealedBytes } from '@blindkeep/client/sizes'
import { sourceOfBlob } from '@blindkeep/client/source'
import type { Earlier } from './earlier.ts'
import type { Entries, Entry, FileIdentity } from './entries.ts'
import { fitting } from './fit.ts'
import type { ChosenFile, LinkStanding, Remark } from './messages.ts'
import { identityOf, matchOf } from './resume.ts'
import { shown } from './snapshot.ts'

export interface Admission {
  /** `unread`: names of what was chosen with them and could not be read. */
  add(files: readonly ChosenFile[], unread: readonly string[]): Promise<void>
  /** Says of each chosen file whether it fits, by the last answer about the link. */
  judge(): void
  remark(): Remark | undefined
}

interface AdmissionOptions {
  readonly entries: Entries
  readonly earlier: Earlier
  readonly standing: () => LinkStanding
  readonly newId: () => string
  /** Whether this tab may now go on with it. */
  readonly takeOver: (id: string) => Promise<boolean>
  readonly onChange: () => void
}

export function createAdmission(options: AdmissionOptions): Admission {
  const { entries, earlier, standing, onChange } = options
  let remark: Remark | undefined

  function say(about: Remark['about'], names: readonly string[]): void {
    const [name] = names
    if (name === undefined) return
    remark = { serial: (remark?.serial ?? 0) + 1, about, count: names.length, name: shown(name) }
  }

  async function add(files: readonly ChosenFile[], unread: readonly string[]): Promise<void> {
    if (files.length === 0) say('nothing_chosen', [''])
    await earlier.refresh()
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
    const match = isFromCamera ? undefined : matchOf(file, earlier.uploads())
    if (match === undefined) {
      const link = standing()
      if (link.is === 'refused' && !link.isRetrying) return 'not_taken'
      return entries.add({ ...common, id: options.newId(), of: usualSealedBytes(file.size) })
    }
    const { id, state, reached } = match.upload
    earlier.leave(id)
    const known = { ...common, id, state, of: state.size, sent: reached, mustCompare: match.is === 'perhaps' }
    if (!(await options.takeOver(id))) {
      earlier.awaitOtherTab(id)
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

  return { add, judge, remark: () => remark }
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
