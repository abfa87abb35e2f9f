/** The guest's commands for one file. */
import { SourceChanged } from '@blindkeep/client/source'
import type { EngineParts } from './engineParts.ts'
import { resumeEntry } from './entries/phases.ts'

export interface FileCommands {
  pause(id: string): void
  resume(id: string): void
  /** Resumes, restarts, or sends the changed file as a new one, as its failure allows. */
  retry(id: string): Promise<void>
  cancel(id: string): Promise<void>
  remove(id: string): Promise<void>
  /** Gives up a file of an earlier visit. */
  discard(id: string): Promise<void>
  fetchReceipt(id: string): void
}

export function createFileCommands(parts: EngineParts): FileCommands {
  const { entries, uploads, link, admission, earlier, planned, receipts, visit } = parts

  async function retry(id: string): Promise<void> {
    const entry = entries.get(id)
    if (entry?.failure === 'file_changed') return uploads.sendAsNewFile(id)
    resumeEntry(entries, entry)
    // The link may have room again.
    if (entry?.failure === 'link_full') await link.ask()
    uploads.pump()
  }

  async function remove(id: string): Promise<void> {
    const { phase, failure } = entries.get(id) ?? {}
    if (phase === 'landed') return
    if (failure === 'other_tab') {
      // The other tab still sends it.
      entries.remove(id)
      return earlier.refresh()
    }
    const isBegun = phase !== 'cancelled' && phase !== 'chosen' && phase !== 'unfit'
    if (!isBegun || (await uploads.cancel(id)) === 'done') entries.remove(id)
    admission.judge()
  }

  /** When the server has all of the file, it lands without its bytes being read. */
  async function discard(id: string): Promise<void> {
    const stored = await earlier.lockAndRemove(id)
    planned.remove(id)
    if (stored === undefined) return
    const gone = () => Promise.reject(new SourceChanged())
    const source = { size: stored.size, read: gone, requireEnd: gone }
    entries.add({ ...stored, source, totalBytes: stored.state.size, phase: 'paused' })
    if ((await uploads.cancel(id)) === 'done') entries.remove(id)
  }

  return {
    pause: uploads.pause,
    resume(id) {
      visit.isPaused = false
      resumeEntry(entries, entries.get(id))
      uploads.pump()
    },
    retry,
    async cancel(id) {
      await uploads.cancel(id)
    },
    remove,
    discard,
    fetchReceipt(id) {
      const file = entries.get(id)?.landed
      if (file !== undefined) receipts.fetch(id, file.custody)
    },
  }
}
