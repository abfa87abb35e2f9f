/** `move`: the server gets another address, and everything is there. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { cp, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { describe, it, type TestContext } from 'node:test'
import { logIn, registerOwner } from '@blindkeep/client/account'
import type { Owner } from '@blindkeep/client/owner'
import { lockDirectory } from '../../packages/server/src/adapters/sql/sqlite/directoryLock.ts'
import { newOwner, quickEnvironment, sendFile } from '../../testing/people.ts'
import { openReceiver } from '../../testing/receivers.ts'
import { freePort, type RunningServer, startServer } from '../../testing/startServer.ts'
import { until } from '../../testing/until.ts'

const ELSEWHERE = 'https://drop.example.org'
const PASSWORD = 'a long sentence of your own'

async function started(t: TestContext, env: Readonly<Record<string, string>> = {}): Promise<RunningServer> {
  const server = await startServer({ env })
  t.after(() => server.stop())
  return server
}

/** Stopped, with an account. */
async function stopped(t: TestContext): Promise<RunningServer> {
  const server = await started(t)
  await newOwner(server.url)
  await server.terminate()
  return server
}

/** `move`, to another name of the machine, at which this server listens. */
const nameOf = ({ port }: RunningServer) => `http://localhost:${port}`

async function refused(server: RunningServer, because: RegExp, { to = nameOf(server), args = ['--yes'] } = {}) {
  const { status, stdout, stderr } = await server.command(['move', ...args], { PUBLIC_URL: to })
  assert.deepEqual([status, stdout], [status === 2 ? 2 : 1, ''], stderr)
  assert.match(stderr, because)
}

/** Nothing was changed: it starts where it was. */
const isAsBefore = (server: RunningServer) => server.restart()

