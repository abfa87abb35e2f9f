import type { Bytes } from '@blindkeep/protocol/bytes'
import type { AccountId } from '@blindkeep/protocol/ids'
import type { ListedDevice } from '../account/ownerDevices.ts'
import type { LinkKeysOf } from '../drops/dropKeys.ts'
import type { Environment } from '../environment.ts'
import type { Calls } from '../http/call.ts'

/** What assets need of whoever is signed in. */
export interface AssetPorts extends Calls {
  readonly accountId: AccountId
  readonly accountKey: Bytes
  readonly keysOf: LinkKeysOf
  /** All that the server lists, with which of them are the account's own. */
  readonly devices: () => Promise<readonly ListedDevice[]>
  readonly environment: Environment
}
