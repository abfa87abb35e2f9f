/** This version on an earlier build's data: nothing is lost; the upgrade is announced and reported. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createCalls } from '@blindkeep/client/call'
import { auditServer, verifiers } from '@blindkeep/client/receipts'
import { fromBase64 } from '@blindkeep/protocol/bytes'
import { checkChain } from '@blindkeep/protocol/chain'
import { readReceipt, verifyReceipt } from '@blindkeep/protocol/receipt'
import { type CommandOutcome, runCommand } from '../../testing/command.ts'
import {
  type EarlierData,
  FIRST_BUILD,
  unpackConvertible,
  unpackEarlierData,
  unpackWithoutAccounts,
} from '../../testing/earlier/earlierData.ts'
import { provedBody } from '../../testing/proving.ts'
import { freePort, type RunningServer, startServer } from '../../testing/startServer.ts'
import { mountSmallDisk } from '../harness/smallDisk.ts'

interface Plan {
  readonly migration: number
  readonly needs: number
  readonly changes: readonly { readonly migration: number; readonly summary: string }[]
  readonly copy?: { readonly path: string }
  readonly copies: readonly string[]
  readonly refusal?: string
}

const COPY = /^blindkeep\.sqlite\.migration-1\.before-\d+\.\d+\.\d+$/

let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'blindkeep-upgrade-'))
})
after(() => rm(root, { recursive: true, force: true }))

const settingsOf = (dataDir: string) => ({ MASTER_SECRET_FILE: join(dataDir, 'secrets/master.secret') })

/** An operator's command with the settings of a server that need not run. */
async function operate(dataDir: string, ...args: readonly string[]): Promise<CommandOutcome> {
  const port = String(await freePort())
  const env = { PATH: process.env.PATH ?? '', DATA_DIR: dataDir, PORT: port, FREE_SPACE_FLOOR_BYTES: '0' }
  return runCommand(args, { cwd: root, env: { ...env, ...settingsOf(dataDir) } })
}

async function planIn(dataDir: string): Promise<Plan> {
  const { status, stdout, stderr } = await operate(dataDir, 'upgrade', '--check', '--json')
  const plan: Plan = JSON.parse(stdout)
  assert.equal(status, plan.refusal === undefined ? 0 : 1, stderr)
  return plan
}

/** Every file with its hash, but the lock that each command takes, which is empty. */
async function stateOf(directory: string): Promise<Readonly<Record<string, string>>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'server.lock')
  const paths = files.map(({ parentPath, name }) => join(parentPath, name))
  return Object.fromEntries(await Promise.all(paths.map(async (path) => [path, sha256(await readFile(path))] as const)))
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

function inDatabase<Result>(path: string, work: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(path)
  try {
    return work(database)
  } finally {
    database.close()
  }
}

const migrationIn = (path: string) =>
  inDatabase(path, (database) => database.prepare('select max(number) as number from migrations').get()?.number)

async function copiesIn(dataDir: string): Promise<readonly string[]> {
  return (await readdir(dataDir)).filter((name) => COPY.test(name))
}

describe('a server of the present version, on data with an account of the first build that people had', () => {
  it('says in one sentence that it cannot take the account over, as each command does, and changes nothing', async () => {
    const dataDir = join(root, 'with an account')
    await unpackEarlierData(FIRST_BUILD, dataDir)
    const found = await stateOf(dataDir)
    for (const args of [
      ['serve'],
      ['upgrade'],
      ['upgrade', '--without-copy', '--yes'],
      ['account', 'list'],
      ['fsck'],
    ]) {
      const { status, stdout, stderr } = await operate(dataDir, ...args)
      assert.equal(status, 1, `${args.join(' ')}: ${stdout}${stderr}`)
      assert.match(stderr, /accounts of an earlier release.*signs in with keys/, args.join(' '))
      assert.doesNotMatch(stderr, /^ +at /m)
      assert.deepEqual(await stateOf(dataDir), found, args.join(' '))
    }
    assert.match((await planIn(dataDir)).refusal ?? '', /accounts of an earlier release/)
    assert.deepEqual(await stateOf(dataDir), found)
  })
})

