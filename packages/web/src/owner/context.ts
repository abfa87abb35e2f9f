/** Available to every page of a signed-in owner. */
import type { LiveEvent, Owner } from '@blindkeep/client/owner'
import { createContext } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'

/** SECRET. Not confirmed as saved: the server never gives it again, so it outlasts its page. */
export interface UnsavedSecrets {
  readonly backupCodes?: readonly string[] | undefined
  readonly webhookSecret?: string | undefined
}

export interface OwnerPages {
  readonly owner: Owner
  /** The server's URL, without a slash at the end. */
  readonly baseUrl: string
  readonly unsaved: UnsavedSecrets
  onUnsaved(change: UnsavedSecrets): void
  /** Calls back for every change on the server, until the returned function is called. */
  onLive(listener: (event: LiveEvent) => void): () => void
  /** Shows a short message, also to screen readers. */
  showMessage(message: {
    readonly tone: 'good' | 'bad' | 'info'
    readonly text: string
    /** Leads to the result. */
    readonly link?: { readonly href: string; readonly text: string } | undefined
  }): void
}

export const OwnerPagesContext = createContext<OwnerPages | undefined>(undefined)

export function useOwnerPages(): OwnerPages {
  const pages = useContext(OwnerPagesContext)
  if (pages === undefined) throw new Error('useOwnerPages needs an OwnerPagesContext above it')
  return pages
}

/** Calls back whenever the server reports one of these changes, or reports missed changes. */
export function useLive(names: readonly LiveEvent['name'][], onChange: () => void): void {
  const { onLive } = useOwnerPages()
  const latest = useRef({ names, onChange })
  latest.current = { names, onChange }
  useEffect(
    () =>
      onLive((event) => {
        if (event.name === 'reset' || latest.current.names.includes(event.name)) latest.current.onChange()
      }),
    [onLive],
  )
}
