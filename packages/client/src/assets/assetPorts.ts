import type { Bytes } from '@blindkeep/protocol/bytes'
import type { AccountId } from '@blindkeep/protocol/ids'
import type { ListedDevice } from '../account/ownerDevices.ts'
import type { LinkKeysOf } from '../drops/dropKeys.ts'
import type { Environment } from '../ground/environment.ts'
import type { Calls } from '../http/call.ts'
import type { KnownPrefixes } from './knownPrefixes.ts'

/** What the modules about assets need from the signed-in owner. */
export interface AssetPorts extends Calls {
  readonly accountId: AccountId
  readonly accountKey: Bytes
  readonly keysOf: LinkKeysOf
  /** All listed devices, with a flag for the account's own. */
  readonly devices: () => Promise<readonly ListedDevice[]>
  readonly environment: Environment
  readonly prefixes: KnownPrefixes
}
