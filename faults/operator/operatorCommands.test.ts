/** Commands that a person runs beside the real server, and what its clients then see. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, readdir, rename, rmdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { CLI } from '../../testing/command.ts'
import { newOwner, sendFile } from '../../testing/people.ts'
import { provedBody } from '../../testing/proving.ts'
import { type RunningServer, startServer } from '../../testing/startServer.ts'
import { until } from '../../testing/until.ts'

let server: RunningServer
before(async () => {
  server = await startServer({ env: { SWEEP_SECONDS: '1', GC_GRACE_SECONDS: '1', FREE_SPACE_FLOOR_BYTES: '0' } })
})
after(() => server?.stop())

const json = async (...args: readonly string[]) => {
  const { status, stdout, stderr } = await server.command([...args, '--json'])
  assert.equal(status, 0, stderr)
  return JSON.parse(stdout)
}

/** Its status. A client would refuse a server that calls itself by another name than this address. */
async function register(url: string, members: object): Promise<number> {
  const body = JSON.stringify(await provedBody(url, '/v1/auth/register', { members }))
  const headers = { 'Content-Type': 'application/json' }
  return (await fetch(`${url}/v1/auth/register`, { method: 'POST', headers, body })).status
}

describe('account delete', () => {
  it('asks first, ends the account and its links at once, and the server frees its bytes', async () => {
    const owner = await newOwner(server.url)
    const { url } = await owner.createLink({})
    await sendFile(url, new Uint8Array(1000))
    const { email } = owner
    const unasked = await server.command(['account', 'delete', email])
    assert.deepEqual([unasked.status, unasked.stdout], [2, ''])
    assert.match(
      unasked.stderr,
      new RegExp(`This deletes ${email} .* 1 drop in the inbox.*no terminal to ask at: add --yes`, 's'),
    )
    assert.equal((await owner.inbox()).length, 1)
    assert.equal((await json('account', 'delete', email, '--yes')).deleted, true)
    await assert.rejects(owner.inbox())
    await assert.rejects(sendFile(url, new Uint8Array(10)))
    assert.ok(!JSON.stringify(await json('account', 'list')).includes(email))
    assert.match((await server.command(['account', 'delete', email, '--yes'])).stderr, /there is no account/)
    const stored = async () => (await json('fsck')).counts.objects ?? 0
    await until(async () => (await stored()) === 0, 'no object is left')
    assert.equal((await server.command(['fsck', '--deep'])).status, 0)
  })

  it('does nothing unless the person at the terminal types the e-mail address', {
    skip: !existsSync('/usr/bin/script'),
  }, async () => {
    const { email } = await newOwner(server.url)
    const typed = (line: string) => {
      const command = `${process.execPath} --disable-warning=ExperimentalWarning ${CLI} account delete ${email}`
      const env = { PATH: process.env.PATH ?? '', DATA_DIR: server.dataDir }
      return spawnSync('/usr/bin/script', ['-qec', command, '/dev/null'], {
        input: `${line}\n`,
        env,
        encoding: 'utf8',
        timeout: 60_000,
      })
    }
    const no = typed('yes')
    assert.equal(no.status, 1)
    assert.match(no.stdout, new RegExp(`This deletes ${email}.*cannot be undone.*Nothing was changed`, 's'))
    const yes = typed(email)
    assert.equal(yes.status, 0, yes.stdout)
    assert.match(yes.stdout, /is deleted/)
  })
})

describe('backup', () => {
  it('says why it could not read a file, and has the others', async () => {
    const owner = await newOwner(server.url)
    const { url } = await owner.createLink({})
    const blobs = join(server.dataDir, 'blobs')
    const present = async () => (await readdir(blobs, { recursive: true })).filter((name) => name.includes('.'))
    await sendFile(url, new Uint8Array(1000))
    const before = await present()
    await sendFile(url, new Uint8Array(2000).fill(1))
    const path = join(blobs, (await present()).find((name) => !before.includes(name)) ?? assert.fail())
    await rename(path, `${path}.kept`)
    await mkdir(path)
    const { status, stdout } = await server.command(['backup', join(server.dataDir, '..', 'backup')])
    await rmdir(path)
    await rename(`${path}.kept`, path)
    assert.equal(status, 1)
    assert.match(
      stdout,
      /damaged, missing or cannot be read on the server \(1\):\n {2}unreadable: drop .*, hash .* bytes: the storage answered EISDIR/,
    )
  })
})

