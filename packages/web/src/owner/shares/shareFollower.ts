/**
 * Brings shares that follow an album up to date while its owner's pages are open: after changes, once for many, and
 * when a page about shares or an album opens, because the client that changed the album may have been stopped.
 */
import type { RefreshedShares } from '@blindkeep/client/owner'

/** Without another change for so long, the change is over. */
const QUIET_MS = 3_000
/** During an upload of many files a share follows this often. Each time its whole index is sent. */
const MAX_WAIT_MS = 60_000

/** Each look lists all shares: after one that found none that follows, changes cause no other for so long. */
const NONE_MS = 600_000

export interface ShareFollower {
  /** An album has changed, here or elsewhere. */
  changed(): void
  /** Compares now. Rejects with what `refreshShares` throws. */
  look(): Promise<RefreshedShares>
  stop(): void
}

interface FollowerPorts {
  readonly refresh: () => Promise<RefreshedShares>
  readonly now: () => number
  /** Calls back after so long, unless the returned function is called first. */
  readonly later: (ms: number, run: () => void) => () => void
}

export function createShareFollower({ refresh, now, later }: FollowerPorts): ShareFollower {
  let cancel = () => {}
  let firstAt: number | undefined
  let restsUntil = 0
  let isStopped = false
  let running: Promise<unknown> = Promise.resolve()

  function look(): Promise<RefreshedShares> {
    const looked = running.then(refresh)
    running = looked.then(
      ({ following }) => {
        restsUntil = following > 0 ? 0 : now() + NONE_MS
      },
      () => undefined,
    )
    return looked
  }

  return {
    look,
    changed() {
      if (isStopped || now() < restsUntil) return
      firstAt ??= now()
      cancel()
      cancel = later(Math.max(0, Math.min(QUIET_MS, firstAt + MAX_WAIT_MS - now())), () => {
        firstAt = undefined
        // It is tried again with the next change, and when a page opens.
        look().catch(() => undefined)
      })
    },
    stop() {
      isStopped = true
      cancel()
    },
  }
}
