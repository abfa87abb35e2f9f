/** The figures of the server, by the library `prom-client`. It is loaded only where figures are wanted. */
import { collectDefaultMetrics } from 'prom-client'
import type { Keyring } from '../../ports/keyring.ts'
import type { Log } from '../../ports/log.ts'
import type { Metrics, RequestWatch } from '../../ports/metrics.ts'
import type { Node } from '../../ports/node.ts'
import type { Objects } from '../../ports/objects.ts'
import type { Staging } from '../../ports/staging.ts'
import type { Store } from '../../ports/store.ts'
import { meterBytes } from './bytes.ts'
import { type Condition, declareCondition } from './condition.ts'
import { createFigures, type Labels } from './figures.ts'
import { watchRequests } from './requests.ts'
import { meterStore } from './store.ts'
import { meterKeyring, meterLog, meterNode } from './work.ts'

interface Metered {
  readonly store: Store
  readonly staging: Staging
  readonly objects: Objects
  readonly keyring: Keyring
  readonly node: Node
}

export interface Meter {
  /** The same ports. What they do is counted from now on. */
  over<Ports extends Metered>(ports: Ports): Ports
  log(log: Log): Log
  readonly requests: RequestWatch
  /** Call it once, when everything that it asks exists. */
  metrics(condition: Condition): Metrics
}

/** Gauges of the library with the ending of a counter, and what they add up. */
const UNWANTED = ['resources', 'handles', 'requests'].flatMap((kind) => [
  `nodejs_active_${kind}`,
  `nodejs_active_${kind}_total`,
])

export function createMeter({ version }: { readonly version: string }): Meter {
  const figures = createFigures()
  const { registry, gauge } = figures
  collectDefaultMetrics({ register: registry })
  for (const name of UNWANTED) registry.removeSingleMetric(name)
  gauge({ name: 'blindkeep_build_info', help: 'The release of the server.', labelNames: ['version'] }, () => {
    const labels: Labels = { version }
    return [[labels, 1]]
  })
  return {
    over: (ports) => ({
      ...ports,
      ...meterBytes(ports, figures),
      store: meterStore(ports.store, figures),
      keyring: meterKeyring(ports.keyring, figures),
      node: meterNode(ports.node, figures),
    }),
    log: (log) => meterLog(log, figures),
    requests: watchRequests(figures),
    metrics(condition) {
      const look = declareCondition(condition, figures)
      let answer: Promise<string> | undefined
      return {
        contentType: registry.contentType,
        text() {
          answer ??= look()
            .then(() => registry.metrics())
            .finally(() => {
              answer = undefined
            })
          return answer
        },
      }
    },
  }
}
