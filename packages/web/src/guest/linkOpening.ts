/** Asks the server about the link, as often as it takes. */
import type { Environment } from '@blindkeep/client/environment'
import { type LinkParts, openLink, type UploadLink } from '@blindkeep/client/guest'
import { linkFaultOf, mayPass } from './failures.ts'
import type { LinkStanding } from './messages.ts'

const PAUSE_MS = { first: 1_000, max: 60_000 }
/** A day of asking each minute: whoever comes back to the page by then is asked about at once. */
const MAX_ASKS = 1_440

export interface LinkOpening {
  standing(): LinkStanding
  /** The link once it has been opened, whatever the last answer was. */
  opened(): UploadLink | undefined
  /** Resolves when the server has answered, or when nothing but waiting helps. */
  ask(): Promise<void>
}

interface LinkOpeningOptions {
  readonly parts: LinkParts
  readonly environment: Environment
  readonly onChange: () => void
}

export function createLinkOpening({ parts, environment, onChange }: LinkOpeningOptions): LinkOpening {
  let standing: LinkStanding = { is: 'asking' }
  let opened: UploadLink | undefined
  let asking: Promise<void> | undefined
  let asks = 0
  let willAsk = false
  const become = (next: LinkStanding) => {
    standing = next
    onChange()
  }

  async function askOnce(): Promise<void> {
    try {
      opened = await openLink(parts, environment)
      asks = 0
      become({ is: 'open', limits: opened.limits })
    } catch (error) {
      const fault = linkFaultOf(error)
      // A link that was open is not taken for shut because the line is down.
      if (mayPass(fault) && standing.is === 'open') return
      const isRetrying = mayPass(fault) && asks < MAX_ASKS
      become({ is: 'refused', fault, isRetrying })
      if (isRetrying && !willAsk) void askLater()
    }
  }

  async function askLater(): Promise<void> {
    asks++
    willAsk = true
    await environment.wait(Math.min(PAUSE_MS.max, PAUSE_MS.first * 2 ** (asks - 1)))
    willAsk = false
    if (standing.is === 'refused' && standing.isRetrying) await ask()
  }

  function ask(): Promise<void> {
    asking ??= askOnce().finally(() => {
      asking = undefined
    })
    return asking
  }

  return { standing: () => standing, opened: () => opened, ask }
}
