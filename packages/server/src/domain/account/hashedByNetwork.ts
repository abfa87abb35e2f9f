import type { SecretHasher } from '../../ports/secrets.ts'
import { networkOf } from '../ground/guestNetwork.ts'

/** The same hasher, in whose queue a network has one share: one subscriber often has 65,536 sources of IPv6. */
export function hashedByNetwork(hasher: SecretHasher): SecretHasher {
  return {
    hash: (secret, source) => hasher.hash(secret, networkOf(source)),
    verify: (hash, secret, source) => hasher.verify(hash, secret, networkOf(source)),
  }
}
