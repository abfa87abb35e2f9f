import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { truncateSync } from 'node:fs'
import { chmod, chown, lchown, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { readConfig } from './config.ts'
import { settingsInForce } from './inForce.ts'
import { type Environment, GivenWrongly, givenSettings, parseOptions } from './sources.ts'

async function withFile(text: string | Uint8Array, work: (path: string) => void): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'blindkeep-given-'))
  try {
    const path = join(directory, 'settings')
    await writeFile(path, text)
    work(path)
  } finally {
    await rm(directory, { recursive: true })
  }
}

/** In a working directory with a file of settings. */
async function withDotEnv(work: (path: string, settings: () => ReturnType<typeof givenSettings>) => Promise<void>) {
  const [directory, before] = [await mkdtemp(join(tmpdir(), 'blindkeep-given-')), process.cwd()]
  try {
    process.chdir(directory)
    const path = join(directory, '.env')
    await writeFile(path, 'PORT=1\n', { mode: 0o600 })
    await work(path, () => givenSettings({}, {}))
  } finally {
    process.chdir(before)
    await rm(directory, { recursive: true })
  }
}

describe('the settings of a process', () => {
  it('come from options, then the environment, then a file; an empty variable counts as unset', () =>
    withFile('PORT=1\nHOST=localhost\nDATA_DIR="a b"\nUNKNOWN=x\n', (config) => {
      const { environment, origins, file } = givenSettings(
        { PORT: '2', HOST: '', HOME: '/root' },
        { port: '3', config },
      )
      assert.deepEqual(environment, { PORT: '3', HOST: 'localhost', DATA_DIR: 'a b', UNKNOWN: 'x', HOME: '/root' })
      assert.deepEqual(origins, { PORT: '--port', HOST: config, DATA_DIR: config, UNKNOWN: config })
      assert.equal(file?.path, config)
    }))

  it('of a file end with their line, also where only a space follows the =', () =>
    withFile('SMTP_USER= \nPORT=1\n', (config) => {
      assert.deepEqual(givenSettings({}, { config }).environment, { PORT: '1' })
    }))

  it('of a file are the same with a byte order mark, and in UTF-16', async () => {
    const text = '\ufeffREGISTRATION=invite\r\nPORT=1\r\n'
    for (const encoding of ['utf8', 'utf16le'] as const)
      await withFile(Buffer.from(text, encoding), (config) => {
        assert.deepEqual(givenSettings({}, { config }).environment, { REGISTRATION: 'invite', PORT: '1' })
      })
    await withFile(Buffer.from(text.slice(1), 'utf16le'), (config) => {
      assert.throws(() => givenSettings({}, { config }), /zero bytes/)
    })
  })

  it('of the working directory are refused from a file of another user, or one that others may change', () =>
    withDotEnv(async (path, settings) => {
      assert.equal(settings().environment.PORT, '1')
      for (const mode of [0o660, 0o602]) {
        await chmod(path, mode)
        assert.throws(settings, /other users may change it; run: chmod go-w \/.*\.env/)
      }
      await chmod(path, 0o600)
      // Only root gives files away.
      if (process.getuid?.() !== 0) return
      await chown(path, 65_534, 65_534)
      assert.throws(settings, /belongs to another user \(65534\)/)
      assert.equal(givenSettings({}, { config: path }).environment.PORT, '1')
      await chmod(path, 0o602)
      assert.throws(() => givenSettings({}, { config: path }), /other users may change it/)
      await rm(path)
      const own = `${path}.own`
      await writeFile(own, 'PORT=1\n', { mode: 0o600 })
      await symlink(own, path)
      assert.equal(settings().environment.PORT, '1')
      await lchown(path, 65_534, 65_534)
      assert.throws(settings, /belongs to another user/)
    }))

  it('of the working directory are not awaited from a pipe of another user', () =>
    withDotEnv(async (path) => {
      if (process.getuid?.() !== 0) return
      await rm(path)
      execFileSync('mkfifo', [path])
      await chown(path, 65_534, 65_534)
      const { href } = new URL('ownFile.ts', import.meta.url)
      const reading = `import('${href}').then(({ readOwnFile }) => readOwnFile(process.argv[1], { isNamed: false }))`
      const { stderr } = spawnSync(process.execPath, ['--eval', reading, path], { timeout: 60_000, encoding: 'utf8' })
      assert.match(stderr, /belongs to another user/)
    }))

  it('of a file that is too large for settings are refused, and no more of it is read', () =>
    withFile('', (path) => {
      truncateSync(path, 3 * 1024 ** 3)
      for (const config of [path, '/dev/zero'])
        assert.throws(() => givenSettings({}, { config }), /cannot be read: it is too large for a file of settings/)
    }))

  it('are refused for a file that cannot be read, and for options that do not exist', () => {
    assert.throws(() => givenSettings({}, { config: '/nowhere/settings' }), GivenWrongly)
    for (const argv of [['--prot', '1'], ['fsck'], ['--port'], ['--port', '1', '--port=2']])
      assert.throws(
        () => parseOptions(argv, { port: { type: 'string' } }),
        (error) => error instanceof GivenWrongly && error.message.includes('`blindkeep-server serve --help` lists'),
      )
  })
})

