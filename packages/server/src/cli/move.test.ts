import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { addSeconds } from '@blindkeep/protocol/ids'
import { systemClock } from '../adapters/system/clock.ts'
import { systemRandom } from '../adapters/system/random.ts'
import { openServerData } from '../assembly/data.ts'
import { readConfig } from '../config/config.ts'
import { openServerKeys } from '../domain/custody/keys.ts'
import { recordServerId } from '../domain/discovery/serverId.ts'
import { createHandClock } from '../testing/handClock.ts'
import { runInProcess } from '../testing/inProcess.ts'
import { USE } from '../testing/serverUse.ts'

const FROM = 'https://keep.example'
const TO = 'https://drop.example.org'

interface Stopped {
  readonly directory: string
  /** Runs a command with PUBLIC_URL at the new address, and other settings. */
  run(argv: readonly string[], settings?: Readonly<Record<string, string>>): Promise<string>
}

/** The data of a stopped server, whose first key began so many seconds from now. */
function withStopped(keySeconds: number, work: (stopped: Stopped) => Promise<void>): () => Promise<void> {
  return async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-move-command-'))
    const env = { DATA_DIR: join(directory, 'data'), MASTER_SECRET_FILE: join(directory, 'master.secret') }
    try {
      const config = readConfig(env)
      assert.ok(!('faults' in config))
      const { store, keyring, close } = await openServerData(config, USE)
      const clock = createHandClock(addSeconds(systemClock.now(), keySeconds))
      await openServerKeys({ store, keyring, clock, random: systemRandom })
      await store.write(['server'], (tx) => recordServerId(tx, FROM))
      await close()
      await work({
        directory,
        run: async (argv, settings) =>
          (await runInProcess(argv, { ...env, PUBLIC_URL: TO, ...settings })).lines.join('\n'),
      })
    } finally {
      await rm(directory, { recursive: true })
    }
  }
}

const LOOK = ['move', '--check', '--unchecked']

describe('the command move', () => {
  it(
    'names the settings that still have the old host in them, unless the host stays',
    withStopped(0, async ({ run }) => {
      const settings = { SMTP_URL: 'smtp://mail.keep.example:25', MAIL_FROM: 'box@keep.example' }
      const named = (lines: string) =>
        [...lines.matchAll(/^ {2}(\w+) still names the old host/gm)].map(([, name]) => name)
      assert.deepEqual(named(await run(LOOK, settings)), ['SMTP_URL', 'MAIL_FROM'])
      assert.deepEqual(named(await run(LOOK, { ...settings, PUBLIC_URL: `${FROM}:8443` })), [])
    }),
  )

  for (const { keySeconds, says } of [
    { keySeconds: 3600, says: true },
    { keySeconds: 30, says: false },
  ])
    it(
      `says ${says ? '' : 'nothing '}of a clock that is ${keySeconds} s behind the log`,
      withStopped(keySeconds, async ({ run }) => {
        assert.equal(/later than this machine’s clock/.test(await run(LOOK)), says)
      }),
    )
})

describe('the command restore', () => {
  it(
    'creates nothing from a backup of another address than PUBLIC_URL, until PUBLIC_URL is that one',
    withStopped(0, async ({ directory, run }) => {
      const [backup, DATA_DIR] = [join(directory, 'backup'), join(directory, 'restored')]
      await run(['backup', backup])
      await run(['move', '--yes', '--unchecked'])
      const restore = ['restore', backup]
      await assert.rejects(
        run(restore, { DATA_DIR }),
        /is of https:\/\/keep.example, and PUBLIC_URL is https:\/\/drop.example.org\. .*raise an alarm/,
      )
      assert.ok(!existsSync(DATA_DIR))
      assert.match(await run(restore, { DATA_DIR, PUBLIC_URL: `${FROM}/below` }), /Its address is https:\/\/keep/)
    }),
  )
})
