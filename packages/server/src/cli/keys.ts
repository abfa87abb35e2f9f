import { toBase64 } from '@blindkeep/protocol/bytes'
import { countText } from '@blindkeep/protocol/counts'
import { formatInstant } from '@blindkeep/protocol/ids'
import { clockOf, openPresentKeyring, openPresentStore } from '../assembly/data.ts'
import type { Config } from '../config/config.ts'
import { MAX_CHOSEN_ROTATIONS } from '../domain/custody/keyChanges.ts'
import { rotateAttestationKey } from '../domain/custody/keys.ts'
import { signedChanges } from '../domain/discovery/signedChanges.ts'
import { rotateSigningKey } from '../domain/discovery/signingKey.ts'
import { WrongMasterSecret } from '../ports/keyring.ts'
import type { AttestationKey, Store } from '../ports/store.ts'
import { type Command, columns, type Outcome, withOpen } from './command.ts'

/** The keys of the server, which may run. */
export const keyCommands: readonly Command[] = [
  {
    name: 'keys list',
    summary: 'Lists all keys that have signed receipts, oldest first, the active one last.',
    details: ['Shows their ids and times. The public keys are at /.well-known/service/attestation-keys.'],
    run: ({ config }) => withOpen(openPresentStore(config), list),
  },
  {
    name: 'keys rotate',
    summary: 'Makes a new key that signs receipts from now on; with --signing, a new key that signs tokens.',
    details: [
      'Rotate as often as your rules require, and when a private key may have been stolen. The server may run; it needs no restart.',
      '',
      'Receipts: the old key stays in the published list and gets an end; its receipts stay valid. The new key signs further receipts,',
      'in the same chain. Both sign a statement that one follows the other, 600 times at most. Sessions stay open. A thief of the old key can',
      'still sign receipts dated before its end: clients detect them only by their place in the chain.',
      '--signing: all access tokens and capability tokens end within five seconds. Signed-in clients renew their tokens by themselves;',
      'capability tokens must be minted again. Receipts and their keys stay as they are.',
      '',
      'The master secret, passwords and the keys of users do not change.',
    ],
    options: { signing: { value: 'flag', meaning: 'Rotates the key of access tokens and capability tokens instead.' } },
    run: ({ config, flag }) => withOpen(openPresentStore(config), (store) => rotate(config, store, flag('signing'))),
  },
]

async function list(store: Store): Promise<Outcome> {
  const keys = await store.read((tx) => tx.keys.attestationKeys())
  return {
    lines:
      keys.length === 0
        ? ['There are no keys yet. The first start of the server makes one.']
        : columns(keys.map((key) => [key.keyId, `from ${formatInstant(key.activeFrom)} ${endOf(key)}`])),
    json: {
      keys: keys.map(({ keyId, activeFrom, activeTo }) => ({
        key_id: keyId,
        active_from: formatInstant(activeFrom),
        active_to: activeTo && formatInstant(activeTo),
      })),
    },
  }
}

function endOf({ activeTo }: AttestationKey): string {
  return activeTo === undefined ? '(active)' : `to ${formatInstant(activeTo)}`
}

/** A warning while there are still a hundred rotations. */
async function roomLines(store: Store): Promise<readonly string[]> {
  const { rotations } = await store.read(signedChanges)
  const left = Math.max(0, MAX_CHOSEN_ROTATIONS - rotations.length)
  return left > 100 ? [] : [`The key can be rotated ${countText(left, 'more time')}: rotate it less often.`]
}

async function rotate(config: Config, store: Store, isSigning: boolean): Promise<Outcome> {
  const [keyring, clock] = [await openPresentKeyring(config), await clockOf(config)]
  try {
    if (isSigning) {
      const signingKey = toBase64(await rotateSigningKey({ store, keyring, clock }))
      const lines = [`${signingKey} signs tokens from now on; earlier tokens end within five seconds.`]
      return { lines, json: { signing_key: signingKey } }
    }
    const { retired, active, at } = await rotateAttestationKey({ store, keyring, clock })
    return {
      lines: [
        `${active} signs receipts from ${formatInstant(at)} on.`,
        `${retired} has ended.`,
        'Next: make a backup now. From an older one the server would come back without this key, and clients would raise an alarm.',
        ...(await roomLines(store)),
      ],
      json: { active, retired, at: formatInstant(at) },
    }
  } catch (error) {
    throw error instanceof WrongMasterSecret ? new Error(`nothing was changed: ${error.message}`) : error
  }
}
