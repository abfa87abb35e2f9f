/** Messages to the operator, if the settings name a receiver. */
import { join } from 'node:path'
import { fromBase64 } from '@blindkeep/protocol/bytes'
import { createSentAlarmsFile } from '../adapters/filesystem/sentAlarmsFile.ts'
import { createMessenger } from '../adapters/messenger/messenger.ts'
import { systemRandom } from '../adapters/system/random.ts'
import { type Config, messengerSettingsIn } from '../config/config.ts'
import { type AlarmKind, alarmsIn } from '../domain/closing/alarms.ts'
import { createOperatorMessages, type Look, type OperatorMessages } from '../domain/closing/operatorMessages.ts'
import { readStanding, type Standing, type Surroundings } from '../domain/closing/serverStatus.ts'
import { askedInTime } from '../domain/ground/askedInTime.ts'
import type { Quota } from '../domain/quota/quota.ts'
import type { GiveUpAfter } from '../ground/pause.ts'
import type { Log } from '../ports/log.ts'
import type { Target } from '../ports/messenger.ts'
import type { ServerData } from './data.ts'

interface Watched extends Pick<ServerData, 'store' | 'keyring'> {
  readonly node: Pick<ServerData['node'], 'clock'>
  readonly serverId: string
  readonly quota: Quota
  readonly around: () => Surroundings
  readonly log: Log
  readonly giveUpAfter: GiveUpAfter
}

/** Owners' channels lead to public addresses and to those of NOTIFY_NETWORKS; the operator's own anywhere. */
const EVERYWHERE = ['0.0.0.0/0', '::/0']
/** A look at the rows that has no answer by then sees that they do not answer. */
export const LOOK_MS = 30_000

export function openOperatorMessages(config: Config, watched: Watched): OperatorMessages | undefined {
  const targets = targetsIn(config)
  if (targets.length === 0) return undefined
  const { store, node, keyring, quota, around, serverId, log, giveUpAfter } = watched
  const { clock } = node
  const { mail } = messengerSettingsIn(config)
  const messenger = createMessenger(
    { clock, pushSigner: keyring.pushSigner },
    { offered: ['webhook', 'email'], networks: EVERYWHERE, serverId, mail, saysWhy: true },
  )
  // Each look reads again: two that share a reading are one.
  const rows = askedInTime(() => readStanding({ store, clock, quota }, around()), { ms: LOOK_MS, giveUpAfter })
  const look = async () => {
    const standing = await rows().catch((error: unknown) => {
      log.warn('the rows could not be read for alarms', { error })
      return undefined
    })
    return lookAt(standing, around())
  }
  const sent = createSentAlarmsFile(join(config.dataDirectory, 'alarms'))
  return createOperatorMessages({
    look,
    sent,
    messenger,
    targets,
    clock,
    random: systemRandom,
    log,
    giveUpAfter,
  })
}

/** Without rows, only that the server is not ready can be seen. */
function lookAt(rows: Standing | undefined, around: Surroundings): Look {
  if (rows !== undefined) return { alarms: alarmsIn({ ...rows, ...around }), isSeen: () => true }
  const what = `Not ready: ${around.unready.join(', ') || 'the rows cannot be read'}.`
  const isSeen = (kind: AlarmKind) => kind === 'not_ready'
  return { alarms: [{ kind: 'not_ready', what }], isSeen }
}

function targetsIn({ alarmEmail, alarmWebhook, alarmWebhookSecret }: Config): readonly Target[] {
  return [
    ...(alarmEmail === undefined ? [] : [{ kind: 'email' as const, address: alarmEmail }]),
    ...(alarmWebhook === undefined || alarmWebhookSecret === undefined
      ? []
      : [{ kind: 'webhook' as const, url: alarmWebhook, secret: fromBase64(alarmWebhookSecret) }]),
  ]
}