async function answering(t: TestContext, answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const fsck = async (server: RunningServer, PUBLIC_URL: string) => {
  const { status, stdout } = await server.command(['fsck', '--deep'], { PUBLIC_URL })
  assert.equal(status, 0, stdout)
}

const inboxOf = async (owner: Owner) => (await owner.inbox()).length

describe('a move to another address', () => {
  it('keeps accounts, files and links, ends sessions, and is reported to owners by their channels', async (t) => {
    const receiver = await openReceiver()
    t.after(receiver.close)
    const server = await started(t, { NOTIFY: 'webhook', NOTIFY_NETWORKS: '127.0.0.0/8' })
    const [from, to] = [server.url, nameOf(server)]
    const account = { email: 'ann@example.org', password: PASSWORD, environment: quickEnvironment }
    const owner = await registerOwner({ ...account, baseUrl: from })
    const { url } = await owner.createLink({})
    await sendFile(url, randomBytes(100))
    await owner.addChannel({ kind: 'webhook', address: `http://127.0.0.1:${receiver.port}/hook` })

    await refused(server, /another server uses the data directory/)
    await server.terminate()
    await assert.rejects(server.restart({ PUBLIC_URL: to }), /belongs to .*If the server is to move there.*`.* move`/s)
    const looked = await server.command(['move', '--check'], { PUBLIC_URL: to })
    assert.deepEqual([looked.status, looked.stderr], [0, ''])
    assert.match(looked.stdout, /1 account:.*1 live link.*Nothing was changed/s)
    assert.deepEqual(readdirSync(server.dataDir).filter((name) => name.endsWith('.sqlite')).length, 1)
    await refused(server, /no terminal to ask at/, { args: [] })

    const before = join(dirname(server.dataDir), 'before')
    const after = join(dirname(server.dataDir), 'after')
    assert.equal((await server.command(['backup', before])).status, 0)
    const moved = await server.command(['move', '--yes', '--json'], { PUBLIC_URL: to })
    assert.equal(moved.status, 0, moved.stderr)
    const said = JSON.parse(moved.stdout)
    assert.deepEqual([said.moved, said.from, said.to, said.number, said.owners_told], [true, from, to, 1, 1])
    const again = await server.command(['move', '--yes', '--json'], { PUBLIC_URL: to })
    assert.deepEqual([again.status, JSON.parse(again.stdout).moved], [0, false])
    assert.equal((await server.command(['backup', after])).status, 0)

    await server.restart({ PUBLIC_URL: to })
    await assert.rejects(owner.inbox())
    const signedIn = await logIn({ ...account, baseUrl: to })
    assert.ok(signedIn.owner !== undefined)
    assert.equal(await inboxOf(signedIn.owner), 1)
    await sendFile(url.replace(from, to), randomBytes(100))
    assert.equal(await inboxOf(signedIn.owner), 2)
    await until(
      () => receiver.received.some(({ body }) => JSON.parse(body).type === 'server.moved'),
      'owners learn of the move',
    )
    await server.terminate()
    await fsck(server, to)
    await assert.rejects(server.restart({ PUBLIC_URL: from }), /belongs to/)
  })

  it('refuses an address that does not lead here, and changes nothing', async (t) => {
    const server = await stopped(t)
    const silent = await answering(t, (_, response) => void response.destroy())
    const foreign = await answering(t, (_, response) => void response.end('hello'))
    const redirecting = await answering(t, ({ url }, response) =>
      response.writeHead(307, { location: nameOf(server) + url }).end(),
    )
    await refused(server, /does not lead here: no answer comes/, { to: silent })
    await refused(server, /something else answers there.*Nothing was changed/s, { to: foreign })
    await refused(server, /it redirects to http:\/\/localhost/, { to: redirecting })
    await refused(server, /no address for the name/, { to: 'https://nowhere.invalid' })
    await isAsBefore(server)
  })

  it('refuses another master secret, a server that runs, a backup that runs and data that was moved away', async (t) => {
    const server = await stopped(t)
    const secret = join(dirname(server.dataDir), 'other.secret')
    await writeFile(secret, `${randomBytes(32).toString('base64')}\n`, { mode: 0o600 })
    const { status, stderr } = await server.command(['move', '--yes'], {
      ...{ PUBLIC_URL: nameOf(server), MASTER_SECRET_FILE: secret },
    })
    assert.equal(status, 1)
    assert.match(stderr, /master secret .* is not the one/)
    const backup = await lockDirectory(server.dataDir, 'backup')
    await refused(server, /another backup/)
    backup.release()
    const database = join(server.dataDir, 'blindkeep.sqlite')
    assert.ok(existsSync(database))
    await writeFile(`${database}.restoring`, '')
    await refused(server, /a restore into .* was interrupted/)
    await writeFile(`${database}.moved`, 'This server was moved.')
    await refused(server, /moved/)
  })

  it('does not ask the addresses if the operator says so, and then lets the old host go', async (t) => {
    const server = await stopped(t)
    await refused(server, /Nothing was changed.*lead to 127\.0\.0\.1:\d+ first/s, { to: ELSEWHERE })
    const { status, stderr } = await server.command(['move', '--yes', '--unchecked'], { PUBLIC_URL: ELSEWHERE })
    assert.equal(status, 0, stderr)
    await server.restart({ PUBLIC_URL: ELSEWHERE })
    await server.terminate()
    await fsck(server, ELSEWHERE)
  })

  it('says of a server without accounts and receipts that there is nothing to move', async (t) => {
    const server = await started(t)
    await server.terminate()
    const { status, stdout } = await server.command(['move'], { PUBLIC_URL: ELSEWHERE })
    assert.deepEqual([status, /nothing to move/.test(stdout)], [0, true])
    await server.restart({ PUBLIC_URL: ELSEWHERE })
  })

  it('names the missing setting where the new address was forgotten', async (t) => {
    const server = await stopped(t)
    const stay = await server.command(['move', '--yes'])
    assert.match(stay.stdout, /is at http:\/\/127\.0\.0\.1:\d+ already, and PUBLIC_URL is not set/)
    const moved = await server.command(['move', '--yes', '--unchecked'], { PUBLIC_URL: ELSEWHERE })
    assert.equal(moved.status, 0, moved.stderr)
    // A name must not become this machine by an oversight, also where the command does not ask.
    for (const args of [['--check'], ['--yes']]) {
      const { status, stderr } = await server.command(['move', ...args])
      assert.deepEqual([status, /set PUBLIC_URL to the new address/.test(stderr)], [2, true], stderr)
    }
    await server.restart({ PUBLIC_URL: ELSEWHERE })
  })

  it('refuses while a copy of the data serves the old address', async (t) => {
    const server = await started(t)
    await newOwner(server.url)
    await server.terminate()
    const dataDir = `${server.dataDir} copied`
    await cp(server.dataDir, dataDir, { recursive: true })
    const env = { MASTER_SECRET_FILE: join(dirname(server.dataDir), 'master.secret') }
    const copy = await startServer({ port: server.port, dataDir, env })
    t.after(() => copy.stop())
    const elsewhere = await freePort()
    const move = async (...more: readonly string[]) => {
      const settings = { PORT: String(elsewhere), PUBLIC_URL: `http://localhost:${elsewhere}` }
      return await server.command(['move', '--yes', ...more], settings)
    }
    const { status, stderr } = await move()
    assert.equal(status, 1)
    assert.match(stderr, new RegExp(`this one’s keys answers at ${server.url}: a copy.*Nothing was changed`))
    await copy.terminate()
    assert.equal((await move()).status, 0)
  })

  it('refuses while the server still runs whose backup was restored here, though the restore has changed the key', async (t) => {
    const server = await started(t)
    await newOwner(server.url)
    const backup = join(dirname(server.dataDir), 'backup')
    assert.equal((await server.command(['backup', backup])).status, 0)
    const elsewhere = await freePort()
    const there = {
      ...{ DATA_DIR: join(dirname(server.dataDir), 'restored'), PORT: String(elsewhere) },
      PUBLIC_URL: `http://localhost:${elsewhere}`,
    }
    const restored = await server.command(['restore', backup, '--yes'], there)
    assert.equal(restored.status, 0, restored.stderr)
    assert.match(
      restored.stdout,
      new RegExp(`PUBLIC_URL is ${there.PUBLIC_URL}. If the server has moved there already`),
    )
    const { status, stderr } = await server.command(['move', '--yes'], there)
    assert.equal(status, 1, stderr)
    assert.match(stderr, new RegExp(`answers at ${server.url}: .*Nothing was changed`))
    await server.terminate()
    assert.equal((await server.command(['move', '--yes'], there)).status, 0)
  })
})

describe('an announcement of a move', () => {
  it('is shown by the running server, is replaced, taken back, and over with the move', async (t) => {
    const server = await started(t)
    const shown = async () => (await (await fetch(`${server.url}/.well-known/service/server-info`)).json()).moves_to
    const announce = (...args: readonly string[]) => server.command(['move', 'announce', ...args])
    assert.match((await announce(ELSEWHERE, '--on', '2099-01-31')).stderr, /no owner to read it/)
    await newOwner(server.url)
    for (const wrong of [
      [ELSEWHERE],
      [ELSEWHERE, '--on', '2020-01-01'],
      [ELSEWHERE, '--on', '2099-02-30'],
      ['http://drop.example.org', '--on', '2099-01-31'],
      ['ftp://drop.example.org', '--on', '2099-01-31'],
      [ELSEWHERE, '--stop'],
      ['--stop', '--on', '2099-01-31'],
    ])
      assert.equal((await announce(...wrong)).status, 2, wrong.join(' '))
    assert.equal((await announce(server.url, '--on', '2099-01-31')).status, 1)
    for (const [address, day] of [
      [`${ELSEWHERE}/path`, '2099-01-31'],
      ['https://other.example', '2099-02-01T09:00:00+01:00'],
    ] as const)
      assert.equal((await announce(address, '--on', day)).status, 0)
    const expected = { server_id: 'https://other.example', on: '2099-02-01T08:00:00.000Z' }
    await until(
      async () => JSON.stringify(await shown()) === JSON.stringify(expected),
      'the last announcement is shown',
    )
    assert.equal((await announce('--stop')).status, 0)
    await until(async () => (await shown()) === undefined, 'nothing is announced')
    assert.equal((await announce(ELSEWHERE, '--on', '2099-01-31')).status, 0)
    await server.terminate()
    await server.command(['move', '--yes', '--unchecked'], { PUBLIC_URL: ELSEWHERE })
    await server.restart({ PUBLIC_URL: ELSEWHERE })
    assert.equal(await shown(), undefined)
  })
})
