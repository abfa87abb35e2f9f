import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { systemClock } from '../adapters/system/clock.ts'
import { systemRandom } from '../adapters/system/random.ts'
import { openServerData } from '../assembly/data.ts'
import { type Config, readConfig } from '../config/config.ts'
import { openServerKeys } from '../domain/custody/keys.ts'
import { recordServerId } from '../domain/discovery/serverId.ts'
import type { AttestationKey } from '../ports/store.ts'
import { runInProcess } from '../testing/inProcess.ts'
import { USE } from '../testing/serverUse.ts'
import type { Outcome } from './command.ts'

interface Beside {
  readonly directory: string
  /** Runs a command in this process, beside the server: `keys list`, `keys rotate`. `env` replaces settings. */
  run(line: string, settings?: Readonly<Record<string, string>>): Promise<Outcome>
  published(): Promise<readonly AttestationKey[]>
}

/** The data of a running server after its first start. */
function besideServer(work: (beside: Beside) => Promise<void>): () => Promise<void> {
  return async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-key-commands-'))
    const env = { DATA_DIR: directory }
    const { store, keyring, close } = await openServerData(configOf(env), USE)
    try {
      await openServerKeys({ store, keyring, clock: systemClock, random: systemRandom })
      await store.write(['server'], (tx) => recordServerId(tx, 'https://keep.example'))
      await work({
        directory,
        run(line, settings) {
          const [noun, verb, ...argv] = line.split(' ')
          return runInProcess([`${noun} ${verb}`, ...argv], { ...env, ...settings })
        },
        published: () => store.read((tx) => tx.keys.attestationKeys()),
      })
    } finally {
      await close()
      await rm(directory, { recursive: true })
    }
  }
}

function configOf(env: Readonly<Record<string, string>>): Config {
  const config = readConfig(env)
  assert.ok(!('faults' in config))
  return config
}

describe('the commands of keys, beside a running server', () => {
  it(
    'rotate the key of receipts, and list all keys ever used, without private halves',
    besideServer(async ({ run, published }) => {
      const rotated = await run('keys rotate')
      assert.match(rotated.lines.join('\n'), /make a backup now/)
      const { lines, json } = await run('keys list')
      const [first, second] = await published()
      assert.ok(first !== undefined && second !== undefined)
      assert.deepEqual(Object(rotated.json), {
        retired: first.keyId,
        active: second.keyId,
        at: new Date(second.activeFrom).toISOString(),
      })
      assert.deepEqual(
        lines.map((line) => [line.includes(first.keyId), line.includes(second.keyId), line.endsWith('(active)')]),
        [
          [true, false, false],
          [false, true, true],
        ],
      )
      assert.deepEqual(
        Object(json).keys.map((key: object) => Object.keys(key)),
        Array.from({ length: 2 }, () => ['key_id', 'active_from', 'active_to']),
      )
    }),
  )

  it(
    'rotate only the key of tokens with --signing',
    besideServer(async ({ run, published }) => {
      const before = await published()
      const keys = [await run('keys rotate --signing'), await run('keys rotate --signing')].map(
        ({ json }) => Object(json).signing_key,
      )
      for (const key of keys) assert.equal(Buffer.from(key, 'base64').length, 32)
      assert.notEqual(keys[0], keys[1])
      assert.deepEqual(await published(), before)
    }),
  )

  it(
    'change nothing without the server’s master secret, say what to do, and make no new secret',
    besideServer(async ({ directory, run, published }) => {
      const before = await published()
      const elsewhere = await mkdtemp(join(tmpdir(), 'blindkeep-other-'))
      const other = join(elsewhere, 'secrets', 'master.secret')
      await (await openServerData(configOf({ DATA_DIR: elsewhere }), USE)).close()
      for (const line of ['keys rotate', 'keys rotate --signing']) {
        const missing = join(directory, 'missing')
        await assert.rejects(
          run(line, { MASTER_SECRET_FILE: missing }),
          /no master secret at .*missing.*MASTER_SECRET_FILE/,
        )
        await assert.rejects(readFile(missing), /ENOENT/)
        await assert.rejects(
          run(line, { MASTER_SECRET_FILE: other }),
          /nothing was changed: the master secret in .*blindkeep-other.*MASTER_SECRET_FILE/,
        )
      }
      assert.deepEqual(await published(), before)
      await rm(elsewhere, { recursive: true })
    }),
  )
})
