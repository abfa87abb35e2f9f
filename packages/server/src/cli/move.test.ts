import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { addSeconds, parseSha256Hex } from '@blindkeep/protocol/ids'
import { runCommand } from '../../../../testing/command.ts'
import { freePort } from '../../../../testing/startServer.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemRandom } from '../adapters/system/random.ts'
import { openServerData } from '../assembly/data.ts'
import { readConfig } from '../config/config.ts'
import { share } from '../contracts/store/shares.ts'
import { account, link } from '../contracts/store/world.ts'
import { openServerKeys } from '../domain/custody/keys.ts'
import { recordedServerId, recordServerId } from '../domain/discovery/serverId.ts'
import { createHandClock } from '../testing/handClock.ts'
import { runInProcess } from '../testing/inProcess.ts'
import { openDouble } from '../testing/s3/world.ts'
import { USE } from '../testing/serverUse.ts'
import { defined } from '../testing/world.ts'

const FROM = 'https://keep.example'
const TO = 'https://drop.example.org'

interface Stopped {
  readonly directory: string
  /** Runs a command with PUBLIC_URL at the new address, and other settings. */
  run(argv: readonly string[], settings?: Readonly<Record<string, string>>): Promise<string>
  /** The same, and returns what programs get. */
  json(argv: readonly string[]): Promise<unknown>
  /** What commands have said of what they do. */
  readonly said: readonly string[]
}

/** The data of a stopped server with a link and two shares, whose first key began so many seconds from now. */
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
      await store.write(['server'], async (tx) => {
        await recordServerId(tx, FROM)
        await tx.accounts.insert(account(1))
        await tx.links.insert(link(1))
        for (const number of [1, 2]) await tx.shares.insert(share(number))
      })
      await close()
      const said: string[] = []
      const outcomeOf = (argv: readonly string[], settings?: Readonly<Record<string, string>>) =>
        runInProcess(argv, { ...env, PUBLIC_URL: TO, ...settings }, (line) => said.push(line))
      await work({
        directory,
        run: async (argv, settings) => (await outcomeOf(argv, settings)).lines.join('\n'),
        json: async (argv) => (await outcomeOf(argv)).json,
        said,
      })
    } finally {
      await rm(directory, { recursive: true })
    }
  }
}

const LOOK = ['move', '--check', '--unchecked']

describe('the command move', () => {
  it(
    'says how many addresses begin with the old name, of links and of shares',
    withStopped(0, async ({ run, json }) => {
      assert.match(await run(LOOK), /^ {2}1 live link and 2 live shares: printed and sent ones work as long as/m)
      const { live_links, live_shares } = Object(await json(LOOK))
      assert.deepEqual([live_links, live_shares], [1, 2])
    }),
  )

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

  it(
    'says when another address than the new one was announced to owners',
    withStopped(0, async ({ run }) => {
      const announce = (address: string) => run(['move announce', address, '--on', '2099-01-31'], { PUBLIC_URL: FROM })
      await announce('https://dorp.example.org')
      assert.match(await run(LOOK), /Another address was announced to owners: https:\/\/dorp\.example\.org\./)
      await announce(TO)
      assert.doesNotMatch(await run(LOOK), /was announced/)
    }),
  )

  it(
    'announce without an address shows what is announced, and changes nothing',
    withStopped(0, async ({ run }) => {
      const announce = (...argv: readonly string[]) => run(['move announce', ...argv], { PUBLIC_URL: FROM })
      assert.equal(await announce(), 'No move is announced.')
      await announce(TO, '--on', '2099-01-31')
      for (const _ of [1, 2])
        assert.match(await announce(), /^Owners see: on 2099-01-31 the server moves to https:\/\/drop\.example\.org\./)
      await announce('--stop')
      assert.equal(await announce(), 'No move is announced.')
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

  it(
    'is advised by a start with another address, with the port of that start',
    withStopped(0, async ({ directory }) => {
      const env = { DATA_DIR: join(directory, 'data'), MASTER_SECRET_FILE: join(directory, 'master.secret') }
      const [port, settings] = [String(await freePort()), { cwd: directory, env: { ...env, PUBLIC_URL: TO } }]
      const given = await runCommand(['serve', '--port', port], settings)
      assert.match(
        given.stderr,
        new RegExp(`move\\b.* For \`move\`, also set PORT=${port}, as it does not take --port`),
      )
      const set = await runCommand(['serve'], { ...settings, env: { ...settings.env, PORT: port } })
      assert.match(set.stderr, /move`; docs\/moving\.md says how\.$/m)
    }),
  )

  it('signs nothing over a database that lacks receipts which were signed', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'blindkeep-move-'))
    const { address, credentials, close } = await openDouble()
    const { bucket, prefix, endpoint, region } = address
    const env = {
      PATH: process.env.PATH ?? '',
      DATA_DIR: join(directory, 'data'),
      MASTER_SECRET_FILE: join(directory, 'master.secret'),
      BLOBS_URL: `s3://${bucket}/${prefix}?endpoint=${endpoint}&region=${region}&pathStyle=true`,
      AWS_ACCESS_KEY_ID: defined(credentials.accessKeyId),
      AWS_SECRET_ACCESS_KEY: defined(credentials.secretAccessKey),
    }
    const config = readConfig(env)
    assert.ok(!('faults' in config))
    const inData = async <Result>(work: (data: Awaited<ReturnType<typeof openServerData>>) => Promise<Result>) => {
      const data = await openServerData(config, USE)
      try {
        return await work(data)
      } finally {
        await data.close()
      }
    }
    try {
      const receiptHash = defined(parseSha256Hex(createHash('sha256').update('a receipt').digest('hex')))
      await inData(async ({ store, witness }) => {
        await store.write(['server'], (tx) => recordServerId(tx, 'https://keep.example'))
        await defined(witness).write({ life: 0, receiptSeq: 7, receiptHash })
      })
      const moved = await runCommand(['move', '--yes', '--unchecked'], {
        cwd: directory,
        env: { ...env, PUBLIC_URL: 'https://drop.example.org' },
      })
      assert.equal(moved.status, 1)
      assert.match(moved.stderr, /The database was set back/)
      assert.equal(await inData(({ store }) => recordedServerId(store)), 'https://keep.example')
    } finally {
      await close()
      await rm(directory, { recursive: true })
    }
  })
})

describe('the command restore', () => {
  it(
    'of a backup of another address than PUBLIC_URL says so, and creates nothing unless --yes is given',
    withStopped(0, async ({ directory, run, said }) => {
      const backup = join(directory, 'backup')
      await run(['backup', backup])
      const restored = (name: string) => ({ DATA_DIR: join(directory, name) })
      await assert.rejects(run(['restore', backup], restored('1')), /no terminal to ask at: add --yes/)
      assert.ok(!existsSync(join(directory, '1')))
      assert.match(said.join('\n'), /of https:\/\/keep\.example, and PUBLIC_URL .*\n.*take a newer one.*\n.*an alarm/)
      await run(['restore', backup, '--yes'], restored('1'))
      await run(['restore', backup], { ...restored('2'), PUBLIC_URL: `${FROM}/below` })
    }),
  )
})
