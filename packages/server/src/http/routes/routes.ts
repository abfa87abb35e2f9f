import type { Rules } from '../../domain/rules.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Store } from '../../ports/store.ts'
import type { Routes } from '../call.ts'
import { withinBudget } from '../leaving.ts'
import { accountRoutes } from './accounts.ts'
import { albumRoutes } from './albums.ts'
import { assetRoutes } from './assets.ts'
import { binRoutes } from './bin.ts'
import { capabilityRoutes } from './capabilities.ts'
import { channelRoutes } from './channels.ts'
import { deviceRoutes } from './devices.ts'
import { type DiscoverySettings, discoveryRoutes } from './discovery.ts'
import { type GuestSettings, guestRoutes } from './guest.ts'
import { inboxRoutes } from './inbox.ts'
import { linkRoutes } from './links.ts'
import { ownAccountRoutes } from './ownAccount.ts'
import { passkeyRoutes } from './passkeys.ts'
import { quotaRoutes } from './quota.ts'
import { recoveryRoutes } from './recovery.ts'
import { secondFactorRoutes } from './secondFactor.ts'
import { type ServicePorts, type ServiceSettings, serviceRoutes } from './service.ts'
import { sessionRoutes } from './sessions.ts'
import { shareRoutes } from './shares.ts'
import { syncRoutes } from './sync.ts'
import { uploadRoutes } from './uploads.ts'
import { verifyRoutes } from './verify.ts'

interface RoutePorts extends ServicePorts {
  readonly rules: Rules
  readonly store: Store
  readonly clock: Clock
}

/** One route for each row of the table of operations. */
export function createRoutes(ports: RoutePorts, settings: GuestSettings & ServiceSettings & DiscoverySettings): Routes {
  const { rules, store, clock } = ports
  const routes: Routes = {
    ...serviceRoutes(ports, settings),
    ...discoveryRoutes(rules, settings),
    ...accountRoutes(rules),
    ...secondFactorRoutes(rules),
    ...recoveryRoutes(rules),
    ...sessionRoutes(rules),
    ...ownAccountRoutes(rules),
    ...passkeyRoutes(rules),
    ...channelRoutes(rules),
    ...deviceRoutes(rules),
    ...albumRoutes(rules),
    ...capabilityRoutes(rules),
    ...uploadRoutes({ ...rules, store }, settings),
    ...assetRoutes(rules),
    ...verifyRoutes(rules),
    ...syncRoutes(rules),
    ...quotaRoutes({ ...rules, clock }),
    ...linkRoutes(rules),
    ...inboxRoutes(rules),
    ...binRoutes(rules),
    ...shareRoutes(rules),
    ...guestRoutes({ ...rules, store }, settings),
  }
  return withinBudget(routes, rules.rowBudget)
}
