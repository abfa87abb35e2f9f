import { type Calls, createCalls, type ServerAddress } from '@blindkeep/client/call'
import { isLocalPage, pageFetch } from '../../common/address/localPage.ts'

/** Where a page asks the server of this URL: there, or through the program that shows the page. */
export function pageAddress(serverUrl: string): ServerAddress {
  return isLocalPage ? { baseUrl: location.origin, serverUrl } : { baseUrl: serverUrl }
}

/** Calls without a session. */
export function pageCalls(serverUrl: string): Calls {
  return createCalls({ ...pageAddress(serverUrl), fetch: pageFetch })
}
