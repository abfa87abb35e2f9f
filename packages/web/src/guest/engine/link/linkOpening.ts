/** Asks the server about the link, again and again until it answers. */
import type { Environment } from '@blindkeep/client/environment'
import { AddressError } from '@blindkeep/client/errors'
import { type LinkParts, openLink, type UploadLink } from '@blindkeep/client/guest'
import { parseInstant } from '@blindkeep/protocol/ids'
import type { LinkStatus } from '../../ground/messages.ts'
import { isTemporary, linkFaultOf } from '../entries/failures.ts'

const PAUSE_MS = { first: 1_000, max: 60_000 }
/** `late`: for small differences between two clocks. `maxWait`: browsers count no longer wait than 24 days. */
const EXPIRY_MS = { late: 2_000, maxWait: 86_400_000 }
/** A day of asking once a minute. After that, the page says that it asks no more, until the guest tells it to. */
const MAX_ASKS = 1_440

export interface LinkOpening {
  status(): LinkStatus
  /** The link once it has been opened, whatever the last answer was. */
  opened(): UploadLink | undefined
  /** Resolves when the server has answered or could not be reached. Later tries follow by themselves. */
  ask(): Promise<void>
}

interface LinkOpeningOptions {
  readonly parts: LinkParts
  readonly environment: Environment
  readonly onChange: () => void
}

export function createLinkOpening({ parts, environment, onChange }: LinkOpeningOptions): LinkOpening {
  let status: LinkStatus = { is: 'asking' }
  let opened: UploadLink | undefined
  let asking: Promise<void> | undefined
  let asks = 0
  let willAsk = false
  let isWatching = false
  const become = (next: LinkStatus) => {
    status = next
    onChange()
  }

  async function askOnce(): Promise<void> {
    try {
      opened = await openLink(parts, environment)
      asks = 0
      const { limits, title, message, from, questions, fileKinds } = opened
      become({ is: 'open', limits, words: { title, message, from, questions, fileKinds } })
      void askAtExpiry()
    } catch (error) {
      const fault = linkFaultOf(error)
      // An open link stays open while the connection is lost.
      if (isTemporary(fault) && status.is === 'open') return
      const isRetrying = isTemporary(fault) && asks < MAX_ASKS
      const expiredAt = fault === 'closed' && msLeft() <= 0 ? opened?.limits.expiresAt : undefined
      become({
        is: 'refused',
        fault: isTemporary(fault) && !isRetrying ? 'given_up' : fault,
        isRetrying,
        expiredAt,
        ...(error instanceof AddressError && { found: error.found }),
      })
      if (!isRetrying) asks = 0
      if (isRetrying && !willAsk) void askLater()
    }
  }

  async function askLater(): Promise<void> {
    asks++
    willAsk = true
    await environment.wait(Math.min(PAUSE_MS.max, PAUSE_MS.first * 2 ** (asks - 1)))
    willAsk = false
    if (status.is === 'refused' && status.isRetrying) await ask()
  }

  /** Until the link expires, by the server's clock. */
  function msLeft(): number {
    const { expiresAt } = opened?.limits ?? {}
    const end = expiresAt === undefined ? undefined : parseInstant(expiresAt)
    return end === undefined ? Number.POSITIVE_INFINITY : end - Number(opened?.now())
  }

  /** The server says whether the link has expired: it has the exact clock, and the owner may have changed the end. */
  async function askAtExpiry(): Promise<void> {
    if (isWatching) return
    isWatching = true
    while (status.is === 'open' && msLeft() !== Number.POSITIVE_INFINITY) {
      const leftMs = msLeft() + EXPIRY_MS.late
      await environment.wait(Math.min(EXPIRY_MS.maxWait, leftMs > 0 ? leftMs : PAUSE_MS.max))
      if (msLeft() <= 0) await ask()
    }
    isWatching = false
  }

  function ask(): Promise<void> {
    asking ??= askOnce().finally(() => {
      asking = undefined
    })
    return asking
  }

  return { status: () => status, opened: () => opened, ask }
}
