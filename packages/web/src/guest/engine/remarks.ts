/** The last thing that the page has to say about chosen files that it did not simply add. */
import type { ChosenFile, Remark } from '../messages.ts'
import { shortened } from './snapshot.ts'

export interface Remarks {
  /** `files`: those that the guest may add all the same. Does nothing without a name. */
  say(about: Remark['about'], names: readonly string[], files?: readonly ChosenFile[]): void
  now(): Remark | undefined
  /** The files of the last remark that the guest may add all the same. Forgets the remark. */
  takeFiles(): readonly ChosenFile[]
}

export function createRemarks(): Remarks {
  let remark: Remark | undefined
  let serial = 0
  let held: readonly ChosenFile[] = []
  return {
    say(about, names, files = []) {
      const [name] = names
      if (name === undefined) return
      remark = { serial: ++serial, about, count: names.length, name: shortened(name) }
      held = files
    },
    now: () => remark,
    takeFiles() {
      const files = held
      remark = undefined
      held = []
      return files
    },
  }
}