describe('a server of the present version, on data whose key was replaced before such changes were signed', () => {
  it('says in one sentence that it cannot take the key over, and changes nothing', async () => {
    const dataDir = join(root, 'with another key')
    await unpackWithoutAccounts(FIRST_BUILD, dataDir)
    const found = await stateOf(dataDir)
    for (const command of ['serve', 'upgrade']) {
      const { status, stderr } = await operate(dataDir, command)
      assert.equal(status, 1)
      assert.match(stderr, /attestation key that was replaced by an earlier release, without the signed statement/)
      assert.doesNotMatch(stderr, /^ +at /m)
      assert.deepEqual(await stateOf(dataDir), found)
    }
    assert.match((await planIn(dataDir)).refusal ?? '', /without the signed statement/)
  })
})

describe('a server of the present version, on data of the first build whose account was deleted', () => {
  let dataDir: string
  let data: EarlierData
  let server: RunningServer
  let plan: Plan

  before(async () => {
    dataDir = join(root, 'data')
    data = await unpackConvertible(FIRST_BUILD, dataDir)
    const found = await stateOf(dataDir)
    plan = await planIn(dataDir)
    assert.deepEqual(await stateOf(dataDir), found, '--check changes nothing')
    server = await startServer({ dataDir, publicUrl: data.publicUrl, env: settingsOf(dataDir) })
  })
  after(() => server?.stop())

  it('does what `upgrade --check` has said, and keeps a copy of the database that only its owner reads', async () => {
    assert.deepEqual([plan.migration, plan.refusal, plan.copies], [1, undefined, []])
    assert.deepEqual(
      plan.changes.map(({ migration }) => migration),
      Array.from({ length: plan.needs - 1 }, (_, index) => index + 2),
    )
    assert.equal(migrationIn(join(dataDir, 'blindkeep.sqlite')), plan.needs)
    const [copy, ...others] = await copiesIn(dataDir)
    assert.ok(copy !== undefined && others.length === 0)
    assert.equal(plan.copy?.path, join(dataDir, copy))
    assert.equal((await stat(join(dataDir, copy))).mode & 0o777, 0o600)
    assert.equal(migrationIn(join(dataDir, copy)), 1)
    // The log is written in batches. If the line never comes, the test's time limit ends this.
    while (!/"migration":1,"to":\d+,"copy":"[^"]*\.migration-1\.before-/.test(server.log())) await wait(5)
    const later = await planIn(dataDir)
    assert.deepEqual([later.migration, later.changes, later.copies], [plan.needs, [], [join(dataDir, copy)]])
  })

  it('has every receipt, in one chain, and each verifies under the keys that it publishes', async () => {
    // What leads the clients of the server's public name to its process.
    const toProcess: typeof fetch = (input, init) => fetch(String(input).replace(data.publicUrl, server.url), init)
    const { serverId, keys } = await auditServer(createCalls({ baseUrl: data.publicUrl, fetch: toProcess }))
    assert.deepEqual([serverId, keys.keys.length], [data.publicUrl, 1])
    const kept = inDatabase(join(dataDir, 'blindkeep.sqlite'), (database) =>
      database.prepare('select receipt_cbor from receipts order by receipt_seq').all(),
    ).map(({ receipt_cbor: cbor }) => (cbor instanceof Uint8Array ? Buffer.from(cbor).toString('base64') : ''))
    assert.equal(data.receipts.length, 14)
    assert.deepEqual(kept.slice(0, data.receipts.length), data.receipts)
    const verified = []
    for (const text of kept) {
      const receiptCbor = fromBase64(text)
      const { server_key_id: id } = readReceipt(receiptCbor)
      const used = keys.keys.filter(({ keyId }) => keyId === id)
      assert.equal(used.length, 1)
      for (const { public: published } of used)
        verified.push(await verifyReceipt({ receiptCbor, publicKey: fromBase64(published), verify: verifiers }))
    }
    assert.equal(checkChain(verified, { whole: true }), undefined)
  })

  it('does on it what the earlier build could not', async () => {
    const members = {
      email: 'owner@example.org',
      invite: JSON.parse((await server.command(['account', 'invite', '--json'])).stdout).code,
    }
    const body = JSON.stringify(await provedBody(server.url, '/v1/auth/register', { members }))
    const headers = { 'content-type': 'application/json' }
    assert.equal((await fetch(`${server.url}/v1/auth/register`, { method: 'POST', headers, body })).status, 201)
    const backup = await server.command(['backup', join(root, 'backup')])
    assert.equal(backup.status, 0, backup.stderr)
    const noted = inDatabase(join(dataDir, 'blindkeep.sqlite'), (database) =>
      database.prepare(`select 1 from server_facts where name = 'backed_up_at'`).get(),
    )
    assert.ok(noted)
    const checked = await server.command(['fsck', '--deep'])
    assert.equal(checked.status, 0, checked.stdout)
  })

  it('refuses the data once a later version has upgraded it, and names that version and the copy', async () => {
    await server.terminate()
    const path = join(dataDir, 'blindkeep.sqlite')
    const later = { number: plan.needs + 1, serves: plan.needs, version: '97.0.0' }
    const copy = `${path}.migration-${plan.needs}.before-97.0.0`
    inDatabase(path, (database) => database.exec(`vacuum into '${copy}'`))
    inDatabase(path, (database) =>
      database
        .prepare('insert into migrations (number, serves, version) values (:number, :serves, :version)')
        .run(later),
    )
    const refusal = await operate(dataDir, 'serve')
    assert.equal(refusal.status, 1)
    assert.equal(refusal.stderr.split('\n').length, 2, refusal.stderr)
    for (const part of ['Blindkeep 97.0.0', 'install 97.0.0 or a later one', copy])
      assert.ok(refusal.stderr.includes(part), refusal.stderr)
    assert.ok(!refusal.stderr.includes('migration-1.'), refusal.stderr)
    assert.ok((await planIn(dataDir)).refusal?.includes('install 97.0.0'))
    // The way back.
    for (const ending of ['-wal', '-shm']) await rm(path + ending, { force: true })
    await writeFile(path, await readFile(copy), { mode: 0o600 })
    assert.equal((await planIn(dataDir)).migration, plan.needs)
  })
})

