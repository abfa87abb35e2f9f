import { mendAddress } from '@blindkeep/protocol/mendAddress'

/**
 * Moves a fragment whose `#` a program has rewritten out of the path, before the page asks the server for anything.
 * Whether it did so, also after a reload: then servers have seen the key.
 */
export function takeBackFragment(): boolean {
  const { address, isExposed } = mendAddress(location.href)
  if (isExposed) history.replaceState({ isExposed }, '', address)
  return history.state?.isExposed === true
}
