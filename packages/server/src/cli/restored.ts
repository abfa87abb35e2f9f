import { systemClock } from '../adapters/system/clock.ts'
import { createLog } from '../adapters/system/log.ts'
import { systemRandom } from '../adapters/system/random.ts'
import { openRestoredData } from '../assembly/backupData.ts'
import { type Data, openPresentKeyring } from '../assembly/data.ts'
import { createHeadWatch } from '../domain/custody/headWatch.ts'
import { beginLife } from '../domain/custody/logLives.ts'
import { rotateSigningKey } from '../domain/discovery/signingKey.ts'
import { type Command, withOpen } from './command.ts'
import { requireConsent, YES } from './consent.ts'

/** After the database's own means have set it back. */
export const restoredCommands: readonly Command[] = [
  {
    name: 'restored',
    summary:
      'Lets the server go on after PostgreSQL was set back: a failover that lost commits, or a recovery to an earlier time.',
    details: [
      'The server signs nothing when the database lacks receipts that it has signed. This command begins another life of the receipt log: a new key',
      'signs receipts, far above all numbers that may be in use; cursors of the feed, access tokens and capability tokens end. Run it once, while no',
      'node runs. What was added or changed after that earlier time is lost. Holds, suspensions, and revocations of links, devices and sessions after it are',
      'undone: repeat them. `restore` does the same by itself, for a backup of `blindkeep-server backup`.',
    ],
    options: {
      force: { value: 'flag', meaning: 'Also while a node runs. Restart every node afterwards.' },
      yes: YES,
    },
    run: (call) =>
      withOpen(openRestoredData(call.config, { isForced: call.flag('force') }), async ({ store, witness }) => {
        await requireConsent(call, { lines: CONSEQUENCES, word: 'restored' })
        const ports = {
          store,
          witness,
          keyring: await openPresentKeyring(call.config),
          clock: systemClock,
          random: systemRandom,
        }
        const { life, rotation, receiptSeqFloor } = await beginLife(ports)
        await rotateSigningKey(ports)
        return {
          lines: [
            `Life ${life} of the receipt log begins. New receipts have numbers above ${receiptSeqFloor} and the new key ${rotation.active}.`,
            'Next: `blindkeep-server fsck --deep`, then start the nodes.',
          ],
          json: {
            life,
            active_key_id: rotation.active,
            retired_key_id: rotation.retired,
            receipt_seq_floor: receiptSeqFloor,
          },
        }
      }),
  },
]

const CONSEQUENCES: readonly string[] = [
  'This gives up every receipt that the server has signed and that the database lacks: their files are lost, and clients may hold them.',
  'Another life of the receipt log begins under a new key, and all tokens and cursors end. Only do it if no more of the database can be recovered.',
]

/** Throws `HeadBehind` if the database was set back: then no command may remove bytes. */
export async function requireWholeLog({ store, witness }: Pick<Data, 'store' | 'witness'>): Promise<void> {
  if (witness === undefined) return
  const watch = createHeadWatch({
    store,
    witness,
    log: createLog('silent'),
    giveUpAfter: (ms) => AbortSignal.timeout(ms),
  })
  await watch.beforeRemoving()
  await watch.close()
}
