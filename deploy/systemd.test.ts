/** The units of systemd: what systemd says about them, and what the server makes of their command and settings. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { describe, it, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { readConfig } from '../packages/server/src/config/config.ts'
import { SETTINGS } from '../packages/server/src/config/settings.ts'
import { startWarnings } from '../packages/server/src/config/startWarnings.ts'
import { isInstalled } from './installed.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')
const FOLDER = join(ROOT, 'deploy', 'systemd')
/** Of 10: `systemd-analyze security`. Its threshold counts tenths. */
const MAX_EXPOSURE = 2
const SERVICES = ['blindkeep.service', 'blindkeep-backup.service'] as const

const KNOWN = Object.values(SETTINGS).map(({ name }): string => name)
const FILE = readFileSync(join(FOLDER, 'blindkeep.env'), 'utf8')

describe('the settings of the units', () => {
  it('exist, also those that are comments, and start a server that warns about nothing', () => {
    const named = [...FILE.matchAll(/^#?([A-Z_]+)=/gm)].map(([, name = '']) => name)
    assert.ok(named.length > 5)
    assert.deepEqual(
      named.filter((name) => !KNOWN.includes(name)),
      [],
    )
    const config = readConfig(environmentOf(FILE))
    assert.deepEqual('faults' in config ? config.faults : startWarnings(config), [])
  })

  it('name the directory that the units let the server write to', () => {
    for (const unit of SERVICES) {
      assert.equal(environmentOf(FILE).DATA_DIR, `/var/lib/${settingOf(unit, 'StateDirectory')}`, unit)
      assert.equal(settingOf(unit, 'EnvironmentFile'), '/etc/blindkeep/blindkeep.env', unit)
    }
  })
})

describe('the command of blindkeep.service', () => {
  it('starts the server, which ends with 0 after SIGTERM', async (t) => {
    const directory = temporary(t)
    const [program = '', ...args] = here(settingOf('blindkeep.service', 'ExecStart')).split(' ')
    const child = spawn(program, args, {
      env: { ...environmentOf(FILE), DATA_DIR: join(directory, 'data'), PORT: '0', PATH: pathOf('blindkeep.service') },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    t.after(() => child.kill('SIGKILL'))
    const ended = once(child, 'exit')
    for await (const line of createInterface(child.stdout)) if (line.includes('/openapi.json')) break
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [0, null])
  })
})

describe('systemd', () => {
  it('accepts the units', (t) => {
    if (!isInstalled('systemd-analyze', t)) return
    const directory = temporary(t)
    const units = readdirSync(FOLDER).filter((name) => /\.(service|timer)$/.test(name))
    for (const unit of units) writeFileSync(join(directory, unit), here(readFileSync(join(FOLDER, unit), 'utf8')))
    const said = run('systemd-analyze', ['verify', '--man=no', ...units.map((unit) => join(directory, unit))])
    // It also reads the units of this machine.
    assert.deepEqual(
      said.split('\n').filter((line) => line.includes('blindkeep')),
      [],
    )
  })

  for (const unit of SERVICES)
    it(`rates the exposure of ${unit} below ${MAX_EXPOSURE}`, (t) => {
      if (!isInstalled('systemd-analyze', t)) return
      const said = run('systemd-analyze', ['security', '--offline=true', '--no-pager', join(FOLDER, unit)])
      const [, exposure] = /Overall exposure level for \S+: ([\d.]+)/.exec(said) ?? []
      t.diagnostic(String(exposure))
      assert.ok(Number(exposure) < MAX_EXPOSURE, said)
    })

  it('makes the user and the directories', (t) => {
    if (!isInstalled('systemd-sysusers', t) || !isInstalled('systemd-tmpfiles', t)) return
    if (process.getuid?.() !== 0) return t.skip('only root may give a directory to another user')
    const root = temporary(t)
    mkdirSync(join(root, 'etc', 'blindkeep'), { recursive: true })
    writeFileSync(join(root, 'etc', 'blindkeep', 'blindkeep.env'), '')
    run('systemd-sysusers', [`--root=${root}`, join(FOLDER, 'sysusers.conf')])
    run('systemd-tmpfiles', ['--create', `--root=${root}`, join(FOLDER, 'tmpfiles.conf')])
    const [, user] = /^blindkeep:x:(\d+):.*:\/var\/lib\/blindkeep:\S*nologin$/m.exec(read(root, 'etc/passwd')) ?? []
    assert.ok(user !== undefined, read(root, 'etc/passwd'))
    const facts = (path: string) => {
      const { uid, mode } = statSync(join(root, path))
      return [uid, (mode & 0o777).toString(8)]
    }
    assert.deepEqual(facts('var/lib/blindkeep'), [Number(user), '700'])
    assert.deepEqual(facts('mnt/blindkeep-backup'), [Number(user), '700'])
    assert.deepEqual(facts('etc/blindkeep/blindkeep.env'), [0, '600'])
  })
})

/** As systemd reads it. */
function environmentOf(file: string): Record<string, string> {
  return Object.fromEntries([...file.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]))
}

function settingOf(unit: string, name: string): string {
  const [, value] = new RegExp(`^${name}=(.*)$`, 'm').exec(readFileSync(join(FOLDER, unit), 'utf8')) ?? []
  if (value === undefined) throw new Error(`${unit} has no ${name}=`)
  return value
}

function pathOf(unit: string): string {
  const [, path = ''] = /^PATH=(.*)$/.exec(settingOf(unit, 'Environment')) ?? []
  return here(path)
}

/** The units run a checkout in /opt/blindkeep. This one is elsewhere. */
function here(text: string): string {
  return text.replaceAll('/opt/blindkeep', ROOT)
}

/** What it prints, on both outputs. */
function run(program: string, args: readonly string[]): string {
  return execFileSync('sh', ['-c', 'exec "$@" 2>&1', 'sh', program, ...args], { encoding: 'utf8' })
}

function read(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8')
}

function temporary(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'blindkeep-systemd-'))
  t.after(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}