describe('a command of the present version, on a database from before the upgrade', () => {
  it('changes nothing and says what to type, which works', async () => {
    const dataDir = join(root, 'not-upgraded')
    await unpackConvertible(FIRST_BUILD, dataDir)
    const backup = ['backup', join(root, 'backup of the same'), '--data', dataDir]
    const refused = await operate(dataDir, ...backup)
    assert.equal(refused.status, 1)
    assert.equal(migrationIn(join(dataDir, 'blindkeep.sqlite')), 1)
    const advised = refused.stderr.match(/Run `blindkeep-server (upgrade --data [^`]+)`, on SQLite while/)?.[1]
    assert.ok(advised !== undefined, refused.stderr)
    for (const args of [advised.split(' '), backup]) {
      const { status, stderr } = await operate(dataDir, ...args)
      assert.equal(status, 0, stderr)
    }
  })
})

describe('an upgrade without room for the copy', () => {
  it('does not begin, and says in a sentence how much is needed; with a backup it can do without', async (t) => {
    const disk = mountSmallDisk(24 * 1024 * 1024)
    if ('missing' in disk) return t.skip(disk.missing)
    try {
      const dataDir = join(disk.directory, 'data')
      await unpackConvertible(FIRST_BUILD, dataDir)
      disk.fill(4 * 1024 * 1024)
      const path = join(dataDir, 'blindkeep.sqlite')
      for (const command of ['serve', 'upgrade']) {
        const { status, stderr } = await operate(dataDir, command)
        assert.equal(status, 1)
        assert.match(
          stderr,
          /has to be copied .* has [\d.]+ MB free, and this needs up to [\d.]+ MB\. Nothing was changed\./,
        )
        assert.doesNotMatch(stderr, /^ +at /m)
        assert.equal(migrationIn(path), 1)
      }
      assert.match((await planIn(dataDir)).refusal ?? '', /MB free/)
      assert.equal((await operate(dataDir, 'upgrade', '--without-copy')).status, 2)
      const upgraded = await operate(dataDir, 'upgrade', '--without-copy', '--yes')
      assert.equal(upgraded.status, 0, upgraded.stderr)
      assert.deepEqual([(await planIn(dataDir)).changes, await copiesIn(dataDir)], [[], []])
    } finally {
      disk.unmount()
    }
  })
})
