/** Drops that failed: when each may be tried again, and what the person has read about it. */
import type { DropId } from '@blindkeep/protocol/ids'

const BACKOFF_MS = { first: 1000, max: 300_000 }

export interface Trouble {
  /** Each gets one line for a drop. */
  readonly reason: string
  /** Not tried again by this process. */
  readonly isFinal: boolean
}

export interface Troubles {
  isDue(dropId: DropId): boolean
  /** Whether the reason is a new one for this drop. `onDue` is called when it may be tried again. */
  note(dropId: DropId, trouble: Trouble, onDue: () => void): boolean
  /** The drop has been dealt with, or has left the inbox. */
  end(dropId: DropId): void
  endOthers(dropIds: ReadonlySet<string>): void
}

interface Noted {
  readonly reasons: Set<string>
  tries: number
  isDue: boolean
  timer: NodeJS.Timeout | undefined
}

export function createTroubles(): Troubles {
  const noted = new Map<DropId, Noted>()
  function end(dropId: DropId): void {
    clearTimeout(noted.get(dropId)?.timer)
    noted.delete(dropId)
  }
  return {
    isDue: (dropId) => noted.get(dropId)?.isDue ?? true,
    note(dropId, { reason, isFinal }, onDue) {
      const trouble = noted.get(dropId) ?? { reasons: new Set(), tries: 0, isDue: false, timer: undefined }
      noted.set(dropId, trouble)
      const isNew = !trouble.reasons.has(reason)
      trouble.reasons.add(reason)
      trouble.isDue = false
      clearTimeout(trouble.timer)
      if (isFinal) return isNew
      const backoffMs = Math.min(BACKOFF_MS.max, BACKOFF_MS.first * 2 ** Math.min(trouble.tries, 20))
      trouble.tries += 1
      // Unreferenced: it keeps no process from its end.
      trouble.timer = setTimeout(() => {
        trouble.isDue = true
        onDue()
      }, backoffMs).unref()
      return isNew
    },
    end,
    endOthers(dropIds) {
      for (const dropId of noted.keys()) if (!dropIds.has(dropId)) end(dropId)
    },
  }
}
