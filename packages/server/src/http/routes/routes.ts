import type { Rules } from '../domain/rules.ts'
import type { Clock } from '../ports/clock.ts'
import type { Store } from '../ports/store.ts'
import type { Routes } from './call.ts'
import { withinBudget } from './leaving.ts'
import { accountRoutes } from './routes/accounts.ts'
import { albumRoutes } from './routes/albums.ts'
import { assetRoutes } from './routes/assets.ts'
import { binRoutes } from './routes/bin.ts'
import { capabilityRoutes } from './routes/capabilities.ts'
import { channelRoutes } from './routes/channels.ts'
import { deviceRoutes } from './routes/devices.ts'
import { type DiscoverySettings, discoveryRoutes } from './routes/discovery.ts'
import { type GuestSettings, guestRoutes } from './routes/guest.ts'
import { inboxRoutes } from './routes/inbox.ts'
import { linkRoutes } from './routes/links.ts'
import { ownAccountRoutes } from './routes/ownAccount.ts'
import { passkeyRoutes } from './routes/passkeys.ts'
import { quotaRoutes } from './routes/quota.ts'
import { recoveryRoutes } from './routes/recovery.ts'
import { secondFactorRoutes } from './routes/secondFactor.ts'
import { type ServicePorts, type ServiceSettings, serviceRoutes } from './routes/service.ts'
import { sessionRoutes } from './routes/sessions.ts'
import { shareRoutes } from './routes/shares.ts'
import { syncRoutes } from './routes/sync.ts'
import { uploadRoutes } from './routes/uploads.ts'
import { verifyRoutes } from './routes/verify.ts'

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