describe('account invite', () => {
  it('prints the address that the data belongs to, whatever the port here, and refuses another PUBLIC_URL', async () => {
    await newOwner(server.url)
    for (const port of ['1', '0', String(server.port)]) {
      const { status, stdout, stderr } = await server.command(['account', 'invite', '--json'], { PORT: port })
      assert.equal(status, 0, stderr)
      assert.equal(new URL(JSON.parse(stdout).url).origin, server.url)
    }
    const said = (await server.command(['account', 'invite'])).stdout
    assert.doesNotMatch(said, /no address before|lacks it/)
    const invites = async () => (await json('account', 'invites')).invites.length
    const before = await invites()
    const elsewhere = await server.command(['account', 'invite'], { PUBLIC_URL: 'https://keep.example' })
    assert.equal(elsewhere.status, 1)
    assert.match(
      elsewhere.stderr,
      new RegExp(`belongs to ${server.url}, but .* configured as https://keep\\.example\\. .*PUBLIC_URL`),
    )
    assert.equal(await invites(), before)
  })

  it('says that the address is a guess while the data has none, and that the link may lack a path', async () => {
    const unused = await startServer()
    try {
      const { stdout } = await unused.command(['account', 'invite'], { PORT: '1' })
      assert.match(
        stdout,
        /^http:\/\/127\.0\.0\.1:1\/#.*\nThe data has no address before its first account: .*code alone\.\n$/s,
      )
    } finally {
      await unused.stop()
    }
    const named = await startServer({ publicUrl: 'https://keep.example/drop', env: { REGISTRATION: 'open' } })
    try {
      assert.equal(await register(named.url, { email: 'ada@example.org' }), 201)
      const { stdout } = await named.command(['account', 'invite'], { PUBLIC_URL: '' })
      assert.match(stdout, /^https:\/\/keep\.example\/#.*\nPUBLIC_URL is not set here: .*lacks it\.\n$/s)
    } finally {
      await named.stop()
    }
  })
})

describe('invite revoke', () => {
  it('ends a code by itself or by its id; a used one stays used', async () => {
    await server.restart({ REGISTRATION: 'invite' })
    const registerWith = (invite: string) =>
      register(server.url, { email: `${invite.slice(0, 4)}@example.org`, invite })
    const codes: string[] = []
    for (let count = 0; count < 3; count += 1) codes.push((await json('account', 'invite')).code)
    const [byCode = '', byId = '', used = ''] = codes
    const invites: { invite_id: string }[] = (await json('account', 'invites')).invites
    assert.equal(await registerWith(used), 201)
    assert.equal((await json('invite', 'revoke', byCode)).revoked, true)
    const left: { invite_id: string; state: string }[] = (await json('account', 'invites')).invites
    assert.equal(left.length, invites.length - 1)
    for (const { invite_id, state } of left)
      assert.equal((await server.command(['invite', 'revoke', invite_id])).status, state === 'used' ? 1 : 0)
    assert.deepEqual([await registerWith(byCode), await registerWith(byId)], [403, 403])
    await server.restart({ REGISTRATION: '' })
  })
})

describe('deprecation announce', () => {
  it('says what it would mean, and asks', { skip: !existsSync('/usr/bin/script') }, async () => {
    const cutoff = new Date(Date.now() + 100.5 * 86_400_000).toISOString()
    const args = ['deprecation', 'announce', '--min-version', '2026-03-01', '--cutoff', cutoff]
    assert.match((await server.command(args)).stderr, /versions 2026-01-01 to .*in 100 days.*\(426\).*: add --yes/s)
    const command = [process.execPath, '--disable-warning=ExperimentalWarning', CLI, ...args].join(' ')
    const env = { PATH: process.env.PATH ?? '', DATA_DIR: server.dataDir }
    const asked = spawnSync('/usr/bin/script', ['-qec', command, '/dev/null'], {
      input: 'no\n',
      env,
      encoding: 'utf8',
      timeout: 60_000,
    })
    assert.match(asked.stdout, /versions 2026-01-01 to .*in 100 days.*\(426\).*Nothing was changed/s)
    assert.deepEqual((await json('deprecation', 'list')).announcements, [])
  })
})

describe('a hint', () => {
  it('keeps the options that say which server is meant', async () => {
    const data = join(server.dataDir, '..', 'data')
    const { stderr } = await server.command(['account', 'suspend', 'nobody@example.org', '--data', data])
    assert.match(stderr, new RegExp(`; \`blindkeep-server account list --data ${data}\` lists them\n$`))
  })
})

describe('a wrong call', () => {
  it('is answered with what is wrong and where to read more', async () => {
    for (const [args, status, said] of [
      [['backup'], 2, /: `backup` takes <directory>\. `blindkeep-server backup --help` says more\.\n$/],
      [['fsck', '--deap'], 2, /: Unknown option '--deap'\. `blindkeep-server fsck --help` says more\.\n$/],
      [
        ['account', 'list', '--data', 'nowhere'],
        1,
        /no database at \/.*\/nowhere\/blindkeep\.sqlite\. .*--config.*--data/,
      ],
    ] as const) {
      const outcome = await server.command(args)
      assert.equal(outcome.status, status)
      assert.match(outcome.stderr, said)
    }
  })

  it('that lacks its second word is answered with the commands that begin so', async () => {
    const { status, stderr } = await server.command(['account'])
    assert.equal(status, 2)
    const listed = [...stderr.matchAll(/^ {2}(\S+ \S+)/gm)].map(([, name]) => name)
    assert.ok(listed.includes('account list') && listed.includes('account invite'), stderr)
    assert.deepEqual(
      listed.filter((name) => !name?.startsWith('account ')),
      [],
    )
  })
})

describe('config', () => {
  it('shows what is in force and where it comes from, and hides secrets', async () => {
    const file = join(server.dataDir, 'settings.conf')
    await writeFile(file, 'QUOTA_HARD_BYTES=10GB\nAWS_SECRET_ACCESS_KEY=hush\nPORT=1\nQUOTA_HARD 1GB\nhush\n')
    const secret = { DATABASE_URL: 'postgres://keeper:hush@db.example/keep?password=hush' }
    const { stdout, stderr, status } = await server.command(['config', '--config', file], secret)
    assert.equal(status, 0, stderr)
    assert.match(stdout, /^ {2}QUOTA_HARD_BYTES +10000000000 +\/.*settings\.conf$/m)
    assert.match(stdout, new RegExp(`^ {2}PORT +${server.port} +environment$`, 'm'))
    assert.match(stdout, /^ {2}CHUNK_BYTES_MAX +16777216 +default$/m)
    assert.match(stdout, /^ {2}DATABASE_URL +postgres:\/\/db\.example\/keep \(the rest is hidden\) +environment$/m)
    assert.match(stdout, /^ {2}AWS_SECRET_ACCESS_KEY +\(hidden\)/m)
    assert.match(stdout, /^Warning: .*settings\.conf, line 4: the line does nothing.*QUOTA_HARD_BYTES\.$/m)
    assert.match(stdout, /^Warning: .*settings\.conf, line 5: the line does nothing/m)
    assert.doesNotMatch(stdout, /hush|keeper/)
  })

  it('shows the address in force, and takes the options that say which server is meant before the command, too', async () => {
    const file = join(server.dataDir, 'twice.conf')
    await writeFile(file, 'QUOTA_HARD_BYTES=10GB\nQUOTA_HARD_BYTES=1GB\n')
    const after = await server.command(['config', '--config', file, '--data', '/nowhere/a'])
    assert.match(after.stdout, new RegExp(`^ {2}PUBLIC_URL +${server.url} +default$`, 'm'))
    assert.match(after.stdout, /^ {2}QUOTA_HARD_BYTES +1000000000 /m)
    assert.match(
      after.stdout,
      /^Warning: .*twice\.conf, line 1: QUOTA_HARD_BYTES does nothing, because line 2 sets it again\.$/m,
    )
    const before = await server.command(['--config', file, '--data=/nowhere/a', 'config'])
    assert.deepEqual(before, after)
  })
})
