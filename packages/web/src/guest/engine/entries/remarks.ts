/** What the page has to say about the last chosen files, beside adding them. */
import type { ChosenFile, Remark } from '../../ground/messages.ts'
import { shortened } from './snapshot.ts'

export interface Said {
  readonly about: Remark['about']
  readonly names: readonly string[]
  /** Those that the guest may add all the same. */
  readonly files?: readonly ChosenFile[]
}

export interface Remarks {
  /** Replaces what was said about an earlier choice, unless no name is given. */
  say(said: readonly Said[]): void
  now(): readonly Remark[]
  /** The files that the guest may add all the same. Forgets the remarks. */
  takeFiles(): readonly ChosenFile[]
}

export function createRemarks(): Remarks {
  let remarks: readonly Remark[] = []
  let serial = 0
  let held: readonly ChosenFile[] = []
  return {
    say(said) {
      const named = said.flatMap(({ about, names: [name, ...others] }) =>
        name === undefined ? [] : [{ serial: ++serial, about, count: others.length + 1, name: shortened(name) }],
      )
      if (named.length === 0) return
      remarks = named
      held = said.flatMap(({ files = [] }) => files)
    },
    now: () => remarks,
    takeFiles() {
      const files = held
      remarks = []
      held = []
      return files
    },
  }
}
