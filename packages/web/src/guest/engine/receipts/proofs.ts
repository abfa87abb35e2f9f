/** Proofs that the guest asks for: made in memory, shown as their readers will read them, saved or dropped. */
import type { Environment } from '@blindkeep/client/environment'
import type { CheckedProof } from '@blindkeep/client/fileProof'
import type { ProofStatus, ProofWords } from '../../ground/messages.ts'
import type { Entries, Entry } from '../entries/entries.ts'
import { isProvable, shortened } from '../entries/snapshot.ts'
import { proofDocument, type ReceiptDocument } from './receiptDocument.ts'
import type { Receipts } from './receipts.ts'
import type { SentFiles } from './sentFiles.ts'

/** Names that are listed of one message. */
const MAX_LISTED = 20

export interface Proofs {
  status(): ProofStatus | undefined
  /** Of one file, or of all that landed in this visit. Resolves when each is checked with its file. */
  make(id?: string): Promise<void>
  /** What was made, to be saved; forgets it. */
  take(): ReceiptDocument | undefined
  drop(): void
  /** No further proof can be made about what has landed so far. */
  forget(): void
}

interface ProofsOptions {
  readonly serverUrl: string
  readonly entries: Entries
  readonly sent: SentFiles
  readonly receipts: Pick<Receipts, 'pins'>
  readonly environment: Environment
  readonly onChange: () => void
}

type Made = CheckedProof & Pick<Entry, 'id'>

export function createProofs({ serverUrl, entries, sent, receipts, environment, onChange }: ProofsOptions): Proofs {
  let status: ProofStatus | undefined
  let made: readonly Made[] = []
  let running: AbortController | undefined
  const become = (next: ProofStatus | undefined) => {
    status = next
    onChange()
  }

  function drop(): void {
    running?.abort()
    running = undefined
    made = []
    become(undefined)
  }

  async function make(id?: string): Promise<void> {
    drop()
    running = new AbortController()
    const { signal } = running
    const wanted = [...entries.all()].filter((entry) => isProvable(entry) && (id === undefined || entry.id === id))
    const totalBytes = wanted.reduce((sum, entry) => sum + entry.totalBytes, 0)
    become({ is: 'checking', doneBytes: 0, totalBytes })
    const found: Made[] = []
    const changed: string[] = []
    try {
      const { makeProof } = await import('./makeProof.ts')
      const pins = await receipts.pins(serverUrl)
      let before = 0
      for (const entry of wanted) {
        const [file, receipt] = [sent.get(entry.id), entry.landed?.receipt]
        if (file === undefined || receipt === undefined || pins === undefined) continue
        const onProgress = (bytes: number) => {
          // A segment is still sealed after the guest has dropped them.
          if (!signal.aborted) become({ is: 'checking', doneBytes: before + bytes, totalBytes })
        }
        const proof = await makeProof({ ...file, receipt, pins, environment, signal, onProgress })
        if (proof === undefined) changed.push(shortened(entry.name))
        else found.push({ ...proof, id: entry.id })
        before += entry.totalBytes
      }
      signal.throwIfAborted()
      made = found
      become({ is: 'made', words: wordsOf(found), changed: changed.slice(0, MAX_LISTED), changedFiles: changed.length })
    } catch {
      // Its code could not be loaded, or the check failed for another reason than the file. The rest of the page works.
      if (!signal.aborted) become({ is: 'failed' })
    }
  }

  return {
    status: () => status,
    make,
    take() {
      const document = proofDocument(made.map(({ proof }) => proof))
      if (document !== undefined) for (const { id } of made) entries.change(id, { proofFile: document.name })
      drop()
      return document
    },
    drop,
    forget() {
      drop()
      sent.forget()
    },
  }
}

/** Files that were sent with the same words in one go are listed together. */
function wordsOf(made: readonly Made[]): readonly ProofWords[] {
  const groups = new Map<string, Made[]>()
  for (const proof of made) {
    const { sender, note, fields, batch } = proof.described
    const key = JSON.stringify([sender, note, fields, batch?.id])
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [proof])
    else group.push(proof)
  }
  return [...groups.values()].flatMap((group) => {
    const [first] = group
    if (first === undefined) return []
    const { sender, note, fields: answers = [], batch } = first.described
    const listed = group.slice(0, MAX_LISTED).map(({ described }) => described)
    const files = listed.map(({ name = '', size, modifiedAt }) => ({ name, size, modifiedAt }))
    return [{ sender, note, answers, goFiles: batch?.count, files, moreFiles: group.length - files.length }]
  })
}
