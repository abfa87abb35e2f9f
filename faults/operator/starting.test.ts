/** A start as operators meet it: options, settings files, and a sentence for each mistake. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { CLI } from '../../testing/command.ts'
import { freePort, MAIN } from '../../testing/startServer.ts'
import { mountSmallDisk } from '../harness/smallDisk.ts'

const TIMEOUT_MS = 60_000
/** Root may use everything. */
const isRoot = process.getuid?.() === 0
const OTHER_UID = 65_534
/** Of the operator, on data that is there. */
const COMMANDS = [
  ['fsck'],
  ['account', 'list'],
  ['keys', 'list'],
  ['scrub'],
  ['backup', '/nowhere/backup'],
  ['account', 'invite'],
  ['upgrade'],
  ['upgrade', '--check'],
  ['migrate-to', 'postgres://nobody@127.0.0.1:1/nowhere', 'file:/nowhere/blobs'],
] as const
const NODE = ['--disable-warning=ExperimentalWarning']

let root: string
before(async () => {
  root = await mkdtemp(join(tmpdir(), 'blindkeep-starting-'))
})
after(() => rm(root, { recursive: true, force: true }))

interface Run {
  readonly program?: string
  /** Of another user, if this one is root. */
  readonly uid?: number
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

const environmentOf = (env: Run['env']) => ({ PATH: process.env.PATH ?? '', HOME: root, ...env })

function run(argv: readonly string[], { env, cwd = root, uid }: Run) {
  return spawnSync(process.execPath, [...NODE, ...argv], {
    cwd,
    ...(uid !== undefined && { uid }),
    env: environmentOf(env),
    encoding: 'utf8',
    timeout: TIMEOUT_MS,
  })
}

/** Of a start that fails. */
function refusal(argv: readonly string[], { program = MAIN, ...as }: Run = {}): string {
  return refusalIn(run([program, ...argv], as))
}

interface Ended {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

function refusalIn({ status, stdout, stderr }: Ended): string {
  assert.deepEqual([status, stdout], [1, ''], stderr)
  assert.doesNotMatch(stderr, /^ +at /m, 'a stack')
  return stderr
}

/** The program is evaluated once for each of the given calls. */
const IN_TURN = `const [program, calls] = process.argv.slice(1)
const print = process.stdout.write.bind(process.stdout)
const ended = []
for (const [index, call] of JSON.parse(calls).entries()) {
  const said = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr']) process[name].write = (text) => (said[name] += text) !== ''
  process.argv = [process.execPath, program, ...call]
  process.exitCode = undefined
  await import(program + '?' + index)
  ended.push({ status: process.exitCode ?? 0, ...said })
}
process.exitCode = 0
print(JSON.stringify(ended))`

/** Of all commands, in one process: one for each would mostly load the same code again. */
function refusalsOfCommands(data: string, as: Run): ReadonlyMap<string, string> {
  const calls = COMMANDS.map((command) => [...command, '--data', data])
  const { status, stdout, stderr } = run(['--input-type=module', '--eval', IN_TURN, CLI, JSON.stringify(calls)], as)
  assert.equal(status, 0, stderr)
  const ended: readonly Ended[] = JSON.parse(stdout)
  return new Map(COMMANDS.map((command, index) => [command.join(' '), refusalIn(ended[index] ?? assert.fail())]))
}

/** Without the program before it. */
const sentenceOf = (said: string) => said.replace(/^(Blindkeep does not start|blindkeep-server): /, '')

/** What a server says until it is there. It ends in order. */
async function bannerOf(argv: readonly string[], { program = MAIN, env, cwd = root }: Run = {}): Promise<string> {
  const child = spawn(process.execPath, [...NODE, program, ...argv], { cwd, env: environmentOf(env) })
  try {
    return await untilSaid(child, /Ctrl-C stops the server/)
  } finally {
    child.kill('SIGTERM')
    assert.deepEqual(await once(child, 'exit'), [0, null])
  }
}

async function untilSaid(child: ChildProcess, wanted: RegExp): Promise<string> {
  let said = ''
  return new Promise((resolve, reject) => {
    const hear = (text: Buffer) => {
      said += String(text)
      if (wanted.test(said)) resolve(said)
    }
    child.stdout?.on('data', hear)
    child.stderr?.on('data', hear)
    child.once('exit', () => reject(new Error(`it ended: ${said}`)))
  })
}

describe('the options of a start', () => {
  for (const [name, program, first] of [
    ['npm start', MAIN, []],
    ['blindkeep-server serve', CLI, ['serve']],
  ] as const)
    it(`of ${name} name the port and the data, and are stronger than the environment`, async () => {
      const port = await freePort()
      const data = join(root, `data of ${name}`)
      const options = [...first, '--port', String(port), '--data', data]
      const said = await bannerOf(options, { program, env: { PORT: '1', DATA_DIR: '/proc/nope' } })
      assert.match(
        said,
        new RegExp(`^Blindkeep is listening on 127\\.0\\.0\\.1:${port}\n.*http://127\\.0\\.0\\.1:${port}\n`),
      )
      assert.ok(said.includes(`data          ${data}\n`))
    })

  it('name the host as it is, beside the public address', async () => {
    const port = await freePort()
    const said = await bannerOf(['--port', String(port), '--data', join(root, 'named')], {
      env: { PUBLIC_URL: 'https://keep.example/drop/', HOST: '::1', FREE_SPACE_FLOOR_BYTES: '0' },
    })
    assert.match(said, new RegExp(`listening on \\[::1\\]:${port}\n {2}address {7}https://keep\\.example/drop\n`))
  })

  it('print the version of both programs', () => {
    for (const program of [MAIN, CLI]) {
      const { stdout } = spawnSync(process.execPath, [...NODE, program, '--version'], { cwd: root, encoding: 'utf8' })
      assert.match(stdout, /^\d+\.\d+\.\d+\n$/)
    }
  })
})

describe('a file of settings', () => {
  it('is .env of the working directory, weaker than the environment; names that are no settings are said, with their line', async () => {
    const cwd = join(root, 'with-file')
    await mkdir(cwd)
    const port = await freePort()
    await writeFile(join(cwd, '.env'), `# the port\nPORT=${port}\nDATA_DIR=kept\nSWEEP_SECOND=7\nHOST="192.0.2.1"\n`)
    const said = await bannerOf([], { cwd, env: { HOST: '127.0.0.1' } })
    assert.match(said, new RegExp(`listening on 127\\.0\\.0\\.1:${port}\n`))
    assert.match(said, /settings {6}\/.*with-file\/\.env/)
    assert.match(
      said,
      /Warning: \/.*with-file\/\.env, line 4: SWEEP_SECOND is no setting.* The nearest setting is SWEEP_SECONDS\.\n/,
    )
    assert.match(said, /"level":40.*"name":"SWEEP_SECOND"/)
    // Beside what it leads to.
    const wrong = refusal([], { cwd, env: { HOST: '0.0.0.0', PUBLIC_ULR: 'https://keep.example' } })
    assert.match(
      wrong,
      /PUBLIC_URL must be set.*\n.*line 4: SWEEP_SECOND.*\n.*the environment: PUBLIC_ULR is no setting.*PUBLIC_URL\.\n/,
    )
  })

  it('that is not there is one sentence', () => {
    assert.match(
      refusal(['--config', 'nothing.conf']),
      /^Blindkeep does not start: the settings in .*nothing\.conf cannot be read: ENOENT.*\n$/,
    )
  })
})

describe('a mistake at a start', () => {
  it('is one sentence that says which address is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const address = taken.address()
    assert.ok(address !== null && typeof address === 'object')
    try {
      const said = refusal(['--port', String(address.port), '--data', join(root, 'unused')])
      assert.match(
        said,
        new RegExp(`^Blindkeep does not start: .* listens on 127\\.0\\.0\\.1:${address.port}\\. .*--port.*\n$`),
      )
    } finally {
      taken.close()
    }
  })

  it('is one sentence with the path of a data directory that cannot be made, is a file, or has other things', async () => {
    const file = join(root, 'a file')
    await writeFile(file, '')
    const foreign = join(root, 'foreign')
    await mkdir(foreign)
    await writeFile(join(foreign, 'letter.txt'), 'mine')
    for (const [data, why] of [
      ['/proc/nope', 'cannot be created'],
      [file, 'no directory'],
      [join(file, 'below'), 'no directory'],
      [foreign, 'letter\\.txt'],
    ])
      assert.match(
        refusal(['--port', '0', '--data', String(data)]),
        new RegExp(`^Blindkeep does not start: the data directory ${data} .*${why}.*\n$`),
      )
  })

  it('is one sentence with the path of a data directory that is read-only, also for commands', async (t) => {
    const disk = isRoot ? mountSmallDisk(1024 * 1024) : undefined
    if (disk !== undefined && 'missing' in disk) return t.skip(disk.missing)
    const directory = disk?.directory ?? (await mkdtemp(join(root, 'readonly-')))
    try {
      await writeFile(join(directory, 'blindkeep.sqlite'), '')
      if (disk === undefined) await chmod(directory, 0o500)
      else assert.equal(spawnSync('mount', ['-o', 'remount,ro', directory]).status, 0)
      const why = sentenceOf(refusal(['--port', '0', '--data', directory]))
      assert.match(
        why,
        new RegExp(`^the data directory ${directory} cannot be used: (its disk is mounted read-only|the user).*\n$`),
      )
      for (const command of COMMANDS)
        assert.equal(sentenceOf(refusal([...command, '--data', directory], { program: CLI })), why, command.join(' '))
    } finally {
      disk?.unmount()
    }
  })

  it('is one sentence with the user and the path of data that this user may not write or enter, also for commands', async () => {
    const parent = await mkdtemp(join(root, 'another-'))
    const data = join(parent, 'data')
    const as = { program: CLI, cwd: '/', ...(isRoot && { uid: OTHER_UID }) }
    const assertSame = (why: string, env: Run['env'] = {}) => {
      for (const [command, said] of refusalsOfCommands(data, { ...as, env }))
        assert.equal(sentenceOf(said), why, command)
    }
    await bannerOf(['--port', '0', '--data', data])
    const database = join(data, 'blindkeep.sqlite')
    const modes = [
      [parent, 0o755],
      [data, 0o777],
      [join(data, 'server.lock'), 0o666],
      [database, 0o666],
    ] as const
    const open = () => Promise.all([chmod(root, 0o755), ...modes.map(([path, mode]) => chmod(path, mode))])
    for (const [closed, mode, named] of [
      [data, 0o500, data],
      [parent, 0o600, data],
      // Of a server that ran as another user.
      [database, 0o400, database],
    ] as const) {
      await open()
      await chmod(closed, mode)
      const why = sentenceOf(refusal(['serve', '--port', '0', '--data', data], as))
      assert.match(
        why,
        new RegExp(
          `^the data directory ${data} cannot be used: the user .* may not .* ${named}, .*chown.*DATA_DIR.*\n$`,
        ),
      )
      assertSame(why)
    }
    await open()
    // A database in a directory of its own.
    const elsewhere = join(parent, 'rows')
    await mkdir(elsewhere)
    await writeFile(join(elsewhere, 'keep.sqlite'), '')
    await chmod(elsewhere, 0o555)
    const env = { DATABASE_URL: `sqlite:${join(elsewhere, 'keep.sqlite')}` }
    const why = sentenceOf(refusal(['serve', '--port', '0', '--data', data], { ...as, env }))
    assert.match(
      why,
      new RegExp(`^the directory of the database ${elsewhere} cannot be used: the user .*DATABASE_URL.*\n$`),
    )
    assertSame(why, env)
    await chmod(parent, 0o555)
    assert.match(
      refusal(['serve', '--port', '0', '--data', join(parent, 'new')], as),
      /the user .* may not create .*\/new, which does not exist\. Create it .*chown.*DATA_DIR.*\n$/,
    )
    await chmod(parent, 0o755)
  })

  it('is one sentence with the path of what does not fit on the disk', async (t) => {
    for (const [room, path] of [
      [4096, 'secrets/master\\.secret'],
      [256 * 1024, 'blindkeep\\.sqlite'],
    ] as const) {
      const disk = mountSmallDisk(room)
      if ('missing' in disk) return t.skip(disk.missing)
      const data = join(disk.directory, 'data')
      try {
        assert.match(
          refusal(['--port', '0', '--data', data]),
          new RegExp(
            `^Blindkeep does not start: The disk of .*${data}/${path} is full \\(.*\\)\\. Make room on it, .*\n$`,
          ),
        )
      } finally {
        disk.unmount()
      }
    }
  })

  it('is the master secret of another server: which file, and what to do', async () => {
    const data = join(root, 'exchanged')
    const secret = join(data, 'secrets', 'master.secret')
    const options = ['--port', '0', '--data', data]
    await bannerOf(options)
    const right = await readFile(secret)
    await writeFile(secret, `${randomBytes(32).toString('base64')}\n`)
    assert.equal(
      refusal(options),
      `Blindkeep does not start: the master secret in ${secret} is not the one that this server’s keys were encrypted with. Put your copy of the right one there, or set MASTER_SECRET_FILE to its path. If it is the right one, the database is another server’s: look at DATA_DIR and DATABASE_URL.\n`,
    )
    await writeFile(secret, right)
    await bannerOf(options)
  })

  it('is an address at which pages cannot encrypt, unless a setting says that it is meant', async () => {
    const env = { PUBLIC_URL: 'http://keep.example' }
    const options = ['--port', '0', '--data', join(root, 'insecure')]
    assert.match(refusal(options, { env }), /PUBLIC_URL must begin with https:.*INSECURE_PUBLIC_URL=allowed/)
    assert.match(await bannerOf(options, { env: { ...env, INSECURE_PUBLIC_URL: 'allowed' } }), /http:\/\/keep\.example/)
  })

  it('is an old Node, in one sentence', (t) => {
    const old = spawnSync('/usr/bin/env', ['node', '--version'], { encoding: 'utf8', env: withoutModules() })
    if (!/^v(1[89]|2[01])\./.test(old.stdout)) return t.skip(`no old Node in PATH, but ${old.stdout.trim()}`)
    for (const program of [MAIN, CLI]) {
      const { status, stderr } = spawnSync('node', [program], { cwd: root, encoding: 'utf8', env: withoutModules() })
      assert.equal(status, 1)
      assert.match(stderr, /^Blindkeep needs Node\.js 22\.13 or newer; this is .*\n$/)
    }
  })
})

/** `npm` puts the project's own Node first. */
function withoutModules(): NodeJS.ProcessEnv {
  const path = (process.env.PATH ?? '').split(':').filter((part) => !part.includes('node_modules'))
  return { ...process.env, PATH: path.join(':') }
}
