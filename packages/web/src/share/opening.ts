import { baseUrlBefore } from '../common/baseUrl.ts'
import { useLoaded } from '../common/useLoaded.ts'
import type { Fault, OpenedShare } from './receiver.ts'

type Receiver = typeof import('./receiver.ts')

export type Opening =
  | { readonly stage: 'opening' }
  | { readonly stage: 'fault'; readonly fault: Fault; readonly retry: () => void }
  | { readonly stage: 'open'; readonly share: OpenedShare; readonly receiver: Receiver }

const PAGE_PATH = /\/v\/([^/]*)\/?$/

/** Loads the receiver once the page is drawn, and then opens the share of the address. */
export function useOpening(): Opening {
  const loaded = useLoaded(async (): Promise<Opening | { readonly fault: Fault }> => {
    // Browsers offer WebCrypto only on pages that cannot be changed on their way (Secure Contexts).
    if (globalThis.crypto?.subtle === undefined) return { fault: 'unsupported' }
    const receiver = await import('./receiver.ts').catch(() => undefined)
    if (receiver === undefined) return { fault: 'unreachable' }
    try {
      return { stage: 'open', share: await receiver.open(addressParts()), receiver }
    } catch (error) {
      return { fault: receiver.faultOf(error) }
    }
  })
  const { value } = loaded
  if (value === undefined || loaded.isLoading) return { stage: 'opening' }
  return 'fault' in value ? { stage: 'fault', fault: value.fault, retry: loaded.reload } : value
}

function addressParts() {
  const [, opaqueId = ''] = PAGE_PATH.exec(location.pathname) ?? []
  return { baseUrl: baseUrlBefore(location, PAGE_PATH), opaqueId, fragment: location.hash }
}
