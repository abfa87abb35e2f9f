/** What every page of the owner's has at hand once somebody is signed in. */
import type { LiveEvent, Owner } from '@blindkeep/client/owner'
import { createContext } from 'preact'
import { useContext, useEffect, useRef } from 'preact/hooks'
import type { Language } from '../common/language.ts'

export interface OwnerPages {
  readonly owner: Owner
  /** Of the server, without a slash at the end. */
  readonly baseUrl: string
  readonly language: Language
  /** Calls back for everything that changes on the server, until the returned function is called. */
  onLive(listener: (event: LiveEvent) => void): () => void
  /** Says in passing what has been done, or why it was not; also to screen readers. */
  tell(message: {
    readonly tone: 'good' | 'bad' | 'info'
    readonly text: string
    /** Where it can be looked at. */
    readonly link?: { readonly href: string; readonly text: string } | undefined
  }): void
}

export const OwnerPagesContext = createContext<OwnerPages | undefined>(undefined)

export function useOwnerPages(): OwnerPages {
  const pages = useContext(OwnerPagesContext)
  if (pages === undefined) throw new Error('a page of the owner’s stands outside of the signed-in part')
  return pages
}

/** Calls back whenever the server tells of one of these changes, or that some were missed. */
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
