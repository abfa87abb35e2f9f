/**
 * What a proof about a file needs, of the files that have landed in this visit: the key, and the file itself. In memory
 * alone: a person who opens the browser later opens nothing of what has landed (SECURITY.md).
 */
import type { SendState } from '@blindkeep/client/guest'
import type { Source } from '@blindkeep/client/source'

/** As many proofs as one saved file may have. Each has about 2 KB, and its note. */
const MAX_FILES = 10_000

export interface SentFile {
  /** SECRET: it opens the file. Without its tags, and without the proof of the link's passphrase. */
  readonly state: SendState
  readonly source: Source
}

export interface SentFiles {
  /** Answers whether there was a place for it. */
  keep(id: string, file: SentFile): boolean
  get(id: string): SentFile | undefined
  forget(): void
}

export function createSentFiles(): SentFiles {
  const files = new Map<string, SentFile>()
  return {
    keep(id, { state: { passphraseProof: _, ...state }, source }) {
      if (files.size >= MAX_FILES) return false
      files.set(id, { state: { ...state, tags: '' }, source })
      return true
    },
    get: (id) => files.get(id),
    forget: () => files.clear(),
  }
}