describe('the settings in force', () => {
  it('have their values and origins, and hide secrets', () => {
    const given = givenSettings(
      {
        BLOBS_URL: 's3://keep/north?region=eu-north-1',
        DATABASE_URL: 'postgres://keeper:hush@db:5433/keep?password=hush',
        AWS_ACCESS_KEY_ID: 'keeper-of-bytes',
        AWS_SECRET_ACCESS_KEY: 'hush',
        AWS_SESSION_TOKEN: 'hush',
        PUBLIC_URL: 'https://keep.example/drop/',
        TRUST_PROXY: '10.0.0.1, ::1',
        SMTP_URL: 'smtp://[fd00::25]',
        SMTP_USER: 'keeper-of-mail',
        SMTP_PASSWORD: 'hush',
      },
      { data: '/srv/keep', port: '9000' },
    )
    const config = readConfig(given.environment)
    assert.ok(!('faults' in config))
    const shown = settingsInForce(config, given)
    assert.doesNotMatch(JSON.stringify(shown), /hush|keeper:/)
    const shownOf = (wanted: string) => {
      const { value, origin } = shown.find(({ name }) => name === wanted) ?? assert.fail(wanted)
      return [value, origin]
    }
    assert.deepEqual(shownOf('PORT'), ['9000', '--port'])
    assert.deepEqual(shownOf('DATABASE_URL'), ['postgres://db:5433/keep (the rest is hidden)', 'environment'])
    assert.deepEqual(shownOf('BLOBS_URL'), ['s3://keep/north/?region=eu-north-1', 'environment'])
    assert.deepEqual(shownOf('AWS_SECRET_ACCESS_KEY'), ['(hidden)', 'environment'])
    assert.deepEqual(shownOf('AWS_ACCESS_KEY_ID'), ['keeper-of-bytes', 'environment'])
    assert.deepEqual(shownOf('PUBLIC_URL'), ['https://keep.example/drop', 'environment'])
    assert.deepEqual(shownOf('TRUST_PROXY'), ['10.0.0.1,::1', 'environment'])
    assert.deepEqual(shownOf('SMTP_URL'), ['smtp://[fd00::25]:587', 'environment'])
    assert.deepEqual(shownOf('SMTP_PASSWORD'), ['(hidden)', 'environment'])
    assert.deepEqual(shownOf('MASTER_SECRET_FILE'), ['/srv/keep/secrets/master.secret', 'default'])
    assert.deepEqual(shownOf('QUOTA_HARD_BYTES'), ['no limit', 'default'])
  })

  it('have the address that follows from host and port, unless the running server chooses the port', () => {
    const shownOf = (environment: Environment) => {
      const given = givenSettings(environment, {})
      const config = readConfig(given.environment)
      assert.ok(!('faults' in config))
      return settingsInForce(config, given).find(({ name }) => name === 'PUBLIC_URL')?.value
    }
    assert.equal(shownOf({}), 'http://127.0.0.1:8080')
    assert.equal(shownOf({ HOST: '::1', PORT: '9000' }), 'http://[::1]:9000')
    assert.equal(shownOf({ PORT: '0' }), 'http://HOST:PORT on loopback, required elsewhere')
  })
})
