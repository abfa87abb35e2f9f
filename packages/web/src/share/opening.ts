import type { ShareParts } from '@blindkeep/client/share'
import { useRef } from 'preact/hooks'
import { baseUrlBefore } from '../common/address/baseUrl.ts'
import { useLoaded } from '../common/work/useLoaded.ts'
import type { Fault, OpenedShare, PassphraseReason } from './receiver.ts'

type Receiver = typeof import('./receiver.ts')

export type Opening =
  | { readonly stage: 'opening' }
  | { readonly stage: 'fault'; readonly fault: Fault; readonly retry: () => void }
  | {
      readonly stage: 'asking'
      readonly asked: PassphraseReason
      /** A passphrase was given, and it takes a second. */
      readonly isChecking: boolean
      readonly give: (passphrase: string) => void
    }
  | { readonly stage: 'open'; readonly share: OpenedShare; readonly receiver: Receiver }

type Answer =
  | { readonly fault: Fault }
  | { readonly asked: PassphraseReason }
  | { readonly share: OpenedShare; readonly receiver: Receiver }

const PAGE_PATH = /\/v\/([^/]*)\/?$/

/** Loads the receiver once the page is drawn, and then opens the share of the address. */
export function useOpening(parts: ShareParts): Opening {
  /** The passphrase, until the share opens or it was wrong. Kept nowhere else: a reload asks again. */
  const given = useRef<string | undefined>(undefined)
  const { value, isLoading, reload } = useLoaded(async (): Promise<Answer> => {
    // Browsers offer WebCrypto only on pages that cannot be changed on their way (Secure Contexts).
    if (globalThis.crypto?.subtle === undefined) return { fault: 'unsupported' }
    const receiver = await import('./receiver.ts').catch(() => undefined)
    if (receiver === undefined) return { fault: 'unreachable' }
    try {
      const opened = await receiver.open(parts, given.current)
      given.current = undefined
      return typeof opened === 'string' ? { asked: opened } : { share: opened, receiver }
    } catch (error) {
      return { fault: receiver.faultOf(error) }
    }
  })
  const give = (passphrase: string) => {
    given.current = passphrase
    reload()
  }
  if (value !== undefined && 'asked' in value)
    return { stage: 'asking', asked: value.asked, isChecking: isLoading, give }
  if (value === undefined || isLoading) return { stage: 'opening' }
  return 'fault' in value ? { stage: 'fault', fault: value.fault, retry: reload } : { stage: 'open', ...value }
}

/** Of a page at the address of its share. */
export function addressParts(): ShareParts {
  const [, opaqueId = ''] = PAGE_PATH.exec(location.pathname) ?? []
  return { baseUrl: baseUrlBefore(location, PAGE_PATH), opaqueId, fragment: location.hash }
}
