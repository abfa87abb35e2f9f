/** Available to every page of a signed-in owner. */
import type { LiveEvent, Owner } from '@blindkeep/client/owner'
import type { NewRecoveryWords } from '@blindkeep/client/recovery'
import type { Site } from '@blindkeep/client/site'
import { createContext } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'
import { createRefresher } from '../../common/work/refresher.ts'

/** SECRET. Not confirmed as saved: the server never gives it again, so it outlasts its page. */
export interface UnsavedSecrets {
  readonly backupCodes?: readonly string[] | undefined
  readonly webhookSecret?: string | undefined
  readonly recoveryWords?: NewRecoveryWords | undefined
}

export interface OwnerPages {
  readonly owner: Owner
  /** The server's URL, without a slash at the end. */
  readonly baseUrl: string
  readonly unsaved: UnsavedSecrets
  onUnsaved(change: UnsavedSecrets): void
  /** After a change of the account that a notice above the pages depends on. */
  reloadAccount(): void
  /** Calls back for every change on the server, until the returned function is called. */
  onLive(listener: (event: LiveEvent) => void): () => void
  /** Shows a short message, also to screen readers. */
  showMessage(message: {
    readonly tone: 'good' | 'bad' | 'info'
    readonly text: string
    /** Leads to the result. Following it ends the message, unless it is about a failure. */
    readonly link?: { readonly href: string; readonly text: string } | undefined
    /** A button. Pressing it ends the message. */
    readonly action?: { readonly text: string; readonly run: () => void } | undefined
  }): void
}

export const OwnerPagesContext = createContext<OwnerPages | undefined>(undefined)

/** What the operator of the server says about itself, for visitors. */
export const SiteContext = createContext<Site | undefined>(undefined)

export function useOwnerPages(): OwnerPages {
  const pages = useContext(OwnerPagesContext)
  if (pages === undefined) throw new Error('useOwnerPages needs an OwnerPagesContext above it')
  return pages
}

/**
 * Calls back after the server has reported some of these changes, or missed changes: at once, and then once for all of
 * a short time, so that a server cannot make a page ask without end.
 */
export function useLive(names: readonly LiveEvent['name'][], onChange: () => void): void {
  const { onLive } = useOwnerPages()
  const latest = useRef({ names, onChange })
  latest.current = { names, onChange }
  useEffect(() => {
    const refresher = createRefresher(async () => latest.current.onChange())
    const leave = onLive((event) => {
      if (event.name === 'reset' || latest.current.names.includes(event.name)) refresher.ask()
    })
    return () => {
      leave()
      refresher.stop()
    }
  }, [onLive])
}
