import { withCachedProofs } from '@blindkeep/client/environment'
import { nodeEnvironment } from '@blindkeep/client/node'

/** For all files of a call: they need one proof of the link's passphrase. */
export const environment = withCachedProofs(nodeEnvironment)
