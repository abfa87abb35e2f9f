import { toBase64 } from '@blindkeep/protocol/bytes'
import { formatInstant } from '@blindkeep/protocol/ids'
import { systemClock } from '../adapters/system/clock.ts'
import type { Config } from '../config.ts'
import { openPresentKeyring, openPresentStore } from '../data.ts'
import { rotateAttestationKey } from '../domain/custody/keys.ts'
import { rotateSigningKey } from '../domain/discovery/signingKey.ts'
import { WrongMasterSecret } from '../ports/keyring.ts'
import type { AttestationKey, Store } from '../ports/store.ts'
import { type Command, columns, type Outcome } from './command.ts'

/** The server's own keys. It may run meanwhile. */
export const keyCommands: readonly Command[] = [
  {
    name: 'keys list',
    summary: 'Lists every key that receipts were ever signed with, oldest first, the active one last.',
    details: ['As published, without the keys themselves: those are at /.well-known/service/attestation-keys.'],
    run: ({ config }) => withStore(config, list),
  },
  {
    name: 'keys rotate',
    summary:
      'Makes a new key that receipts are signed with from now on, or with --signing a new one for access tokens.',
    details: [
      'Rotate as often as your rules ask for it, and when a private key may have been read. The server may run; it needs no restart.',
      '',
      'Receipts: the old key keeps its place in the published list and gets an end, and what it has signed stays valid. Receipts that',
      'come are signed with the new key, in the same chain. Nobody is signed out. A key that somebody else has may still sign for the',
      'time before its end: clients see such a receipt only by its place in the chain.',
      '--signing: all access tokens and capability tokens end within five seconds. Clients that are signed in renew theirs by',
      'themselves; capabilities have to be minted anew. Receipts and their keys stay as they are.',
      '',
      'It changes neither the master secret, under which the server’s keys rest, nor any password, nor the key of any user.',
    ],
    options: { signing: { value: 'flag', meaning: 'Rotates the key of access tokens and capability tokens instead.' } },
    run: ({ config, flag }) => withStore(config, (store) => rotate(config, store, flag('signing'))),
  },
]

async function withStore(config: Config, work: (store: Store) => Promise<Outcome>): Promise<Outcome> {
  const store = await openPresentStore(config)
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

async function list(store: Store): Promise<Outcome> {
  const keys = await store.read((tx) => tx.keys.attestationKeys())
  return {
    lines:
      keys.length === 0
        ? ['There are no keys yet: the server’s first start makes one.']
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

async function rotate(config: Config, store: Store, isSigning: boolean): Promise<Outcome> {
  const keyring = await openPresentKeyring(config)
  try {
    if (isSigning) {
      const signingKey = toBase64(await rotateSigningKey({ store, keyring, clock: systemClock }))
      const lines = [`Tokens are signed with ${signingKey} from now on; those of before end within five seconds.`]
      return { lines, json: { signing_key: signingKey } }
    }
    const { retired, active, at } = await rotateAttestationKey({ store, keyring, clock: systemClock })
    return {
      lines: [`Receipts are signed with ${active} from ${formatInstant(at)} on.`, `${retired} has ended.`],
      json: { active, retired, at: formatInstant(at) },
    }
  } catch (error) {
    if (!(error instanceof WrongMasterSecret)) throw error
    const { masterSecretFile } = config
    throw new Error(
      `${masterSecretFile} is not the master secret that this server’s keys are sealed under. Nothing was changed; set MASTER_SECRET_FILE to the right one.`,
      { cause: error },
    )
  }
}
